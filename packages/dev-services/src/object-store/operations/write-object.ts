import { evaluateConditions, preconditionFailed } from '../conditions.ts'
import { S3Error } from '../errors.ts'
import type { StoredObject } from '../object-file.ts'
import { readVerifiedBody } from '../payload.ts'
import type { Reply } from '../reply.ts'
import type { S3Request } from '../request.ts'
import { xmlReply } from '../xml.ts'
import type { OperationContext } from './context.ts'
import { readHeadersToKeep } from './stored-headers.ts'
import { readWriteMode } from './write-mode.ts'

/** Runs PutObject. The object becomes visible only after its complete body was received and verified. */
export async function putObject({ findBucket }: OperationContext, request: S3Request): Promise<Reply> {
  const bucket = findBucket(request.bucket)
  const target = { key: request.key, mode: readWriteMode(request), headers: readHeadersToKeep(request) }
  const object = await bucket.write(target, readVerifiedBody(request))
  return { status: 200, headers: { ETag: `"${object.etag}"` } }
}

/**
 * Runs CopyObject. Opens the source once as a snapshot. Conditions and bytes therefore refer to the same state, even if
 * another request writes to the source's key.
 */
export async function copyObject(context: OperationContext, request: S3Request): Promise<Reply> {
  const bucket = context.findBucket(request.bucket)
  const ignoresConditions = context.ignoresCopyConditions()
  const mode = ignoresConditions ? 'replace' : readWriteMode(request)
  const from = readCopySource(request)

  const source = await context.findBucket(from.bucket).open(from.key)
  try {
    if (!ignoresConditions) requireSourceConditions(request, source.object)
    const headers = replacesMetadata(request) ? readHeadersToKeep(request) : source.object.headers
    const copy = await bucket.write({ key: request.key, mode, headers }, source.read())
    const etag = ignoresConditions ? copy.etag : `"${copy.etag}"`
    return xmlReply('CopyObjectResult', { ETag: etag, LastModified: copy.lastModifiedAtUtc })
  } finally {
    await source.close()
  }
}

function requireSourceConditions({ amz }: S3Request, source: StoredObject) {
  const outcome = evaluateConditions((name) => amz.get(`x-amz-copy-source-${name}`), source)
  if (outcome !== 'met') {
    throw preconditionFailed()
  }
}

/** Parses the percent-encoded source: `/bucket/key` or `bucket/key`. */
function readCopySource({ amz }: S3Request): { bucket: string; key: string } {
  const [source = '', query] = (amz.get('x-amz-copy-source') ?? '').split('?')
  if (query !== undefined) throw new S3Error('NotImplemented', 'Versions are not implemented.')
  const [, bucket = '', key = ''] = /^\/?([^/]+)\/(.+)$/s.exec(decode(source)) ?? []
  if (key === '') throw invalidCopySource()
  return { bucket, key }
}

function decode(source: string): string {
  try {
    return decodeURIComponent(source)
  } catch {
    throw invalidCopySource()
  }
}

function replacesMetadata({ amz }: S3Request): boolean {
  const directive = amz.get('x-amz-metadata-directive') ?? 'COPY'
  if (directive === 'COPY' || directive === 'REPLACE') return directive === 'REPLACE'
  throw new S3Error('InvalidArgument', 'Unknown metadata directive.')
}

function invalidCopySource(): S3Error {
  return new S3Error(
    'InvalidArgument',
    'Copy Source must mention the source bucket and key: sourcebucket/sourcekey',
  )
}
