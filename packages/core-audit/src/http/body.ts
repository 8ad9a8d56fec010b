import type { Context } from 'hono'
import { CoreError, isKitError } from '../errors.ts'

/** Maximum size of a body if its endpoint does not set `bodyLimitBytes`. */
export const defaultBodyLimitBytes = 1024 * 1024

/**
 * Maximum number of discarded bytes after a body was rejected: four times the default limit of a body. Some clients read the
 * answer only after they have sent the complete body. Up to this size, they receive the answer.
 */
export const maxDiscardedBytes = 4 * 1024 * 1024

/** Maximum nesting depth of a body. Schemas of the kit are less deep, and PostgreSQL cannot parse very deep JSON. */
const maxDepth = 64

/**
 * Returns the parsed JSON body of at most `limitBytes`. Rejects a larger body without storing its remaining bytes.
 * @throws {CoreError} request.unsupported_media_type · request.too_large · request.malformed
 */
export async function readJson(c: Context, limitBytes: number): Promise<unknown> {
  const mediaType = c.req.header('content-type')?.split(';', 1)[0]?.trim().toLowerCase() ?? ''
  if (!/^application\/(?:[\w.-]+\+)?json$/.test(mediaType))
    throw new CoreError('request.unsupported_media_type')
  const coding = c.req.header('content-encoding') ?? 'identity'
  if (coding.toLowerCase() !== 'identity') {
    const detail = 'Send the body without a content coding.'
    throw new CoreError('request.unsupported_media_type', { detail })
  }
  const bytes = await readBytes(c, limitBytes)
  const value = parse(bytes)
  if (depthExceeds(value, maxDepth)) {
    throw new CoreError('request.malformed', { detail: `The body is nested deeper than ${maxDepth} levels.` })
  }
  return value
}

/**
 * Checks the size of a body that the endpoint ignores. Only a chunked body has to be read for this, before the handler runs. That of
 * a GET request is not read: the adapter does not pass it on.
 * @throws {CoreError} request.too_large · request.malformed
 */
export async function checkIgnoredBody(c: Context, limitBytes: number): Promise<void> {
  const declared = declaredLength(c, limitBytes)
  if (declared === undefined && c.req.header('transfer-encoding') !== undefined)
    await readBytes(c, limitBytes)
}

/** Returns the declared length. Rejects one that is too large or not a number, without reading the body. */
function declaredLength(c: Context, limitBytes: number): string | undefined {
  const declared = c.req.header('content-length')
  if (declared !== undefined && !(Number(declared) <= limitBytes)) throw tooLarge(limitBytes)
  return declared
}

async function readBytes(c: Context, limitBytes: number): Promise<Uint8Array> {
  const declared = declaredLength(c, limitBytes)
  try {
    // The HTTP parser delivers exactly the declared number of bytes, so count only the bytes of a chunked body.
    if (declared !== undefined) return new Uint8Array(await c.req.raw.arrayBuffer())
    return await readCounted(c.req.raw.body, limitBytes)
  } catch (cause) {
    if (isKitError(cause)) throw cause
    // The client disconnected or was too slow. This is not a fault of the server.
    throw new CoreError('request.malformed', { detail: 'The body ended before it was complete.', cause })
  }
}

async function readCounted(body: ReadableStream<Uint8Array> | null, limitBytes: number): Promise<Uint8Array> {
  if (body === null) return new Uint8Array()
  const reader = body.getReader()
  const chunks: Uint8Array[] = []
  let length = 0
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return Buffer.concat(chunks)
    length += value.byteLength
    if (length > limitBytes) {
      // Read and discard the remaining bytes, because cancelling would reset the connection before the client has read the
      // response.
      void discard(reader)
      throw tooLarge(limitBytes)
    }
    chunks.push(value)
  }
}

/** Stops reading after {@link maxDiscardedBytes}. The server then closes the connection. */
async function discard(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<void> {
  try {
    let bytes = 0
    while (bytes <= maxDiscardedBytes) {
      const { done, value } = await reader.read()
      if (done) return
      bytes += value.byteLength
    }
  } catch {
    // The client has disconnected, so no bytes remain.
  }
}

const tooLarge = (maxBytes: number): Error => new CoreError('request.too_large', { context: { maxBytes } })

const utf8 = new TextDecoder('utf-8', { fatal: true })

function parse(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(utf8.decode(bytes))
  } catch (cause) {
    // The parser's message quotes the body, so the response must not contain the message. The log omits it too.
    throw new CoreError('request.malformed', { detail: 'The body is not valid JSON in UTF-8.', cause })
  }
}

function depthExceeds(value: unknown, limit: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (limit === 0) return true
  return Object.values(value).some((inner) => depthExceeds(inner, limit - 1))
}
