import type { IncomingMessage, RequestListener } from 'node:http'
import { newId } from '@vertical-kit/core-audit'
import { expect, test } from 'vitest'
import { openFakeStore, unavailable } from './fake-store.ts'

const chunkBytes = 64 * 1024

/** Returns a file of `chunkCount` chunks. Calls `onChunk` before each. `ended` resolves when the source ends or stops. */
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

test('a large file is read as fast as the store accepts it, with few chunks in memory', async () => {
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
  // The file has 2000 chunks. Most chunks in flight are in the socket buffers of the kernel, up to 10 MiB on Linux.
  expect(mostInFlight).toBeLessThan(200)
})

test('if the store stops accepting bytes, the upload fails and the source is no longer read', async () => {
  const storage = await openFakeStore((request) => void request.pause(), 500)
  let producedCount = 0
  const file = fileOf(5_000, () => {
    producedCount += 1
  })
  await expect(storage.put(file)).rejects.toThrow(
    unavailable('PutObject failed: AbortError', { isInDoubt: false }),
  )
  expect(producedCount).toBeLessThan(300)
})

test.each<[string, RequestListener, string]>([
  ['closes the connection', (request) => void request.socket.destroy(), 'PutObject failed: '],
  ['rejects the service', (_request, response) => void response.writeHead(403).end(), '(HTTP 403)'],
  ['has an object at the key', (_request, response) => void response.writeHead(412).end(), '(HTTP 412)'],
  ['does not support conditions', (_request, response) => void response.writeHead(501).end(), '(HTTP 501)'],
  ['redirects the service', (_request, response) => void response.writeHead(307).end(), '(HTTP 307)'],
])(
  'if the store %s before the body ends, the request is not retried and the source stops',
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
    await expect(storage.put(file)).rejects.toThrow(unavailable(message, { isInDoubt: false }))
    await file.ended
    expect(requestCount).toBe(1)
    expect(producedCount).toBeLessThan(300)
  },
)

test('the request contains length, content type and the condition that the key is empty', async () => {
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
