import type { ObjectToWrite } from '../bucket.ts'
import { S3Error } from '../errors.ts'
import type { S3Request } from '../request.ts'

/** Returns the write mode. `If-None-Match: *` is the only supported condition; the commit checks it. */
export function readWriteMode({ headers }: S3Request): ObjectToWrite['mode'] {
  const noneMatch = headers.get('if-none-match')
  const others = ['if-match', 'if-modified-since', 'if-unmodified-since'].some((name) => headers.has(name))
  if (others || (noneMatch !== undefined && noneMatch !== '*')) {
    throw new S3Error('NotImplemented', 'The only implemented condition for writes is If-None-Match: *.')
  }
  return noneMatch === undefined ? 'replace' : 'create'
}
