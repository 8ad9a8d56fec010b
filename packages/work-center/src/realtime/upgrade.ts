import { type IncomingMessage, type Server, STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import {
  CoreError,
  type IdentifiedCaller,
  isKitError,
  type KitEnv,
  type KitError,
} from '@vertical-kit/core-audit'
import { type WebSocket, WebSocketServer } from 'ws'
import type { Admit } from './admission.ts'
import type { RealtimeConfig } from './config.ts'
import { workCenterHubPath } from './contract.ts'

export interface UpgradeOptions {
  readonly admit: Admit
  /** Whether there is room for one more; refuses by throwing. */
  readonly checkRoom: (admitted: IdentifiedCaller) => void
  readonly onSocket: (ws: WebSocket, admitted: IdentifiedCaller) => void
  readonly config: RealtimeConfig
  readonly logger: KitEnv['Variables']['logger']
}

/**
 * Has a server's upgrade requests for the hub become sockets, once who asks is admitted. Until then nothing is sent but a
 * refusal over HTTP, and nothing read. Other paths are left to whoever else listens, and refused when nobody does.
 */
export function attachUpgrade(server: Server, options: UpgradeOptions): void {
  const { maxMessageBytes } = options.config
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
  leaveOtherProtocols(server)
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    const url = URL.parse(request.url ?? '', 'http://hub')
    if (url?.pathname !== workCenterHubPath) {
      if (server.listenerCount('upgrade') === 1) refuse(socket, new CoreError('request.route_not_found'))
      return
    }
    // Whoever takes a socket over from Node hears of its errors, or the process ends: a client may leave at any time.
    socket.on('error', ignore)
    const { headers } = request
    const admission = options.admit({
      origin: headers.origin,
      host: headers.host,
      authorization: headers.authorization,
      accessToken: url.searchParams.get('access_token') ?? undefined,
    })
    admission
      .then((admitted) => {
        options.checkRoom(admitted)
        socket.off('error', ignore)
        sockets.handleUpgrade(request, socket, head, (ws) => options.onSocket(ws, admitted))
      })
      .catch((error: unknown) => refuse(socket, logged(error, options.logger)))
  })
}

const ignore = (): void => {}

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
function logged(error: unknown, logger: UpgradeOptions['logger']): KitError {
  const refusal = isKitError(error) ? error : new CoreError('internal')
  const line = { code: refusal.code, path: workCenterHubPath }
  if (refusal.status >= 500) logger.error({ err: error, ...line }, 'A connection could not be made.')
  else logger.debug(line, 'A connection was refused.')
  return refusal
}

/** Answers with problem details and closes; HTTP by hand, as an upgrade has no response. */
function refuse(socket: Duplex, { status, code, detail, headers }: KitError): void {
  const title = STATUS_CODES[status] ?? ''
  const body = JSON.stringify({ type: `urn:vertical-kit:problem:${code}`, title, status, detail, code })
  const head = [
    `HTTP/1.1 ${status} ${title}`,
    'Connection: close',
    'Content-Type: application/problem+json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Cache-Control: no-store',
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
  ]
  socket.on('error', ignore)
  socket.once('finish', () => socket.destroy())
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`)
}
