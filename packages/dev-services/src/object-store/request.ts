import type { IncomingMessage } from 'node:http'
import { S3Error } from './errors.ts'

/** A decoded path-style request, before verification. */
export interface S3Request {
  readonly method: string
  /** The decoded path with its leading slash, without the query. */
  readonly path: string
  /** The bucket name. Empty if the path contains no bucket. */
  readonly bucket: string
  /** The object key. Empty if the path contains no object. */
  readonly key: string
  readonly query: ReadonlyMap<string, string>
  /** The headers by lower-case name. */
  readonly headers: ReadonlyMap<string, string>
  /** The `x-amz-*` values by lower-case name, from the headers and from the query of a presigned request. */
  readonly amz: ReadonlyMap<string, string>
  readonly isPresigned: boolean
  readonly body: IncomingMessage
}

/** The S3 limit, in UTF-8 bytes. */
const maxKeyBytes = 1024

/** Parses a request. Throws `InvalidURI`, `InvalidArgument` or `KeyTooLongError`. */
export function parseRequest(message: IncomingMessage): S3Request {
  const [rawPath = '', rawQuery = ''] = splitOnce(message.url ?? '', '?')
  const path = decodePath(rawPath)
  const [bucket = '', key = ''] = splitOnce(path.slice(1), '/')
  if (Buffer.byteLength(key) > maxKeyBytes) throw new S3Error('KeyTooLongError', 'Your key is too long.')

  const query = parseQuery(rawQuery)
  const headers = parseHeaders(message)
  const isPresigned = query.has('X-Amz-Algorithm')
  const amz = new Map([...(isPresigned ? amzEntries(query) : []), ...amzEntries(headers)])
  return { method: message.method ?? '', path, bucket, key, query, headers, amz, isPresigned, body: message }
}

function splitOnce(text: string, separator: string): string[] {
  const at = text.indexOf(separator)
  return at === -1 ? [text] : [text.slice(0, at), text.slice(at + separator.length)]
}

function decodePath(rawPath: string): string {
  if (!rawPath.startsWith('/')) throw new S3Error('InvalidURI', 'The path must start with a slash.')
  try {
    return decodeURIComponent(rawPath)
  } catch {
    throw new S3Error('InvalidURI', 'The path is not percent-encoded UTF-8.')
  }
}

/** Rejects duplicate parameters: the signature could cover one value while the operation uses the other. */
function parseQuery(rawQuery: string): Map<string, string> {
  const query = new Map<string, string>()
  for (const [name, value] of new URLSearchParams(rawQuery)) {
    if (query.has(name)) throw new S3Error('InvalidArgument', 'A query parameter is given more than once.')
    query.set(name, value)
  }
  return query
}

function parseHeaders(message: IncomingMessage): Map<string, string> {
  const headers = new Map<string, string>()
  for (const [name, value] of Object.entries(message.headers)) {
    if (value !== undefined) headers.set(name, Array.isArray(value) ? value.join(',') : value)
  }
  return headers
}

function amzEntries(source: ReadonlyMap<string, string>): [string, string][] {
  return [...source]
    .map(([name, value]): [string, string] => [name.toLowerCase(), value])
    .filter(([name]) => name.startsWith('x-amz-'))
}
