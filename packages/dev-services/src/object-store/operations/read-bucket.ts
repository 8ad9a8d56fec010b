import { S3Error } from '../errors.ts'
import type { Reply } from '../reply.ts'
import type { S3Request } from '../request.ts'
import { listEntry, xmlReply } from '../xml.ts'
import type { OperationContext } from './context.ts'
import { readCount } from './query-count.ts'

/** The maximum and default page size of S3. */
const maxPageKeys = 1000

/** Runs HeadBucket. */
export async function headBucket(
  { findBucket, region }: OperationContext,
  request: S3Request,
): Promise<Reply> {
  findBucket(request.bucket)
  return { status: 200, headers: { 'x-amz-bucket-region': region } }
}

/** Runs GetBucketLocation. Like S3, returns an empty element for the region us-east-1. */
export async function getBucketLocation(
  { findBucket, region }: OperationContext,
  request: S3Request,
): Promise<Reply> {
  findBucket(request.bucket)
  return xmlReply('LocationConstraint', { '#text': region === 'us-east-1' ? '' : region })
}

/** Runs ListObjectsV2. Delimiters are not supported. */
export async function listObjects({ findBucket }: OperationContext, request: S3Request): Promise<Reply> {
  const { bucket, query } = request
  const prefix = query.get('prefix') ?? ''
  const startAfter = query.get('start-after')
  const token = query.get('continuation-token')
  const limit = Math.min(readCount(query, 'max-keys', maxPageKeys), maxPageKeys)
  const encode = readEncoding(query.get('encoding-type'))
  const after = token === undefined ? (startAfter ?? '') : decodeToken(token)

  const { objects, isTruncated } = await findBucket(bucket).list({ prefix, after, limit })
  const last = objects.at(-1)
  return xmlReply('ListBucketResult', {
    Name: bucket,
    Prefix: encode(prefix),
    ...(startAfter !== undefined && { StartAfter: encode(startAfter) }),
    ...(query.has('encoding-type') && { EncodingType: 'url' }),
    MaxKeys: limit,
    KeyCount: objects.length,
    IsTruncated: isTruncated,
    ...(token !== undefined && { ContinuationToken: token }),
    ...(isTruncated && last && { NextContinuationToken: encodeToken(last.key) }),
    Contents: objects.map((object) => ({ ...listEntry(object), Key: encode(object.key) })),
  })
}

/** Returns the key encoder. Clients can request `encoding-type=url`, because XML cannot contain every character. */
function readEncoding(type: string | undefined): (key: string) => string {
  if (type === undefined) return (key) => key
  if (type !== 'url') throw new S3Error('InvalidArgument', 'The encoding-type must be url.')
  return (key) => encodeURIComponent(key).replaceAll('%2F', '/')
}

/** Encodes the last key of a page as the token of the next page. */
function encodeToken(key: string): string {
  return Buffer.from(key).toString('base64url')
}

function decodeToken(token: string): string {
  const key = Buffer.from(token, 'base64url').toString()
  if (key === '' || encodeToken(key) !== token) {
    throw new S3Error('InvalidArgument', 'The continuation token provided is incorrect')
  }
  return key
}
