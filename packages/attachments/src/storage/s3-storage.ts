import { Readable } from 'node:stream'
import {
  CopyObjectCommand,
  GetObjectCommand,
  type GetObjectCommandInput,
  HeadObjectCommand,
  PutObjectCommand,
  type S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3'
import { getSignedUrl } from '@aws-sdk/s3-request-presigner'
import type { StorageConfig } from '../config.ts'
import { attachmentDisposition } from './content-disposition.ts'
import { createMultipart, joinParts, listParts } from './multipart.ts'
import { directKey, sealedKey, stagingKey } from './object-keys.ts'
import type { ObjectStorage, PartsUpload, SealRequest, StagedObject } from './object-storage.ts'
import { observeCalls } from './observe-calls.ts'
import { putObject } from './put-object.ts'
import { readObject } from './read-object.ts'
import { createS3Client } from './s3-client.ts'
import {
  httpStatusOf,
  incompleteAnswer,
  isConditionFailed,
  requireETag,
  storageUnavailable,
} from './store-failure.ts'

export interface S3StorageOptions {
  readonly config: StorageConfig
  readonly uploadLifetimeMs: number
  readonly downloadLifetimeMs: number
  /** Returns the time of the database, in milliseconds since 1970. */
  readonly now: () => number
  /** Returns the time with which the store accepts signatures, in milliseconds since 1970. */
  readonly signingNow: () => number
}

/**
 * Creates the storage for an S3-compatible store. The service calls only the internal endpoint. All signed URLs use the
 * public endpoint, so clients never see the internal endpoint. Each call has a deadline; that of a copy grows with its size.
 */
export function createS3Storage(options: S3StorageOptions): ObjectStorage {
  const { config, now, signingNow } = options
  const { bucket: Bucket, requestTimeoutMs, internalEndpoint: endpoint } = config
  const signer = createS3Client(config, { endpoint: config.publicEndpoint, maxAttempts: 1, signingNow })
  const retrying = observeCalls(createS3Client(config, { endpoint, maxAttempts: 3, signingNow }), endpoint)
  // Never retry a copy: if its response is lost, the store may execute the first copy after the retry was verified.
  const once = observeCalls(createS3Client(config, { endpoint, maxAttempts: 1, signingNow }), endpoint)
  // Files of server code have connections of their own, because a source that stalls holds one.
  const sending = observeCalls(createS3Client(config, { endpoint, maxAttempts: 1, signingNow }), endpoint)
  const deadline = (extraMs = 0): Deadline => ({
    abortSignal: AbortSignal.timeout(requestTimeoutMs + extraMs),
  })
  const validity = (lifetimeMs: number) => ({
    signing: { signingDate: new Date(fullSecond(signingNow())), expiresIn: lifetimeMs / 1000 },
    expiresAtUtc: new Date(fullSecond(now()) + lifetimeMs).toISOString(),
  })
  const head = (Key: string) => headObject(retrying, { Bucket, Key }, deadline())
  const inStore = ({ id, uploadId }: PartsUpload) => ({ Bucket, Key: directKey(id), UploadId: uploadId })

  return {
    async signPut({ id, contentType, sha256 = null }) {
      const { signing, expiresAtUtc } = validity(options.uploadLifetimeMs)
      const command = new PutObjectCommand({
        ...{ Bucket, Key: stagingKey(id), ContentType: contentType },
        ...(sha256 !== null && { ChecksumSHA256: sha256 }),
      })
      // By default, the presigner does not sign the content type, so the uploader could send a different type.
      const url = await getSignedUrl(signer, command, {
        ...signing,
        signableHeaders: new Set(['content-type', checksumHeader]),
        // By default, the presigner moves this header into the query, where not every store verifies it.
        unhoistableHeaders: new Set([checksumHeader]),
      })
      const headers = { 'Content-Type': contentType, ...(sha256 !== null && { [checksumHeader]: sha256 }) }
      return { url, headers, expiresAtUtc }
    },
    head: (id) => head(stagingKey(id)),
    async seal(checked) {
      const copiedETag = await copyObject(once, copyOf(Bucket, checked), deadline(copyMs(checked)))
      if (copiedETag !== checked.etag) return 'changed'
      // Some stores ignore the conditions of a copy, so the copy itself decides.
      const sealed = await head(sealedKey(checked))
      return sealed?.etag === checked.etag && sealed.sizeBytes === checked.sizeBytes ? 'sealed' : 'changed'
    },
    startParts: ({ id, contentType }) =>
      createMultipart(
        retrying,
        { Bucket, Key: directKey(id), ContentType: contentType },
        deadline().abortSignal,
      ),
    async signPart({ partNumber, sizeBytes, ...upload }) {
      const { signing, expiresAtUtc } = validity(options.uploadLifetimeMs)
      const part = { PartNumber: partNumber, ContentLength: sizeBytes }
      // With a signed length, a part cannot be larger than declared. But some stores execute headers that are not signed, so a part
      // could be a copy of another object (`x-amz-copy-source`). Ceph 16 refuses such a part, because it adds the copied bytes to
      // the length. MinIO executes it: there, a proxy must remove the header. `doctor` tries it.
      const url = await getSignedUrl(signer, new UploadPartCommand({ ...inStore(upload), ...part }), {
        ...signing,
        signableHeaders: new Set(['content-length']),
      })
      return { url, headers: {}, expiresAtUtc }
    },
    listParts: (upload) => listParts(retrying, inStore(upload), deadline().abortSignal),
    // A store may assemble the file while it joins the parts.
    joinParts: ({ parts, sizeBytes, ...upload }) =>
      joinParts(retrying, { ...inStore(upload), parts }, deadline(copyMs({ sizeBytes })).abortSignal),
    headJoined: (id) => head(directKey(id)),
    put: ({ id, contentType, sizeBytes, body }, signal) =>
      putObject(
        sending,
        {
          Bucket,
          Key: directKey(id),
          ContentType: contentType,
          ContentLength: sizeBytes,
          IfNoneMatch: '*',
          Body: body,
        },
        { silenceMs: requestTimeoutMs, signal },
      ),
    read: (sealed, signal) => readObject(retrying, { Bucket, Key: sealedKey(sealed) }, signal),
    async signGet({ fileName, ...sealed }) {
      const { signing, expiresAtUtc } = validity(options.downloadLifetimeMs)
      const command = new GetObjectCommand({
        Bucket,
        Key: sealedKey(sealed),
        ResponseContentDisposition: attachmentDisposition(fileName),
        ResponseContentType: 'application/octet-stream',
        ResponseCacheControl: 'no-store',
      })
      return { url: await getSignedUrl(signer, command, signing), expiresAtUtc }
    },
  }
}

/** The header with the SHA-256 of the body in base64. S3 rejects a body with another hash; Ceph 16 ignores the header. */
export const checksumHeader = 'x-amz-checksum-sha256'

/** A slow rate at which a store copies, in bytes per millisecond: 16 MiB per second. */
const slowestCopyRate = (16 * 1024 ** 2) / 1_000

/**
 * Returns the time that a slow store needs to copy an upload, in milliseconds. A copy whose deadline has passed is repeated from
 * its beginning, so without this time a large upload could never be completed.
 */
export const copyMs = ({ sizeBytes }: Pick<SealRequest, 'sizeBytes'>): number =>
  Math.ceil(sizeBytes / slowestCopyRate)

interface Deadline {
  readonly abortSignal: AbortSignal
}

/** Returns the metadata of an object, or `null` if the object does not exist. */
async function headObject(
  client: S3Client,
  input: { readonly Bucket: string; readonly Key: string },
  deadline: Deadline,
): Promise<StagedObject | null> {
  try {
    const { ETag, ContentLength, ContentType } = await client.send(new HeadObjectCommand(input), deadline)
    // An object cannot be checked without its size and ETag. Treat a missing value as a failed store, not as size 0.
    if (ContentLength === undefined) throw incompleteAnswer('NO_CONTENT_LENGTH')
    return { etag: requireETag(ETag), sizeBytes: ContentLength, contentType: ContentType ?? '' }
  } catch (error) {
    if (httpStatusOf(error) === 404 && (await isMissing(client, input, deadline))) return null
    throw storageUnavailable('HeadObject', error)
  }
}

/**
 * Returns whether the store itself reports that the object does not exist. A response to HEAD has no body with a code, so its
 * status 404 can also be that of a proxy, or mean that the bucket is missing.
 */
async function isMissing(
  client: S3Client,
  input: GetObjectCommandInput,
  deadline: Deadline,
): Promise<boolean> {
  try {
    const { Body } = await client.send(new GetObjectCommand(input), deadline)
    if (Body instanceof Readable) Body.destroy()
    return false
  } catch (error) {
    return error instanceof Error && error.name === 'NoSuchKey'
  }
}

/** Builds the request that copies the checked upload. AWS checks both conditions; Ceph's gateway ignores them. */
const copyOf = (bucket: string, { etag, contentType, ...sealed }: SealRequest) => ({
  Bucket: bucket,
  Key: sealedKey(sealed),
  CopySource: `${bucket}/${stagingKey(sealed.id)}`,
  CopySourceIfMatch: `"${etag}"`,
  IfNoneMatch: '*',
  // The copy does not keep other headers of the upload, such as encoding, disposition, caching and metadata.
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
    // The store answers 404 with the code NoSuchKey if the upload was removed after the check.
    if (isConditionFailed(error) || (error instanceof Error && error.name === 'NoSuchKey')) return null
    throw storageUnavailable('CopyObject', error)
  }
}

/** Signature dates have no milliseconds. */
const fullSecond = (ms: number): number => Math.floor(ms / 1000) * 1000
