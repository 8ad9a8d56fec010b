import type { IncomingMessage } from 'node:http'
import { RequestError } from '@hono/node-server'

/**
 * Rejects requests that Node accepts, but that a proxy in front of the host can understand differently: more than one `Host`
 * header (RFC 9112 §3.2), and a transfer coding other than `chunked`, which Node does not decode (RFC 9112 §6.1).
 * @throws {RequestError} answered as `request.malformed`
 */
export function checkFraming({ rawHeaders }: Pick<IncomingMessage, 'rawHeaders'>): void {
  let hostCount = 0
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]?.toLowerCase()
    if (name === 'host') hostCount += 1
    else if (name === 'transfer-encoding' && rawHeaders[index + 1]?.toLowerCase() !== 'chunked')
      throw new RequestError('Unknown transfer coding')
  }
  if (hostCount > 1) throw new RequestError('Several host headers')
}
