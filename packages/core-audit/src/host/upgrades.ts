import type { IncomingMessage, Server } from 'node:http'
import type { Duplex } from 'node:stream'
import type { KitError } from '../errors.ts'
import { requestIdOf } from '../http/request-id.ts'
import { rawRefusal } from './bare-refusal.ts'

/** Returns the request id of an upgrade for refusals and logs: the client's id if it is well-formed, or a new id. */
export function upgradeIdOf({ headers }: IncomingMessage): string {
  const given = headers['x-request-id']
  return requestIdOf(typeof given === 'string' ? given : undefined)
}

/** Sends problem details and closes the socket. Node has no response object for upgrades. */
export function refuseUpgrade(socket: Duplex, refusal: KitError, requestId: string): void {
  socket.on('error', () => {})
  socket.once('finish', () => socket.destroy())
  socket.end(rawRefusal(refusal, requestId))
}

/**
 * Makes a server give only requests for a WebSocket (RFC 6455 §4.1) to its upgrade listeners. It handles others like requests without
 * an upgrade, which HTTP allows: some clients offer HTTP/2 to every server and expect an HTTP/1.1 response. Node calls
 * `shouldUpgradeCallback` since versions 22.21 and 24.9. Older versions pass every upgrade to the listeners.
 */
export function upgradeOnlyWebSockets(server: Server): void {
  const { shouldUpgradeCallback: mayUpgrade = () => true } = server as ServerWithUpgrades
  const isWebSocket = ({ method, headers }: IncomingMessage): boolean =>
    method === 'GET' && headers.upgrade?.toLowerCase() === 'websocket'
  Object.assign(server, {
    shouldUpgradeCallback: (request) => isWebSocket(request) && mayUpgrade.call(server, request),
  } satisfies ServerWithUpgrades)
}

interface ServerWithUpgrades {
  shouldUpgradeCallback?(request: IncomingMessage): boolean
}
