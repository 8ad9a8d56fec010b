import { evaluateConditions, preconditionFailed } from '../conditions.ts'
import type { StoredObject } from '../object-file.ts'
import { type ByteRange, readRange } from '../range.ts'
import type { Reply } from '../reply.ts'
import type { S3Request } from '../request.ts'
import type { OperationContext } from './context.ts'
import { keptHeaders, requireHeaderValue } from './stored-headers.ts'

interface ReadPlan {
  readonly status: 200 | 206 | 304
  readonly headers: Record<string, string>
  readonly range: ByteRange | undefined
}

/** Runs GetObject, and HeadObject without the bytes. */
export async function readObject({ findBucket }: OperationContext, request: S3Request): Promise<Reply> {
  const opened = await findBucket(request.bucket).open(request.key)
  let streams = false
  try {
    const { status, headers, range } = planRead(request, opened.object)
    streams = request.method === 'GET' && status !== 304
    return streams ? { status, headers, body: opened.read(range) } : { status, headers }
  } finally {
    if (!streams) await opened.close()
  }
}

function planRead({ headers, query }: S3Request, object: StoredObject): ReadPlan {
  const outcome = evaluateConditions((name) => headers.get(name), object)
  if (outcome === 'failed') {
    throw preconditionFailed()
  }
  const validators = {
    ETag: `"${object.etag}"`,
    'Last-Modified': new Date(object.lastModifiedAtUtc).toUTCString(),
  }
  if (outcome === 'not-modified') return { status: 304, headers: validators, range: undefined }

  const range = isRangeWanted(headers, validators)
    ? readRange(headers.get('range'), object.sizeBytes)
    : undefined
  const lengthBytes = range ? range.last - range.first + 1 : object.sizeBytes
  return {
    status: range ? 206 : 200,
    headers: {
      ...object.headers,
      ...overrides(query),
      ...validators,
      'Accept-Ranges': 'bytes',
      'Content-Length': String(lengthBytes),
      ...(range && { 'Content-Range': `bytes ${range.first}-${range.last}/${object.sizeBytes}` }),
    },
    range,
  }
}

/** Returns whether to apply the range: `If-Range` must match the current object (RFC 9110 §13.1.5). */
function isRangeWanted(headers: S3Request['headers'], validators: Record<string, string>): boolean {
  const ifRange = headers.get('if-range')
  return ifRange === undefined || Object.values(validators).includes(ifRange)
}

/** Returns response headers from the signed query, such as the file name for a download. */
function overrides(query: S3Request['query']): Record<string, string> {
  const headers: Record<string, string> = {}
  for (const name of keptHeaders) {
    const value = query.get(`response-${name.toLowerCase()}`)
    if (value !== undefined) headers[name] = requireHeaderValue(name, value)
  }
  return headers
}
