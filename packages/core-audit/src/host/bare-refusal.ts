import { STATUS_CODES } from 'node:http'
import type { KitError } from '../errors.ts'
import { problemDetails, problemResponse } from '../http/problems.ts'

/** The headers of every response, whatever its route. */
export const commonHeaders = [
  ['X-Content-Type-Options', 'nosniff'],
  ['Referrer-Policy', 'no-referrer'],
] as const

/** Returns the response of a refusal that no application sends, with the headers that an application would add. */
export function bareRefusal(refusal: KitError, requestId: string): Response {
  const response = problemResponse(refusal, requestId)
  for (const [name, value] of commonHeaders) response.headers.set(name, value)
  response.headers.set('X-Request-Id', requestId)
  return response
}

/** Returns {@link bareRefusal} as HTTP/1.1 that ends the connection, for sockets without a response object of Node. */
export function rawRefusal(refusal: KitError, requestId: string): string {
  const body = JSON.stringify(problemDetails(refusal, requestId))
  const headers = {
    Connection: 'close',
    'Cache-Control': 'no-store',
    ...refusal.headers,
    ...Object.fromEntries(commonHeaders),
    'Content-Type': 'application/problem+json',
    'Content-Length': Buffer.byteLength(body),
    'X-Request-Id': requestId,
  }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  return [`HTTP/1.1 ${refusal.status} ${STATUS_CODES[refusal.status] ?? ''}`, ...lines, '', body].join('\r\n')
}
