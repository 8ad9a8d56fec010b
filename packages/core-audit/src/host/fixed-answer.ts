import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { constants, gzip } from 'node:zlib'
import type { Context } from 'hono'
import { accepts } from 'hono/accepts'

/** An answer that is the same for every request. */
export interface FixedAnswer {
  readonly body: string | Uint8Array<ArrayBuffer>
  readonly contentType: string
  /** 200 when absent. Other answers have no ETag: conditions of a request count for a success only (RFC 9110 §13.2.1). */
  readonly status?: 200 | 404
  /** Sent with 200, 304 and 404 alike. `Cache-Control` is `no-cache` unless it is here: stored, and asked for again. */
  readonly headers?: Readonly<Record<string, string>>
}

/** The body in one content coding. */
interface Representation {
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly headers: Readonly<Record<string, string>>
}

const compress = promisify(gzip)

/**
 * A handler for a page, a script or a document that never changes while the host runs. It prepares the bytes once, at the
 * first request, and all requests share them: the body with a strong ETag, and its gzip form for clients that accept it.
 * A request whose `If-None-Match` names the ETag gets 304. Mount it with `app.get`; Hono answers HEAD with the same headers.
 *
 * @param answer a function when making the answer is work that the start of the host must not wait for; called once
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

/** Calls a function at most once, however many ask at the same time. */
function once<T>(make: () => Promise<T>): () => Promise<T> {
  let result: Promise<T> | undefined
  return () => (result ??= make())
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
      // Named here because an answer to HEAD has no body to count.
      'Content-Length': String(bytes.byteLength),
    },
  }
}

/** The gzip form, or the identity form where gzip saves nothing. */
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

/** Whether `If-None-Match` names an ETag; weak comparison, as RFC 9110 §13.1.2 asks. */
function isKnown(ifNoneMatch: string | undefined, etag: string): boolean {
  const known = ifNoneMatch?.split(',').map((tag) => tag.trim().replace(/^W\//, '')) ?? []
  return known.includes(etag) || known.includes('*')
}
