import { S3Error } from './errors.ts'

/** A range of bytes inside the object; both ends are included. */
export interface ByteRange {
  readonly first: number
  readonly last: number
}

/**
 * Parses a `Range` header. Returns undefined if the response must contain the whole object: the header is missing, it
 * must be ignored (RFC 9110 §14.2), or it contains several ranges, which S3 does not support.
 * Throws `InvalidRange` if the range is completely outside the object.
 */
export function readRange(header: string | undefined, sizeBytes: number): ByteRange | undefined {
  const [, from = '', to = ''] = /^bytes=(\d*)-(\d*)$/.exec(header ?? '') ?? []
  if (from === '' && to === '') return undefined
  if (from === '')
    return within({ first: Math.max(0, sizeBytes - Number(to)), last: sizeBytes - 1 }, sizeBytes)
  if (to !== '' && Number(to) < Number(from)) return undefined
  const last = to === '' ? sizeBytes - 1 : Math.min(Number(to), sizeBytes - 1)
  return within({ first: Number(from), last }, sizeBytes)
}

function within(range: ByteRange, sizeBytes: number): ByteRange {
  if (range.first < sizeBytes) return range
  throw new S3Error('InvalidRange', 'The requested range is not satisfiable', {
    'Content-Range': `bytes */${sizeBytes}`,
  })
}
