import { Readable } from 'node:stream'
import { aborted } from 'node:util'
import type { AttachmentsConfig } from '../config.ts'
import { AttachmentsError } from '../errors.ts'
import { type Declaration, fileTooLarge, normalizeDeclaration } from '../policy.ts'
import type { ObjectStorage } from '../storage/object-storage.ts'

/** A file that server code creates. */
export interface StoreFile {
  readonly fileName: string
  /** A media type. A blank value becomes `application/octet-stream`. */
  readonly contentType: string
  /** The bytes of the file. The caller must not modify a chunk after yielding it. */
  readonly body: Uint8Array | ReadableStream<Uint8Array> | AsyncIterable<Uint8Array>
  /**
   * The length of the body, which S3 requires before the first byte. If a stream has a `sizeBytes`, it is sent chunk by
   * chunk. Otherwise, the stream is first collected in memory, at most `Attachments__MaxSizeBytes`.
   */
  readonly sizeBytes?: number
  /** If the signal aborts, `storeFile` stops and rejects with the reason of the signal. */
  readonly signal?: AbortSignal
}

/** Marks the objects that {@link storeFile} returns. No other object is a `StoredFile`. */
const isStored: unique symbol = Symbol('vertical-kit.stored-file')

/** A file in the object store that has no attachment yet. */
export interface StoredFile extends Declaration {
  /** The id of the future attachment. */
  readonly id: string
  readonly [isStored]: true
}

/**
 * Sends a file to the object store under `id`, which must be new, and returns the stored file for `attachFile`. Do not call
 * the function inside a transaction, because the transaction would occupy a database connection during the transfer.
 *
 * @throws {AttachmentsError} attachments.file_name_invalid · content_type_invalid · file_too_large · size_mismatch ·
 *   storage_unavailable. If the body throws or the signal aborts, rejects with the body's error or the signal's reason.
 * @throws {TypeError} if `sizeBytes` is not an integer, or a chunk of the body is not a `Uint8Array`
 */
export async function storeFile(
  storage: ObjectStorage,
  config: AttachmentsConfig,
  { id, body, signal, ...input }: StoreFile & { readonly id: string },
): Promise<StoredFile> {
  const knownBytes = input.sizeBytes ?? (body instanceof Uint8Array ? body.byteLength : null)
  if (knownBytes !== null && !Number.isSafeInteger(knownBytes)) {
    throw new TypeError('sizeBytes must be an integer')
  }
  const declaration = normalizeDeclaration({ ...input, sizeBytes: knownBytes ?? 0 }, config)
  const chunks = chunksOf(body)
  const content =
    knownBytes === null
      ? await endedBy(signal, collect(chunks, config, signal))
      : { sizeBytes: knownBytes, body: exactly(knownBytes, chunks) }
  const file = { ...declaration, sizeBytes: content.sizeBytes, id }
  await storage.put({ ...file, body: content.body }, signal)
  return Object.freeze({ ...file, [isStored]: true } as const)
}

/**
 * Returns the file unchanged.
 * @throws {TypeError} if {@link storeFile} did not return this file
 */
export function requireStored(file: StoredFile): StoredFile {
  if (file[isStored] !== true) throw new TypeError('stored must be a file that store() returned')
  return file
}

async function* chunksOf(body: StoreFile['body']): AsyncGenerator<Uint8Array> {
  if (body instanceof Uint8Array) {
    yield body
    return
  }
  for await (const chunk of body) {
    if (!(chunk instanceof Uint8Array)) throw new TypeError('body must yield Uint8Array chunks')
    if (chunk.byteLength > 0) yield chunk
  }
}

/** Settles like `reading`, or rejects when the signal aborts. Otherwise, a stalled source would block the caller. */
async function endedBy<T>(signal: AbortSignal | undefined, reading: Promise<T>): Promise<T> {
  if (signal === undefined) return reading
  const ended = aborted(signal, reading).then((): never => {
    throw signal.reason
  })
  return Promise.race([reading, ended])
}

/** Reads a body of unknown length into memory. Throws as soon as the body exceeds the maximum size. */
async function collect(
  chunks: AsyncIterable<Uint8Array>,
  config: AttachmentsConfig,
  signal: AbortSignal | undefined,
): Promise<{ readonly sizeBytes: number; readonly body: AsyncIterable<Uint8Array> }> {
  const collected: Uint8Array[] = []
  let sizeBytes = 0
  for await (const chunk of chunks) {
    signal?.throwIfAborted()
    sizeBytes += chunk.byteLength
    if (sizeBytes > config.maxSizeBytes) throw fileTooLarge(config)
    collected.push(chunk)
  }
  return { sizeBytes, body: Readable.from(collected) }
}

/**
 * Yields each chunk only after the next chunk has arrived. The last chunk is therefore sent only after the body has
 * ended with the declared length. If the body fails before its end, the store never receives a complete object.
 */
async function* exactly(sizeBytes: number, chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let missingBytes = sizeBytes
  let waiting: Uint8Array | null = null
  for await (const chunk of chunks) {
    missingBytes -= chunk.byteLength
    if (missingBytes < 0) break
    if (waiting !== null) yield waiting
    waiting = chunk
  }
  if (missingBytes !== 0) throw new AttachmentsError('attachments.size_mismatch')
  if (waiting !== null) yield waiting
}
