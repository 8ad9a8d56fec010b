import { text } from 'node:stream/consumers'
import { S3Error } from '../errors.ts'
import { parsePartList } from '../part-list.ts'
import { readVerifiedBody } from '../payload.ts'
import type { Reply } from '../reply.ts'
import type { S3Request } from '../request.ts'
import { xmlReply } from '../xml.ts'
import type { OperationContext } from './context.ts'
import { readCount } from './query-count.ts'
import { readHeadersToKeep } from './stored-headers.ts'
import { readWriteMode } from './write-mode.ts'

/** The S3 limit. */
const maxPartNumber = 10_000

/** The maximum and default page size of S3. */
const maxPageParts = 1000

/** A list of 10,000 parts as the AWS SDK writes it has 1 MB. */
const maxListBytes = 4 * 1024 ** 2

/** Runs CreateMultipartUpload. The completed object gets the headers of this request. */
export async function createMultipartUpload(
  { findBucket }: OperationContext,
  request: S3Request,
): Promise<Reply> {
  const { bucket, key } = request
  refuseObjectChecksum(request)
  const uploadId = await findBucket(bucket).uploads.create({ key, headers: readHeadersToKeep(request) })
  return xmlReply('InitiateMultipartUploadResult', { Bucket: bucket, Key: key, UploadId: uploadId })
}

/** Runs UploadPart. The part becomes visible only after its complete body was received and verified. */
export async function uploadPart({ findBucket }: OperationContext, request: S3Request): Promise<Reply> {
  const partNumber = readCount(request.query, 'partNumber', 0)
  if (partNumber < 1 || partNumber > maxPartNumber) {
    throw new S3Error('InvalidArgument', `Part number must be an integer between 1 and ${maxPartNumber}.`)
  }
  const { uploads } = findBucket(request.bucket)
  const part = await uploads.writePart({ ...referenceOf(request), partNumber }, readVerifiedBody(request))
  return { status: 200, headers: { ETag: `"${part.etag}"` } }
}

/** Runs ListParts. */
export async function listParts({ findBucket }: OperationContext, request: S3Request): Promise<Reply> {
  const { bucket, key, query } = request
  const reference = referenceOf(request)
  const after = readCount(query, 'part-number-marker', 0)
  const limit = Math.min(readCount(query, 'max-parts', maxPageParts), maxPageParts)

  const { parts, isTruncated } = await findBucket(bucket).uploads.listParts({ ...reference, after, limit })
  const last = parts.at(-1)
  return xmlReply('ListPartsResult', {
    Bucket: bucket,
    Key: key,
    UploadId: reference.uploadId,
    PartNumberMarker: after,
    ...(isTruncated && last && { NextPartNumberMarker: last.partNumber }),
    MaxParts: limit,
    IsTruncated: isTruncated,
    StorageClass: 'STANDARD',
    Part: parts.map(({ partNumber, part }) => ({
      PartNumber: partNumber,
      LastModified: part.lastModifiedAtUtc,
      ETag: `"${part.etag}"`,
      Size: part.sizeBytes,
    })),
  })
}

/** Runs CompleteMultipartUpload. The object becomes visible with all its parts, or not at all. */
export async function completeMultipartUpload(
  { findBucket }: OperationContext,
  request: S3Request,
): Promise<Reply> {
  const { bucket, key } = request
  const { uploads } = findBucket(bucket)
  const mode = readWriteMode(request)
  refuseObjectChecksum(request)
  const parts = parsePartList(await text(readVerifiedBody(request, maxListBytes)))
  const object = await uploads.complete({ ...referenceOf(request), mode, parts })
  return xmlReply('CompleteMultipartUploadResult', { Bucket: bucket, Key: key, ETag: `"${object.etag}"` })
}

function referenceOf({ key, query }: S3Request) {
  return { key, uploadId: query.get('uploadId') ?? '' }
}

/** Refuses checksums of the complete object: the store verifies only the checksums of parts, and keeps none. */
function refuseObjectChecksum({ amz }: S3Request) {
  if ([...amz.keys()].some((name) => name.startsWith('x-amz-checksum-'))) {
    throw new S3Error('NotImplemented', 'Checksums of multipart objects are not implemented.')
  }
}
