import { GetObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3'
import { getSignedUrl } from '@aws-sdk/s3-request-presigner'
import type { StorageConfig } from '../config.ts'
import { attachmentDisposition } from './content-disposition.ts'
import type { ObjectStorage } from './object-storage.ts'
import { createS3Client } from './s3-client.ts'
import { createObjectCalls, sealedKey, stagingKey } from './s3-objects.ts'
import { sealObject } from './seal-object.ts'

export interface S3StorageOptions {
  readonly config: StorageConfig
  readonly uploadLifetimeMs: number
  readonly downloadLifetimeMs: number
  readonly now: () => number
}

/** The calls of a completion that meets nothing unusual: describe the upload, copy it, describe the copy. */
const callsPerCompletion = 3

/**
 * Storage over the S3 protocol. The internal endpoint acts, the public one only signs: what is signed for a browser
 * is never called from here, and what is called from here is never shown.
 */
export function createS3Storage(options: S3StorageOptions): ObjectStorage {
  const { config } = options
  const objects = createObjectCalls(config)
  const signer = createS3Client(config, { endpoint: config.publicEndpoint, maxAttempts: 1 })
  const bucket = config.bucket

  return {
    completionBudgetMs: callsPerCompletion * config.requestTimeoutMs,
    async signPut({ id, contentType }) {
      const { signing, expiresAtUtc } = validity(options.now(), options.uploadLifetimeMs)
      const command = new PutObjectCommand({ Bucket: bucket, Key: stagingKey(id), ContentType: contentType })
      // Unless asked, the presigner leaves the content type out of the signature and so up to the uploader.
      const url = await getSignedUrl(signer, command, {
        ...signing,
        signableHeaders: new Set(['content-type']),
      })
      return { url, headers: { 'Content-Type': contentType }, expiresAtUtc }
    },
    head: (id, signal) => objects.head(stagingKey(id), signal),
    seal: (request, turn) => sealObject(objects, request, turn),
    async signGet({ id, fileName }) {
      const { signing, expiresAtUtc } = validity(options.now(), options.downloadLifetimeMs)
      const command = new GetObjectCommand({
        Bucket: bucket,
        Key: sealedKey(id),
        ResponseContentDisposition: attachmentDisposition(fileName),
        ResponseContentType: 'application/octet-stream',
        ResponseCacheControl: 'no-store',
      })
      return { url: await getSignedUrl(signer, command, signing), expiresAtUtc }
    },
  }
}

/** A signature's date has whole seconds, so the end of its validity is counted from the second it begins in. */
function validity(nowMs: number, lifetimeMs: number) {
  const signedAtMs = Math.floor(nowMs / 1000) * 1000
  return {
    signing: { signingDate: new Date(signedAtMs), expiresIn: lifetimeMs / 1000 },
    expiresAtUtc: new Date(signedAtMs + lifetimeMs).toISOString(),
  }
}
