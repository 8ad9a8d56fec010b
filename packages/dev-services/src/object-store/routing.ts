import { S3Error } from './errors.ts'
import type { S3Request } from './request.ts'

/** The supported operations, with their S3 API names. */
export type Operation =
  | 'GetObject'
  | 'HeadObject'
  | 'PutObject'
  | 'CopyObject'
  | 'CreateMultipartUpload'
  | 'UploadPart'
  | 'ListParts'
  | 'CompleteMultipartUpload'
  | 'HeadBucket'
  | 'GetBucketLocation'
  | 'ListObjectsV2'

const overrides = ['type', 'disposition', 'encoding', 'language'].map((name) => `response-content-${name}`)
const readParameters = [...overrides, 'response-cache-control', 'response-expires']

const parameters: Record<Operation, readonly string[]> = {
  GetObject: readParameters,
  HeadObject: readParameters,
  PutObject: [],
  CopyObject: [],
  CreateMultipartUpload: ['uploads'],
  UploadPart: ['partNumber', 'uploadId'],
  ListParts: ['uploadId', 'max-parts', 'part-number-marker'],
  CompleteMultipartUpload: ['uploadId'],
  HeadBucket: [],
  GetBucketLocation: ['location'],
  ListObjectsV2: [
    'list-type',
    'prefix',
    'max-keys',
    'continuation-token',
    'start-after',
    'encoding-type',
    'fetch-owner',
  ],
}

/** The accepted names: supported headers, parts of a presigned signature, and values that are safe to ignore. */
const knownAmz = [
  'x-amz-algorithm',
  'x-amz-credential',
  'x-amz-date',
  'x-amz-expires',
  'x-amz-signedheaders',
  'x-amz-signature',
  'x-amz-content-sha256',
  'x-amz-user-agent',
  'x-amz-sdk-checksum-algorithm',
  'x-amz-checksum-mode',
  'x-amz-copy-source',
  'x-amz-metadata-directive',
]
const knownAmzPrefixes = ['x-amz-meta-', 'x-amz-checksum-', 'x-amz-copy-source-if-']

/**
 * Returns the requested operation. Rejects all deletions and the creation of buckets. Rejects unsupported features
 * instead of ignoring them: a client must not assume an encryption or a version that the store does not provide.
 */
export function routeOf(request: S3Request): Operation {
  const { method, bucket, key, query } = request
  const isDeletion = method === 'DELETE' || (method === 'POST' && query.has('delete'))
  const isOutsideKeys = bucket === '' || (key === '' && method === 'PUT')
  if (isDeletion || isOutsideKeys) throw new S3Error('AccessDenied', 'Access Denied')

  const operation = key === '' ? bucketOperation(request) : objectOperation(request)
  refuseUnknown(request, operation)
  return operation
}

function bucketOperation({ method, query }: S3Request): Operation {
  if (method === 'HEAD') return 'HeadBucket'
  if (method !== 'GET') throw methodNotAllowed()
  if (query.has('location')) return 'GetBucketLocation'
  if (query.get('list-type') === '2') return 'ListObjectsV2'
  throw notImplemented()
}

function objectOperation(request: S3Request): Operation {
  const { method, query, amz } = request
  if (query.has('uploadId') || query.has('uploads')) return uploadOperation(request)
  if (method === 'GET') return 'GetObject'
  if (method === 'HEAD') return 'HeadObject'
  if (method !== 'PUT') throw methodNotAllowed()
  return amz.has('x-amz-copy-source') ? 'CopyObject' : 'PutObject'
}

function uploadOperation({ method, query, amz }: S3Request): Operation {
  // UploadPartCopy: as an UploadPart, it would store an empty part.
  if (amz.has('x-amz-copy-source')) throw notImplemented()
  if (method === 'GET') return 'ListParts'
  if (method === 'PUT') return 'UploadPart'
  if (method !== 'POST') throw methodNotAllowed()
  return query.has('uploads') ? 'CreateMultipartUpload' : 'CompleteMultipartUpload'
}

function refuseUnknown({ query, amz, isPresigned }: S3Request, operation: Operation) {
  for (const name of query.keys()) {
    const isAmz = isPresigned && name.toLowerCase().startsWith('x-amz-')
    if (!isAmz && name !== 'x-id' && !parameters[operation].includes(name)) throw notImplemented()
  }
  for (const name of amz.keys()) {
    const isKnown = knownAmz.includes(name) || knownAmzPrefixes.some((prefix) => name.startsWith(prefix))
    if (!isKnown) throw notImplemented()
  }
}

function methodNotAllowed(): S3Error {
  return new S3Error('MethodNotAllowed', 'The specified method is not allowed against this resource.')
}

function notImplemented(): S3Error {
  return new S3Error('NotImplemented', 'The request implies functionality that is not implemented.')
}
