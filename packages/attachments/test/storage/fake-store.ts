import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished } from 'vitest'
import type { ObjectStorage } from '../../src/storage/object-storage.ts'
import { createS3Storage } from '../../src/storage/s3-storage.ts'
import { bucket, credentials } from '../harness.ts'

/** Storage over the store at this address, with the credentials of the tests. */
export const storageAt = (url: string, requestTimeoutMs = 30_000): ObjectStorage =>
  createS3Storage({
    config: {
      internalEndpoint: url,
      publicEndpoint: url,
      region: 'us-east-1',
      bucket,
      accessKey: credentials.accessKeyId,
      secretKey: credentials.secretAccessKey,
      requestTimeoutMs,
    },
    uploadLifetimeMs: 600_000,
    downloadLifetimeMs: 180_000,
    now: Date.now,
  })

/** Storage over a server that answers like this, since no real store can be made to. The server closes with the test. */
export async function openFakeStore(
  answer: RequestListener,
  requestTimeoutMs?: number,
): Promise<ObjectStorage> {
  const server = createServer(answer)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return storageAt(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, requestTimeoutMs)
}

/** The refusal after a store has failed, with these words of its cause. */
export const unavailable = (message: string, { isInDoubt }: { readonly isInDoubt: boolean }) =>
  expect.objectContaining({
    code: 'attachments.storage_unavailable',
    cause: expect.objectContaining({ message: expect.stringContaining(message), isInDoubt }),
  })
