import { randomUUID } from 'node:crypto'
import { type IncomingMessage, STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import type { KitError } from '@vertical-kit/core-audit'
import type { ProblemDetails } from '@vertical-kit/core-audit/contract'

/** As the kernel's routes take one from a caller: what is safe in a header and a log line. */
const saneRequestId = /^[\w.:-]{1,128}$/

/** The id that a request is refused and logged under: the caller's, if it sent a sane one. */
export function requestIdOf({ headers }: IncomingMessage): string {
  const given = headers['x-request-id']
  return typeof given === 'string' && saneRequestId.test(given) ? given : randomUUID()
}

/** Answers with problem details and closes; HTTP by hand, as an upgrade has no response. */
export function refuseUpgrade(socket: Duplex, refusal: KitError, requestId: string): void {
  const title = STATUS_CODES[refusal.status] ?? ''
  const body = JSON.stringify(problemOf(refusal, title, requestId))
  const head = [
    `HTTP/1.1 ${refusal.status} ${title}`,
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

function problemOf(
  { status, code, detail, context }: KitError,
  title: string,
  requestId: string,
): ProblemDetails {
  return {
    type: `urn:vertical-kit:problem:${code}`,
    ...{ title, status, detail, code },
    ...(context === undefined ? {} : { context: { ...context } }),
    requestId,
  }
}
