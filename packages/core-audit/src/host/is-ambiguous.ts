import type { IncomingMessage } from 'node:http'

/**
 * Returns whether a proxy in front of the host can understand a request differently, although Node accepts it: a request with
 * more than one `Host` header (RFC 9112 §3.2), or with a transfer coding other than `chunked`, which Node does not decode
 * (RFC 9112 §6.1).
 */
export function isAmbiguous({ rawHeaders }: Pick<IncomingMessage, 'rawHeaders'>): boolean {
  let hostCount = 0
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]?.toLowerCase()
    if (name === 'host') hostCount += 1
    else if (name === 'transfer-encoding' && rawHeaders[index + 1]?.toLowerCase() !== 'chunked') return true
  }
  return hostCount > 1
}
