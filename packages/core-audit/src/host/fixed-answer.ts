import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { constants, gzip } from 'node:zlib'
import type { Context } from 'hono'
import { accepts } from 'hono/accepts'

/** An answer that is identical for every request. */
export interface FixedAnswer {
  readonly body: string | Uint8Array<ArrayBuffer>
  readonly contentType: string
  /** The status, by default 200. Only 200 has an ETag: conditional requests require a success (RFC 9110 §13.2.1). */
  readonly status?: 200 | 404
  /** Headers of every response, including 304. `Cache-Control` defaults to `no-cache`: clients store and revalidate it. */
  readonly headers?: Readonly<Record<string, string>>
}

/** The body in one content coding. */
interface Representation {
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly headers: Readonly<Record<string, string>>
}

const compress = promisify(gzip)

/**
 * Creates a handler for a page, a script or a document that never changes while the host runs. The first request prepares
 * the bytes, and all requests share them. If the preparation fails, the next request tries again. Clients that accept gzip
 * receive the compressed body. Each form of the body has a strong ETag; a request with this ETag in `If-None-Match` gets
 * 304. Mount it with `app.get`; Hono answers HEAD with equal headers.
 *
 * @param answer the answer, or a function that creates it at the first request, so that the host starts without waiting for
 *   it
 * @see RFC 9110 §8.8.3.3: each content coding has an ETag of its own
 */
export function fixedAnswer(
  answer: FixedAnswer | (() => Promise<FixedAnswer>),
): (c: Context) => Promise<Response> {
  const made = once(async () => (typeof answer === 'function' ? answer() : answer))
  const identity = once(async () => represent(await made()))
  const smallest = once(async () => compressed(await identity()))
  return async (c) => {
    const { status = 200 } = await made()
    const { bytes, headers } = await (acceptsGzip(c) ? smallest() : identity())
    const etag = headers['ETag']
    if (etag !== undefined && isKnown(c.req.header('If-None-Match'), etag)) {
      const {
        'Content-Type': _type,
        'Content-Length': _length,
        'Content-Encoding': _coding,
        ...kept
      } = headers
      return new Response(null, { status: 304, headers: kept })
    }
    return new Response(bytes, { status, headers })
  }
}

/** Returns a function that calls `make` until it succeeds once. Concurrent callers share one call, also if it fails. */
function once<T>(make: () => Promise<T>): () => Promise<T> {
  let result: Promise<T> | undefined
  return () =>
    (result ??= make().catch((error: unknown) => {
      // Do not keep the failure: its cause can be temporary, and the next request tries again.
      result = undefined
      throw error
    }))
}

function represent({ body, contentType, status = 200, headers = {} }: FixedAnswer): Representation {
  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body
  const hash = createHash('sha256').update(bytes).digest('base64url').slice(0, 22)
  return {
    bytes,
    headers: {
      'Cache-Control': 'no-cache',
      Vary: 'Accept-Encoding',
      ...headers,
      ...(status === 200 ? { ETag: `"${hash}"` } : {}),
      'Content-Type': contentType,
      // Hono cannot compute the length for HEAD, because that response has no body.
      'Content-Length': String(bytes.byteLength),
    },
  }
}

/** Returns the gzip form of a body, or the unchanged form if gzip is not smaller. */
async function compressed(identity: Representation): Promise<Representation> {
  const bytes = await compress(identity.bytes, { level: constants.Z_BEST_COMPRESSION })
  if (bytes.byteLength >= identity.bytes.byteLength) return identity
  const etag = identity.headers['ETag']
  return {
    bytes,
    headers: {
      ...identity.headers,
      ...(etag === undefined ? {} : { ETag: etag.replace(/"$/, '-gzip"') }),
      'Content-Encoding': 'gzip',
      'Content-Length': String(bytes.byteLength),
    },
  }
}

function acceptsGzip(c: Context): boolean {
  const coding = accepts(c, {
    header: 'Accept-Encoding',
    supports: ['gzip', 'identity'],
    default: 'identity',
  })
  return coding === 'gzip'
}

/** Checks whether `If-None-Match` contains an ETag, with the weak comparison of RFC 9110 §13.1.2. */
function isKnown(ifNoneMatch: string | undefined, etag: string): boolean {
  const known = ifNoneMatch?.split(',').map((tag) => tag.trim().replace(/^W\//, '')) ?? []
  return known.includes(etag) || known.includes('*')
}
