import {
  CopyObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  PutObjectCommand,
  type S3Client,
} from '@aws-sdk/client-s3'
import { getSignedUrl } from '@aws-sdk/s3-request-presigner'
import type { StorageConfig } from '../config.ts'
import { attachmentDisposition } from './content-disposition.ts'
import type { ObjectStorage, SealRequest, StagedObject } from './object-storage.ts'
import { putObject } from './put-object.ts'
import { createS3Client } from './s3-client.ts'
import { type CopyMode, sealObject } from './seal-object.ts'
import { httpStatusOf, incompleteAnswer, storageUnavailable } from './store-failure.ts'

export interface S3StorageOptions {
  readonly config: StorageConfig
  readonly uploadLifetimeMs: number
  readonly downloadLifetimeMs: number
  readonly now: () => number
}

/** Where a client's upload lands. Keys hold the id and nothing of the file. */
const stagingKey = (id: string): string => `uploads/${id}`

/** Where sealed bytes are. No URL to write here is ever signed. */
const sealedKey = (id: string): string => `attachments/${id}`

/** The calls of a completion that meets nothing unusual: describe the upload, copy it, describe the copy. */
const callsPerCompletion = 3

/**
 * Storage over the S3 protocol. The internal endpoint acts, the public one only signs: what is signed for a browser
 * is never called from here, and what is called from here is never shown. Each call has a deadline.
 */
export function createS3Storage(options: S3StorageOptions): ObjectStorage {
  const { config } = options
  const { bucket: Bucket, requestTimeoutMs, internalEndpoint: endpoint } = config
  const signer = createS3Client(config, { endpoint: config.publicEndpoint, maxAttempts: 1 })
  const reader = createS3Client(config, { endpoint, maxAttempts: 3 })
  // A copy is tried once: of one whose answer was lost, the store may still be at work while a second one is verified.
  const writer = createS3Client(config, { endpoint, maxAttempts: 1 })
  const deadline = (signal: AbortSignal) => ({
    abortSignal: AbortSignal.any([signal, AbortSignal.timeout(requestTimeoutMs)]),
  })
  const head = (Key: string, signal: AbortSignal) => headObject(reader, { Bucket, Key }, deadline(signal))

  return {
    completionBudgetMs: callsPerCompletion * requestTimeoutMs,
    async signPut({ id, contentType }) {
      const { signing, expiresAtUtc } = validity(options.now(), options.uploadLifetimeMs)
      const command = new PutObjectCommand({ Bucket, Key: stagingKey(id), ContentType: contentType })
      // Unless asked, the presigner leaves the content type out of the signature and so up to the uploader.
      const url = await getSignedUrl(signer, command, {
        ...signing,
        signableHeaders: new Set(['content-type']),
      })
      return { url, headers: { 'Content-Type': contentType }, expiresAtUtc }
    },
    head: (id, signal) => head(stagingKey(id), signal),
    seal: (request, lease) =>
      sealObject(request, lease, {
        copy: (mode) =>
          copyObject(writer, { ...copyOf(Bucket, request), ...conditions[mode] }, deadline(lease.signal)),
        head: () => head(sealedKey(request.id), lease.signal),
      }),
    put: ({ id, contentType, sizeBytes, body }, signal) =>
      putObject(
        writer,
        {
          Bucket,
          Key: sealedKey(id),
          ContentType: contentType,
          ContentLength: sizeBytes,
          IfNoneMatch: '*',
          Body: body,
        },
        { silenceMs: requestTimeoutMs, signal },
      ),
    async signGet({ id, fileName }) {
      const { signing, expiresAtUtc } = validity(options.now(), options.downloadLifetimeMs)
      const command = new GetObjectCommand({
        Bucket,
        Key: sealedKey(id),
        ResponseContentDisposition: attachmentDisposition(fileName),
        ResponseContentType: 'application/octet-stream',
        ResponseCacheControl: 'no-store',
      })
      return { url: await getSignedUrl(signer, command, signing), expiresAtUtc }
    },
  }
}

interface Deadline {
  readonly abortSignal: AbortSignal
}

/** `null` when there is no such object. */
async function headObject(
  client: S3Client,
  input: { readonly Bucket: string; readonly Key: string },
  deadline: Deadline,
): Promise<StagedObject | null> {
  try {
    const { ETag, ContentLength, ContentType } = await client.send(new HeadObjectCommand(input), deadline)
    // An object of unknown size or without an ETag cannot be checked: that is the store's failure, not a size of 0.
    if (ContentLength === undefined) throw incompleteAnswer('NO_CONTENT_LENGTH')
    return { etag: requireETag(ETag), sizeBytes: ContentLength, contentType: ContentType ?? '' }
  } catch (error) {
    if (httpStatusOf(error) === 404) return null
    throw storageUnavailable('HeadObject', error)
  }
}

/** What a copy may do to an object that is at the final key already. */
const conditions: Readonly<Record<CopyMode, object>> = { create: { IfNoneMatch: '*' }, replace: {} }

/** A copy of the staged object as it was checked. */
const copyOf = (bucket: string, { id, etag, contentType }: SealRequest) => ({
  Bucket: bucket,
  Key: sealedKey(id),
  CopySource: `${bucket}/${stagingKey(id)}`,
  CopySourceIfMatch: `"${etag}"`,
  // Leaves behind every header the uploader sent along: encodings, dispositions, caching, metadata.
  MetadataDirective: 'REPLACE' as const,
  ContentType: contentType,
})

/** Returns the copy's ETag, or `null` when a condition did not hold. */
async function copyObject(
  client: S3Client,
  input: ReturnType<typeof copyOf>,
  deadline: Deadline,
): Promise<string | null> {
  try {
    const { CopyObjectResult: copied } = await client.send(new CopyObjectCommand(input), deadline)
    return requireETag(copied?.ETag)
  } catch (error) {
    // 404 with S3's own code: the upload that was there a moment ago is not.
    if (httpStatusOf(error) === 412 || (error instanceof Error && error.name === 'NoSuchKey')) return null
    throw storageUnavailable('CopyObject', error)
  }
}

/** Without quotes: Ceph's gateway leaves them out of the result of a copy. */
function requireETag(header: string | undefined): string {
  const etag = header?.replace(/^(?:W\/)?"(.*)"$/, '$1') ?? ''
  if (etag === '') throw incompleteAnswer('NO_ETAG')
  return etag
}

/** A signature's date has whole seconds, so the end of its validity is counted from the second it begins in. */
function validity(nowMs: number, lifetimeMs: number) {
  const signedAtMs = Math.floor(nowMs / 1000) * 1000
  return {
    signing: { signingDate: new Date(signedAtMs), expiresIn: lifetimeMs / 1000 },
    expiresAtUtc: new Date(signedAtMs + lifetimeMs).toISOString(),
  }
}
