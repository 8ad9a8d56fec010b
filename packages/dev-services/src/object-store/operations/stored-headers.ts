import { validateHeaderValue } from 'node:http'
import { S3Error } from '../errors.ts'
import type { S3Request } from '../request.ts'

/** The headers that are stored and returned with an object. A signed GET overrides them with `response-<name>`. */
export const keptHeaders = [
  'Content-Type',
  'Content-Disposition',
  'Content-Encoding',
  'Content-Language',
  'Cache-Control',
  'Expires',
] as const

/** Returns the headers of a PUT that are stored with the object, including `x-amz-meta-*`. */
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

/** Rejects query values that a header cannot contain, such as line breaks. */
export function requireHeaderValue(name: string, value: string): string {
  try {
    validateHeaderValue(name, value)
    return value
  } catch {
    throw new S3Error('InvalidArgument', `The value for ${name} cannot be sent in a header.`)
  }
}
