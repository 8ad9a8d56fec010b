import { PutObjectCommand } from '@aws-sdk/client-s3'
import type { AuditAnchor } from '@vertical-kit/core-audit/audit'
import { observeCalls } from './observe-calls.ts'
import { createS3Client } from './s3-client.ts'
import type { S3StorageOptions } from './s3-storage.ts'
import { isConditionFailed, requireETag, storageUnavailable } from './store-failure.ts'

/** Stores an anchor of the audit log. Storing it again changes nothing. */
export type StoreAnchor = (anchor: AuditAnchor) => Promise<void>

/**
 * Returns a function that stores each anchor as an object of less than 100 bytes. Its key contains the hash, so an anchor
 * never replaces another one.
 */
export function anchorStore({
  config,
  signingNow,
}: Pick<S3StorageOptions, 'config' | 'signingNow'>): StoreAnchor {
  const { bucket: Bucket, internalEndpoint: endpoint, requestTimeoutMs } = config
  const client = observeCalls(createS3Client(config, { endpoint, maxAttempts: 3, signingNow }), endpoint)
  return async (anchor) => {
    const input = {
      ...{ Bucket, Key: anchorKey(anchor), Body: `${anchor.text}\n` },
      ...{ ContentType: 'text/plain', IfNoneMatch: '*' },
    }
    try {
      const abortSignal = AbortSignal.timeout(requestTimeoutMs)
      const { ETag } = await client.send(new PutObjectCommand(input), { abortSignal })
      requireETag(ETag)
    } catch (error) {
      // Another host has stored the anchor.
      if (isConditionFailed(error)) return
      throw storageUnavailable('PutObject', error)
    }
  }
}

/** Pads the number, so that a list of the bucket is in order. */
const anchorKey = ({ sequence, hash }: AuditAnchor): string =>
  `audit-anchors/${String(sequence).padStart(12, '0')}-${hash}`
