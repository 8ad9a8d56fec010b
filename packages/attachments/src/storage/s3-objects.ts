import { CopyObjectCommand, HeadObjectCommand } from '@aws-sdk/client-s3'
import type { StorageConfig } from '../config.ts'
import type { SealRequest, StagedObject } from './object-storage.ts'
import { createS3Client } from './s3-client.ts'
import { httpStatusOf, storageUnavailable } from './store-failure.ts'

/** Where a client's upload lands. Keys hold the id and nothing of the file. */
export const stagingKey = (id: string): string => `uploads/${id}`

/** Where sealed bytes are. No URL to write here is ever signed. */
export const sealedKey = (id: string): string => `attachments/${id}`

/** What a copy may do to an object that is at the final key already. */
export type CopyMode = 'create' | 'replace'

/** The two requests the service makes itself, each with its deadline, failures as attachments.storage_unavailable. */
export interface ObjectCalls {
  /** `null` when there is no such object. */
  head(key: string, signal: AbortSignal): Promise<StagedObject | null>
  /** Copies the staged object as it was checked; returns the copy's ETag, or `null` when a condition did not hold. */
  copy(request: SealRequest, mode: CopyMode, signal: AbortSignal): Promise<string | null>
}

export function createObjectCalls(config: StorageConfig): ObjectCalls {
  const { bucket, requestTimeoutMs } = config
  const endpoint = config.internalEndpoint
  const reader = createS3Client(config, { endpoint, maxAttempts: 3 })
  // A copy is tried once: of one whose answer was lost, the store may still be at work while a second one is verified.
  const copier = createS3Client(config, { endpoint, maxAttempts: 1 })
  const deadline = (signal: AbortSignal) => ({
    abortSignal: AbortSignal.any([signal, AbortSignal.timeout(requestTimeoutMs)]),
  })

  return {
    async head(key, signal) {
      try {
        const found = await reader.send(new HeadObjectCommand({ Bucket: bucket, Key: key }), deadline(signal))
        return describe(found)
      } catch (error) {
        if (httpStatusOf(error) === 404) return null
        throw storageUnavailable('HeadObject', error)
      }
    },
    async copy({ id, etag, contentType }, mode, signal) {
      const command = new CopyObjectCommand({
        Bucket: bucket,
        Key: sealedKey(id),
        CopySource: `${bucket}/${stagingKey(id)}`,
        CopySourceIfMatch: `"${etag}"`,
        ...(mode === 'create' ? { IfNoneMatch: '*' } : {}),
        // Leaves behind every header the uploader sent along: encodings, dispositions, caching, metadata.
        MetadataDirective: 'REPLACE',
        ContentType: contentType,
      })
      try {
        const { CopyObjectResult: copied } = await copier.send(command, deadline(signal))
        return requireETag(copied?.ETag)
      } catch (error) {
        // 404 with S3's own code: the upload that was there a moment ago is not.
        if (httpStatusOf(error) === 412 || (error instanceof Error && error.name === 'NoSuchKey')) return null
        throw storageUnavailable('CopyObject', error)
      }
    },
  }
}

interface HeadAnswer {
  readonly ETag?: string | undefined
  readonly ContentLength?: number | undefined
  readonly ContentType?: string | undefined
}

/** An object of unknown size or without an ETag cannot be checked: that is the store's failure, not a size of 0. */
function describe({ ETag, ContentLength: sizeBytes, ContentType }: HeadAnswer): StagedObject {
  if (sizeBytes === undefined) throw incomplete('NO_CONTENT_LENGTH')
  return { etag: requireETag(ETag), sizeBytes, contentType: ContentType ?? '' }
}

/** Without quotes: Ceph's gateway leaves them out of the result of a copy. */
function requireETag(header: string | undefined): string {
  const etag = header?.replace(/^(?:W\/)?"(.*)"$/, '$1') ?? ''
  if (etag === '') throw incomplete('NO_ETAG')
  return etag
}

const incomplete = (code: string): Error =>
  Object.assign(new Error('The store left out what an answer must have.'), { code })
