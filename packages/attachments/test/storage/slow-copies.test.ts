import { newId } from '@vertical-kit/core-audit'
import { expect, test } from 'vitest'
import { openFakeStore } from './fake-store.ts'

test('many slow copies delay neither each other nor the other calls', async () => {
  const copyCount = 100
  let copying = 0
  const allCopy = Promise.withResolvers<void>()
  const storage = await openFakeStore((request, response) => {
    if (request.method === 'HEAD') {
      response.writeHead(200, { ETag: '"etag"', 'Content-Length': '3' }).end()
      return
    }
    copying += 1
    if (copying === copyCount) allCopy.resolve()
  })
  for (let n = 0; n < copyCount; n += 1) {
    const copy = { id: newId(), sealAttempt: 1, etag: 'etag', sizeBytes: 3, contentType: 'text/plain' }
    storage.seal(copy).catch(() => {})
  }
  await allCopy.promise
  expect(await storage.head(newId())).toMatchObject({ sizeBytes: 3 })
})
