import type { IncomingMessage, RequestListener } from 'node:http'
import { newId } from '@vertical-kit/core-audit'
import { expect, test } from 'vitest'
import { openFakeStore, unavailable } from './fake-store.ts'

const chunkBytes = 64 * 1024

/** Returns a file of `chunkCount` chunks. Calls `onChunk` before each chunk. `ended` resolves when the body is closed. */
function fileOf(chunkCount: number, onChunk: () => void = () => {}) {
  const ended = Promise.withResolvers<void>()
  async function* produce() {
    try {
      for (let count = 0; count < chunkCount; count += 1) {
        onChunk()
        yield new Uint8Array(chunkBytes)
      }
    } finally {
      ended.resolve()
    }
  }
  const sizeBytes = chunkCount * chunkBytes
  return { id: newId(), contentType: 'text/plain', sizeBytes, body: produce(), ended: ended.promise }
}

test('put reads a large file only as fast as the store accepts it', async () => {
  let producedCount = 0
  let receivedBytes = 0
  let mostInFlight = 0
  const storage = await openFakeStore((request, response) => {
    request.on('data', (data: Buffer) => {
      receivedBytes += data.length
    })
    request.on('end', () => response.writeHead(200, { ETag: '"a"' }).end())
  })
  const file = fileOf(2_000, () => {
    producedCount += 1
    mostInFlight = Math.max(mostInFlight, producedCount - receivedBytes / chunkBytes)
  })
  await storage.put(file)
  expect(receivedBytes).toBe(file.sizeBytes)
  // The file has 2000 chunks. Most unreceived chunks are in the socket buffers of the kernel, at most 10 MiB on Linux.
  expect(mostInFlight).toBeLessThan(200)
})

test('if the store stops accepting bytes, put fails and stops reading the body', async () => {
  const storage = await openFakeStore((request) => void request.pause(), 500)
  let producedCount = 0
  const file = fileOf(5_000, () => {
    producedCount += 1
  })
  await expect(storage.put(file)).rejects.toThrow(unavailable('PutObject failed: AbortError'))
  expect(producedCount).toBeLessThan(300)
})

test.each<[string, RequestListener, string]>([
  ['closes the connection', (request) => void request.socket.destroy(), 'PutObject failed: '],
  ['rejects the request', (_request, response) => void response.writeHead(403).end(), '(HTTP 403)'],
  ['reports an existing object', (_request, response) => void response.writeHead(412).end(), '(HTTP 412)'],
  ['does not support conditions', (_request, response) => void response.writeHead(501).end(), '(HTTP 501)'],
  ['sends a redirect', (_request, response) => void response.writeHead(307).end(), '(HTTP 307)'],
])(
  'if the store %s before the body ends, put stops reading the body and does not retry',
  async (_how, answer, message) => {
    let requestCount = 0
    const storage = await openFakeStore((request, response) => {
      requestCount += 1
      answer(request, response)
    })
    let producedCount = 0
    const file = fileOf(5_000, () => {
      producedCount += 1
    })
    await expect(storage.put(file)).rejects.toThrow(unavailable(message))
    await file.ended
    expect(requestCount).toBe(1)
    expect(producedCount).toBeLessThan(300)
  },
)

test.each<[string, RequestListener, string]>([
  [
    'before it has the whole body',
    (_, response) => void response.writeHead(200, { ETag: '"a"' }).end(),
    'EARLY_ANSWER',
  ],
  [
    'without an ETag',
    (request, response) =>
      void request.resume().on('end', () => response.writeHead(200).end('<html></html>')),
    'NO_ETAG',
  ],
  [
    'without content',
    (request, response) => void request.resume().on('end', () => response.writeHead(204).end()),
    'NO_ETAG',
  ],
])('if the store answers with success %s, put fails', async (_how, answer, message) => {
  const storage = await openFakeStore(answer)
  await expect(storage.put(fileOf(500))).rejects.toThrow(unavailable(message))
})

test('a body of one large chunk is sent to a slow store as long as the store accepts bytes', async () => {
  const limitMs = 500
  const storage = await openFakeStore((request, response) => {
    // Accepts a file of 32 MiB in at least 600 ms.
    const reading = setInterval(() => request.read(512 * 1024), 10)
    request.on('end', () => {
      clearInterval(reading)
      response.writeHead(200, { ETag: '"a"' }).end()
    })
  }, limitMs)
  const body = new Uint8Array(32 * 1024 ** 2)
  async function* whole() {
    yield body
  }
  await storage.put({ id: newId(), contentType: 'text/plain', sizeBytes: body.byteLength, body: whole() })
})

test('put sends the length, the content type and the condition that no object exists at the key', async () => {
  const received = Promise.withResolvers<IncomingMessage>()
  const storage = await openFakeStore((request, response) => {
    received.resolve(request)
    request.resume().on('end', () => response.writeHead(200, { ETag: '"a"' }).end())
  })
  const file = fileOf(1)
  await storage.put(file)
  const { method, url, headers } = await received.promise
  expect([method, url?.split('?')[0]]).toEqual(['PUT', `/vertical-kit-attachments/attachments/${file.id}`])
  expect(headers).toMatchObject({
    'content-length': String(chunkBytes),
    'content-type': 'text/plain',
    'if-none-match': '*',
  })
})
