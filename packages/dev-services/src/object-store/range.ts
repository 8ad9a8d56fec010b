import { S3Error } from './errors.ts'

/** First and last byte, both included, both inside the object. */
export interface ByteRange {
  readonly first: number
  readonly last: number
}

/**
 * Reads a `Range` header. `undefined` means the whole object: there is no header, or it is one that a server
 * is to ignore (RFC 9110 §14.2), or it asks for several ranges, which S3 does not serve.
 * Throws `InvalidRange` when nothing of the range lies inside the object.
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
