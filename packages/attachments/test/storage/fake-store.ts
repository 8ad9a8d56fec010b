import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished } from 'vitest'
import type { ObjectStorage } from '../../src/storage/object-storage.ts'
import { createS3Storage } from '../../src/storage/s3-storage.ts'
import { bucket, credentials } from '../harness.ts'

/** Creates the storage for the store at this URL, with the credentials of the tests. */
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
    signingNow: Date.now,
  })

/** Starts a server that answers like `answer` and returns the storage for this server. Closes the server after the test. */
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

/** Matches a storage_unavailable error. The message of its cause must contain `message`. */
export const unavailable = (message: string) =>
  expect.objectContaining({
    code: 'attachments.storage_unavailable',
    cause: expect.objectContaining({ message: expect.stringContaining(message) }),
  })
