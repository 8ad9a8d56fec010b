import { S3Error } from '../errors.ts'
import type { S3Request } from '../request.ts'

/** Returns a parameter that is a whole number, or the default. Throws `InvalidArgument` for negative numbers and text. */
export function readCount(query: S3Request['query'], name: string, defaultCount: number): number {
  const text = query.get(name)
  if (text === undefined) return defaultCount
  if (!/^\d{1,9}$/.test(text)) throw new S3Error('InvalidArgument', `${name} must be 0 or more.`)
  return Number(text)
}
