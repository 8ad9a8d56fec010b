import type { IncomingMessage, ServerResponse } from 'node:http'
import { maxDiscardedBytes } from '../http/body.ts'

/**
 * Limits the discarded bytes of a body that the application answers without reading to its end. Node discards them, so that
 * small rests do not block the next request of the connection. Beyond the limit, the server stops reading: the client can still
 * read the answer, and the adapter closes the connection after half a second.
 */
export function limitUnreadBody(request: IncomingMessage, response: ServerResponse): void {
  response.once('prefinish', () => {
    if (request.complete) return
    let discardedBytes = 0
    // Without a read, Node discards the body without emitting `data`, so neither this function nor the adapter could count.
    request.read(0)
    request.on('data', (chunk: Buffer) => {
      discardedBytes += chunk.byteLength
      if (discardedBytes > maxDiscardedBytes) request.pause()
    })
  })
}
