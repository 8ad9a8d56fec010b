import type { ServerResponse } from 'node:http'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'

/** A response to send. For a stream, the headers must contain its `Content-Length`. */
export interface Reply {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string | Readable
}

/** Sends a reply. Rejects if the client disconnects before the end of a stream. */
export async function sendReply(
  response: ServerResponse,
  { status, headers, body = '' }: Reply,
): Promise<void> {
  if (typeof body === 'string') {
    // RFC 9110 §8.6: a 304 response must contain the length of the object or no length.
    const length = status === 304 ? {} : { 'Content-Length': String(Buffer.byteLength(body)) }
    response.writeHead(status, { ...length, ...headers }).end(body)
  } else {
    response.writeHead(status, headers)
    await pipeline(body, response)
  }
}
