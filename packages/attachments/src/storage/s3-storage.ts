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

/** The key of an upload. Keys contain the id, but no data of the file. */
const stagingKey = (id: string): string => `uploads/${id}`

/** The key of the sealed bytes. The service never signs a URL that can write here. */
const sealedKey = (id: string): string => `attachments/${id}`

/** The calls of a normal completion: head of the upload, copy, head of the copy. */
const callsPerCompletion = 3

/**
 * Creates the storage over the S3 protocol. The service calls the internal endpoint and signs URLs for the public one.
 * It never calls the public endpoint and never reveals the internal one. Each call has a deadline.
 */
export function createS3Storage(options: S3StorageOptions): ObjectStorage {
  const { config } = options
  const { bucket: Bucket, requestTimeoutMs, internalEndpoint: endpoint } = config
  const signer = createS3Client(config, { endpoint: config.publicEndpoint, maxAttempts: 1 })
  const reader = createS3Client(config, { endpoint, maxAttempts: 3 })
  // Never retry a copy: if its answer was lost, the store may still execute it after a second copy is verified.
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
      // By default, the presigner does not sign the content type, so the uploader could send any other.
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

/** Returns `null` if the object does not exist. */
async function headObject(
  client: S3Client,
  input: { readonly Bucket: string; readonly Key: string },
  deadline: Deadline,
): Promise<StagedObject | null> {
  try {
    const { ETag, ContentLength, ContentType } = await client.send(new HeadObjectCommand(input), deadline)
    // An object without a size or an ETag cannot be checked. Treat this as a failure of the store, not as size 0.
    if (ContentLength === undefined) throw incompleteAnswer('NO_CONTENT_LENGTH')
    return { etag: requireETag(ETag), sizeBytes: ContentLength, contentType: ContentType ?? '' }
  } catch (error) {
    if (httpStatusOf(error) === 404) return null
    throw storageUnavailable('HeadObject', error)
  }
}

/** The request headers for each copy mode. */
const conditions: Readonly<Record<CopyMode, object>> = { create: { IfNoneMatch: '*' }, replace: {} }

/** Builds the request that copies the checked upload. */
const copyOf = (bucket: string, { id, etag, contentType }: SealRequest) => ({
  Bucket: bucket,
  Key: sealedKey(id),
  CopySource: `${bucket}/${stagingKey(id)}`,
  CopySourceIfMatch: `"${etag}"`,
  // Drops all other headers of the upload: encodings, dispositions, caching, metadata.
  MetadataDirective: 'REPLACE' as const,
  ContentType: contentType,
})

/** Returns the ETag of the copy, or `null` if a condition failed. */
async function copyObject(
  client: S3Client,
  input: ReturnType<typeof copyOf>,
  deadline: Deadline,
): Promise<string | null> {
  try {
    const { CopyObjectResult: copied } = await client.send(new CopyObjectCommand(input), deadline)
    return requireETag(copied?.ETag)
  } catch (error) {
    // 404 with this S3 code: the upload disappeared after it was checked.
    if (httpStatusOf(error) === 412 || (error instanceof Error && error.name === 'NoSuchKey')) return null
    throw storageUnavailable('CopyObject', error)
  }
}

/** Removes the quotes, because Ceph's gateway omits them in the result of a copy. */
function requireETag(header: string | undefined): string {
  const etag = header?.replace(/^(?:W\/)?"(.*)"$/, '$1') ?? ''
  if (etag === '') throw incompleteAnswer('NO_ETAG')
  return etag
}

/** Signature dates have whole seconds, so the validity starts at the last full second. */
function validity(nowMs: number, lifetimeMs: number) {
  const signedAtMs = Math.floor(nowMs / 1000) * 1000
  return {
    signing: { signingDate: new Date(signedAtMs), expiresIn: lifetimeMs / 1000 },
    expiresAtUtc: new Date(signedAtMs + lifetimeMs).toISOString(),
  }
}
