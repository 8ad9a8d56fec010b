import type { IncomingMessage, Server } from 'node:http'
import type { Duplex } from 'node:stream'
import { CoreError, isKitError, type KitError } from '@vertical-kit/core-audit'
import type { KitEnv } from '@vertical-kit/core-audit/http'
import { type WebSocket, WebSocketServer } from 'ws'
import type { Admit, Admitted } from './admission.ts'
import type { RealtimeConfig } from './config.ts'
import { workCenterHubPath } from './contract.ts'
import { refuseUpgrade, upgradeIdOf } from './refusal.ts'

export interface UpgradeOptions {
  readonly admit: Admit
  /** Whether there is room for one more; refuses by throwing. */
  readonly checkRoom: (admitted: Admitted) => void
  readonly onSocket: (ws: WebSocket, admitted: Admitted) => void
  readonly config: RealtimeConfig
  readonly logger: KitEnv['Variables']['logger']
}

/**
 * Has a server's upgrade requests for the hub become sockets, once who asks is admitted. Until then nothing is sent but a
 * refusal over HTTP, and nothing read. Other paths are left to whoever else listens, and refused when nobody does.
 */
export function attachUpgrade(server: Server, options: UpgradeOptions): void {
  const sockets = createSocketServer(options.config)
  leaveOtherProtocols(server)
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    const url = URL.parse(request.url ?? '', 'http://hub')
    const requestId = upgradeIdOf(request)
    if (url?.pathname !== workCenterHubPath) {
      const isOurs = server.listenerCount('upgrade') === 1
      if (isOurs) refuseUpgrade(socket, new CoreError('request.route_not_found'), requestId)
      return
    }
    // Whoever takes a socket over from Node hears of its errors, or the process ends: a client may leave at any time.
    socket.on('error', ignore)
    // Async, so that nothing throws here: an error that a listener of the server throws ends the process.
    const admit = async () => options.admit(toRequest(url, request))
    admit()
      .then((admitted) => {
        options.checkRoom(admitted)
        socket.off('error', ignore)
        sockets.handleUpgrade(request, socket, head, (ws) => options.onSocket(ws, admitted))
      })
      .catch((error: unknown) => refuseUpgrade(socket, logged(error, requestId, options.logger), requestId))
  })
}

const ignore = (): void => {}

/** Without the authority that a client may have put into the address: no `Request` takes credentials there. */
function toRequest({ pathname, search }: URL, { headers }: IncomingMessage): Request {
  const entries = Object.entries(headers).flatMap(([name, value = []]) =>
    [value].flat().map((one): [string, string] => [name, one]),
  )
  return new Request(`http://hub${pathname}${search}`, { headers: entries })
}

function createSocketServer({ maxMessageBytes }: RealtimeConfig): WebSocketServer {
  const sockets = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    // Compression would let a small frame become a large one here, and costs each connection 300 KB.
    perMessageDeflate: false,
    maxPayload: maxMessageBytes,
    maxFragments: 16,
    maxBufferedChunks: 256,
    handleProtocols: () => false,
  })
  sockets.on('headers', (lines, request) => void lines.push(`X-Request-Id: ${upgradeIdOf(request)}`))
  // Without a listener the socket server answers by itself, in HTML.
  sockets.on('wsClientError', (_error, socket, request) => {
    const refusal = new CoreError('request.malformed', { detail: 'This is no WebSocket handshake.' })
    refuseUpgrade(socket, refusal, upgradeIdOf(request))
  })
  return sockets
}

/**
 * An upgrade to another protocol is one that a server may pass over: some HTTP clients ask every server for HTTP/2, and
 * are answered over HTTP/1.1. Node hands them all over once somebody listens, unless told otherwise, which it can be from
 * 22.21 and 24.9 on; before, such a request is refused.
 */
function leaveOtherProtocols(server: Server): void {
  const isWebSocket = ({ headers }: IncomingMessage): boolean =>
    headers.upgrade?.toLowerCase() === 'websocket'
  Object.assign(server, { shouldUpgradeCallback: isWebSocket })
}

/** A fault is logged once, here; its address is not, as that may hold a token. */
function logged(error: unknown, requestId: string, logger: UpgradeOptions['logger']): KitError {
  const refusal = isKitError(error) ? error : new CoreError('internal')
  const line = { requestId, code: refusal.code, path: workCenterHubPath }
  if (refusal.status >= 500) logger.error({ err: error, ...line }, 'A connection could not be made.')
  else logger.debug(line, 'A connection was refused.')
  return refusal
}
