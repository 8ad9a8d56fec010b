import { validateHeaderValue } from 'node:http'
import { S3Error } from '../errors.ts'
import type { S3Request } from '../request.ts'

/** Headers kept with an object and sent with it again; `response-<name>` in a signed GET replaces each. */
export const keptHeaders = [
  'Content-Type',
  'Content-Disposition',
  'Content-Encoding',
  'Content-Language',
  'Cache-Control',
  'Expires',
] as const

/** The headers a PUT wants kept, `x-amz-meta-*` included. */
export function readHeadersToKeep({ headers, amz }: S3Request): Record<string, string> {
  const kept: Record<string, string> = { 'Content-Type': 'binary/octet-stream' }
  for (const name of keptHeaders) {
    const value = headers.get(name.toLowerCase())
    if (value !== undefined) kept[name] = requireHeaderValue(name, value)
  }
  for (const [name, value] of amz) {
    if (name.startsWith('x-amz-meta-')) kept[name] = requireHeaderValue(name, value)
  }
  return kept
}

/** A value from a query may hold what no header can, a line break first of all. */
export function requireHeaderValue(name: string, value: string): string {
  try {
    validateHeaderValue(name, value)
    return value
  } catch {
    throw new S3Error('InvalidArgument', `The value for ${name} cannot be sent in a header.`)
  }
}
