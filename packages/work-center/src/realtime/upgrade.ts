import type { IncomingMessage, Server } from 'node:http'
import type { Duplex } from 'node:stream'
import { CoreError, isKitError, type KitError } from '@vertical-kit/core-audit'
import { refuseUpgrade, upgradeIdOf, upgradeOnlyWebSockets } from '@vertical-kit/core-audit/host'
import type { KitEnv } from '@vertical-kit/core-audit/http'
import { type SpanDescription, withSpan } from '@vertical-kit/core-audit/telemetry'
import { type WebSocket, WebSocketServer } from 'ws'
import type { Admit, Admitted } from './admission.ts'
import type { RealtimeConfig } from './config.ts'
import { workCenterHubPath } from './contract.ts'

export interface UpgradeOptions {
  readonly admit: Admit
  /** Throws if the hub cannot accept another connection. */
  readonly checkRoom: (admitted: Admitted) => void
  readonly onSocket: (ws: WebSocket, admitted: Admitted) => void
  readonly config: RealtimeConfig
  readonly logger: KitEnv['Variables']['logger']
}

/**
 * Upgrades requests for the hub to sockets after the caller is admitted. Before that, it reads nothing from the socket
 * and sends at most a refusal over HTTP. Refuses requests for other paths, unless the server has another upgrade
 * listener.
 */
export function attachUpgrade(server: Server, options: UpgradeOptions): void {
  const { admit, logger } = options
  const sockets = createSocketServer(options.config)
  upgradeOnlyWebSockets(server)
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    const url = URL.parse(request.url ?? '', 'http://hub')
    const requestId = upgradeIdOf(request)
    if (url?.pathname !== workCenterHubPath) {
      const isOurs = server.listenerCount('upgrade') === 1
      if (isOurs) refuseUpgrade(socket, new CoreError('request.route_not_found'), requestId)
      return
    }
    // A client can disconnect at any time. An `error` event without a listener would end the process.
    socket.on('error', ignore)
    // The function is async, so that it never throws. An error thrown in a listener would end the process.
    withSpan(
      () => upgradeSpan,
      async () => admit(toRequest(url, request), { env: { incoming: request }, requestId, logger }),
    )
      .then((admitted) => {
        // Check without a pause before the connection is added: many callers can be admitted at the same moment.
        options.checkRoom(admitted)
        socket.off('error', ignore)
        sockets.handleUpgrade(request, socket, head, (ws) => options.onSocket(ws, admitted))
      })
      .catch((error: unknown) => refuseUpgrade(socket, logged(error, requestId, logger), requestId))
  })
}

/** The span ends when the caller is admitted: a span of the whole connection would be exported hours later. */
const upgradeSpan: SpanDescription = {
  name: `GET ${workCenterHubPath}`,
  kind: 'server',
  attributes: { 'http.request.method': 'GET', 'http.route': workCenterHubPath, 'url.scheme': 'http' },
}

const ignore = (): void => {}

/**
 * Omits credentials in the request's URL, because the constructor of `Request` rejects them. Keeps repeated headers, as for every other
 * request: Node's `headers` would contain only the first of several tokens.
 */
function toRequest({ pathname, search }: URL, { rawHeaders }: IncomingMessage): Request {
  const entries = rawHeaders.flatMap((name, index): [string, string][] =>
    index % 2 === 0 ? [[name, rawHeaders[index + 1] ?? '']] : [],
  )
  return new Request(`http://hub${pathname}${search}`, { headers: entries })
}

function createSocketServer({ maxMessageBytes }: RealtimeConfig): WebSocketServer {
  const sockets = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    // Compression costs 300 KB per connection, and small frames could expand into large messages.
    perMessageDeflate: false,
    maxPayload: maxMessageBytes,
    maxFragments: 16,
    maxBufferedChunks: 256,
    handleProtocols: () => false,
  })
  sockets.on('headers', (lines, request) => void lines.push(`X-Request-Id: ${upgradeIdOf(request)}`))
  // Without this listener, the `ws` library responds with HTML.
  sockets.on('wsClientError', (_error, socket, request) => {
    const refusal = new CoreError('request.malformed', { detail: 'This is not a WebSocket handshake.' })
    refuseUpgrade(socket, refusal, upgradeIdOf(request))
  })
  return sockets
}

/** Logs the error of a failed upgrade once, and returns the refusal. Never logs the URL, which can contain a token. */
function logged(error: unknown, requestId: string, logger: UpgradeOptions['logger']): KitError {
  const refusal = isKitError(error) ? error : new CoreError('internal')
  const line = { requestId, code: refusal.code, path: workCenterHubPath }
  if (refusal.status >= 500) logger.error({ err: error, ...line }, 'Opening a connection failed.')
  else logger.debug(line, 'A connection was refused.')
  return refusal
}
