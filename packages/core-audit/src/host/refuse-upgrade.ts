import { type IncomingMessage, STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import type { KitError } from '../errors.ts'
import { problemDetails } from '../http/problems.ts'
import { requestIdOf } from '../http/request-id.ts'

/** Returns the request id of an upgrade for refusals and logs: the client's id if it is well-formed, or a new id. */
export function upgradeIdOf({ headers }: IncomingMessage): string {
  const given = headers['x-request-id']
  return requestIdOf(typeof given === 'string' ? given : undefined)
}

/** Sends problem details and closes the socket. Writes HTTP directly, because Node has no response object for upgrades. */
export function refuseUpgrade(socket: Duplex, refusal: KitError, requestId: string): void {
  const body = JSON.stringify(problemDetails(refusal, requestId))
  const head = [
    `HTTP/1.1 ${refusal.status} ${STATUS_CODES[refusal.status] ?? ''}`,
    'Connection: close',
    'Content-Type: application/problem+json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Cache-Control: no-store',
    `X-Request-Id: ${requestId}`,
    ...Object.entries(refusal.headers).map(([name, value]) => `${name}: ${value}`),
  ]
  socket.on('error', () => {})
  socket.once('finish', () => socket.destroy())
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`)
}
