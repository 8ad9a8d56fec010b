import type { Reply } from './reply.ts'
import type { S3Request } from './request.ts'

/** The CORS rules of all buckets: exact origins, or any port of a host, and no credentials. */
export interface Cors {
  /** Returns headers for every response, including errors. Without them, browsers hide the status from the page. */
  headersFor(origin: string | undefined): Record<string, string>
  /** Returns the reply to OPTIONS, which browsers send without a signature. */
  preflight(headers: S3Request['headers']): Reply
}

const allowedMethods = ['GET', 'HEAD', 'PUT']
const allowedHeaders = ['content-type', 'x-amz-checksum-sha256']
const maxAgeSeconds = 600

export function createCors(origins: readonly string[]): Cors {
  const known = new Set(origins)
  const isKnown = (origin: string): boolean => known.has(origin) || known.has(origin.replace(/:\d+$/, ':*'))
  const headersFor = (origin: string | undefined): Record<string, string> => {
    if (origins.length === 0) return {}
    if (origin === undefined || !isKnown(origin)) return { Vary: 'Origin' }
    return { Vary: 'Origin', 'Access-Control-Allow-Origin': origin, 'Access-Control-Expose-Headers': 'ETag' }
  }

  return {
    headersFor,
    preflight(headers) {
      const origin = headers.get('origin')
      const method = headers.get('access-control-request-method') ?? ''
      const asked = (headers.get('access-control-request-headers') ?? '')
        .split(',')
        .map((name) => name.trim())
      const isAllowed =
        origin !== undefined &&
        isKnown(origin) &&
        allowedMethods.includes(method) &&
        asked.every((name) => name === '' || allowedHeaders.includes(name.toLowerCase()))
      if (!isAllowed) return { status: 403, headers: { Vary: 'Origin' } }
      return {
        status: 200,
        headers: {
          Vary: 'Origin',
          'Access-Control-Allow-Origin': origin,
          'Access-Control-Allow-Methods': allowedMethods.join(', '),
          'Access-Control-Allow-Headers': allowedHeaders.join(', '),
          'Access-Control-Max-Age': String(maxAgeSeconds),
        },
      }
    },
  }
}
