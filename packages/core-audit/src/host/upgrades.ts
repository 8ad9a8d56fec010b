import type { IncomingMessage } from 'node:http'
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
