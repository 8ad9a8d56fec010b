import {
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  ListPartsCommand,
  type Part,
  type S3Client,
} from '@aws-sdk/client-s3'
import type { StoredPart } from './object-storage.ts'
import { incompleteAnswer, storageUnavailable } from './store-failure.ts'

/** A multipart upload in the store. */
export interface StoreUpload {
  readonly Bucket: string
  readonly Key: string
  readonly UploadId: string
}

/** Starts a multipart upload and returns its id. */
export async function createMultipart(
  client: S3Client,
  input: { readonly Bucket: string; readonly Key: string; readonly ContentType: string },
  abortSignal: AbortSignal,
): Promise<string> {
  try {
    const { UploadId } = await client.send(new CreateMultipartUploadCommand(input), { abortSignal })
    if (UploadId === undefined || UploadId === '') throw incompleteAnswer('NO_UPLOAD_ID')
    return UploadId
  } catch (error) {
    throw storageUnavailable('CreateMultipartUpload', error)
  }
}

/** Returns the parts that the store has, or `null` if it does not know the upload. */
export async function listParts(
  client: S3Client,
  upload: StoreUpload,
  abortSignal: AbortSignal,
): Promise<readonly StoredPart[] | null> {
  const parts: StoredPart[] = []
  try {
    // The paginator of the SDK never ends with Ceph 16, which names a next page even after the last one.
    for (let after: string | undefined, isLast = false; !isLast; ) {
      const command = new ListPartsCommand({ ...upload, PartNumberMarker: after })
      const page = await client.send(command, { abortSignal })
      // Without this check, the page of a proxy would be an empty list.
      if (page.UploadId !== upload.UploadId) throw incompleteAnswer('NO_LIST')
      parts.push(...(page.Parts ?? []).map(toStoredPart))
      isLast = page.IsTruncated !== true
      if (!isLast && page.NextPartNumberMarker === after) throw incompleteAnswer('NO_MARKER')
      after = page.NextPartNumberMarker
    }
    return parts
  } catch (error) {
    if (isUnknownUpload(error)) return null
    throw storageUnavailable('ListParts', error)
  }
}

/**
 * Joins exactly these parts. Returns `changed` if one of them was replaced, or `unknown` if the store does not know the
 * upload: its parts were joined before.
 */
export async function joinParts(
  client: S3Client,
  upload: StoreUpload & { readonly parts: readonly StoredPart[] },
  abortSignal: AbortSignal,
): Promise<'joined' | 'changed' | 'unknown'> {
  const { parts, ...input } = upload
  const Parts = parts.map(({ partNumber, etag }) => ({ PartNumber: partNumber, ETag: etag }))
  try {
    const command = new CompleteMultipartUploadCommand({ ...input, MultipartUpload: { Parts } })
    await client.send(command, { abortSignal })
    return 'joined'
  } catch (error) {
    if (isUnknownUpload(error)) return 'unknown'
    if (error instanceof Error && error.name === 'InvalidPart') return 'changed'
    throw storageUnavailable('CompleteMultipartUpload', error)
  }
}

function toStoredPart({ PartNumber, Size, ETag }: Part): StoredPart {
  // A part cannot be checked without its size and ETag.
  if (PartNumber === undefined || Size === undefined || ETag === undefined) throw incompleteAnswer('NO_PART')
  return { partNumber: PartNumber, sizeBytes: Size, etag: ETag }
}

/** Ceph 16 answers NoSuchKey when it lists the parts of an unknown upload. */
const isUnknownUpload = (error: unknown): boolean =>
  error instanceof Error && (error.name === 'NoSuchUpload' || error.name === 'NoSuchKey')
