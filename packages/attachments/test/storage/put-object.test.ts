import type { IncomingMessage, RequestListener } from 'node:http'
import { newId } from '@vertical-kit/core-audit'
import { expect, test } from 'vitest'
import { openFakeStore, unavailable } from './fake-store.ts'

const chunkBytes = 64 * 1024

/** A file of so many chunks; calls `onChunk` before each of them. `ended` resolves when the source has ended or was stopped. */
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

test('a large file is read as fast as the store accepts it: few chunks are in memory', async () => {
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
  // Of 2000 chunks. Most of them wait in the kernel's socket buffers, which hold up to 10 MiB on Linux.
  expect(mostInFlight).toBeLessThan(200)
})

test('a store that stops accepting is given up, and the source is read no further', async () => {
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
  ['hangs up', (request) => void request.socket.destroy(), 'PutObject failed: '],
  ['refuses the service', (_request, response) => void response.writeHead(403).end(), '(HTTP 403)'],
  ['has an object at that key', (_request, response) => void response.writeHead(412).end(), '(HTTP 412)'],
  ['does not know conditions', (_request, response) => void response.writeHead(501).end(), '(HTTP 501)'],
  ['sends the service elsewhere', (_request, response) => void response.writeHead(307).end(), '(HTTP 307)'],
])(
  'a store that %s before the body ended is asked once, and the source is stopped',
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

test('the request has its length, its type and the condition that nothing is there', async () => {
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
