import { type IncomingMessage, STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import type { KitError } from '@vertical-kit/core-audit'
import { problemDetails, requestIdOf } from '@vertical-kit/core-audit/http'

/** The id that an upgrade is refused and logged under: the caller's own when it is well-formed. */
export function upgradeIdOf({ headers }: IncomingMessage): string {
  const given = headers['x-request-id']
  return requestIdOf(typeof given === 'string' ? given : undefined)
}

/** Answers with problem details and closes; HTTP by hand, as an upgrade has no response. */
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
