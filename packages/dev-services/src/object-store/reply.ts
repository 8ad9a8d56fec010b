import type { ServerResponse } from 'node:http'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'

/** An answer, decided but not yet sent. A stream comes with its `Content-Length` in the headers. */
export interface Reply {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string | Readable
}

/** Sends a reply. Rejects when the client goes away before the end of a stream. */
export async function sendReply(
  response: ServerResponse,
  { status, headers, body = '' }: Reply,
): Promise<void> {
  if (typeof body === 'string') {
    // A 304 has the length of what it stands for, or none.
    const length = status === 304 ? {} : { 'Content-Length': String(Buffer.byteLength(body)) }
    response.writeHead(status, { ...length, ...headers }).end(body)
  } else {
    response.writeHead(status, headers)
    await pipeline(body, response)
  }
}
