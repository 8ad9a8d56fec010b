import { Readable } from 'node:stream'
import { aborted } from 'node:util'
import { newId } from '@vertical-kit/core-audit'
import type { AttachmentsConfig } from '../config.ts'
import { AttachmentsError } from '../errors.ts'
import { type Declaration, fileTooLarge, normalizeDeclaration } from '../policy.ts'
import type { ObjectStorage } from '../storage/object-storage.ts'

/** A file of the server's own. */
export interface StoreFile {
  readonly fileName: string
  /** A media type; blank is `application/octet-stream`. */
  readonly contentType: string
  /** Chunks must not change after they were handed over. */
  readonly body: Uint8Array | ReadableStream<Uint8Array> | AsyncIterable<Uint8Array>
  /**
   * The length of the body. S3 needs it before the first byte: a stream with it is sent chunk by chunk, a stream without it
   * is first collected in memory, up to `Attachments__MaxSizeBytes`.
   */
  readonly sizeBytes?: number
  /** Ends the call, which then rejects with the signal's reason. */
  readonly signal?: AbortSignal
}

/** Marks what {@link storeFile} returned: no other object is a `StoredFile`. */
const isStored: unique symbol = Symbol('vertical-kit.stored-file')

/** A file in the object store that no attachment refers to yet. */
export interface StoredFile extends Declaration {
  /** The id of the attachment that it becomes. */
  readonly id: string
  readonly [isStored]: true
}

/**
 * Sends a file to the object store, under a new id, and returns what `attachFile` makes an attachment of. Asks the store
 * only: it must not run inside a transaction, which would hold a connection meanwhile.
 *
 * @throws {AttachmentsError} attachments.file_name_invalid · content_type_invalid · file_too_large · size_mismatch ·
 *   storage_unavailable; also whatever the body rejects with, and the signal's reason
 * @throws {TypeError} when `sizeBytes` is no whole number, or the body has a chunk other than bytes
 */
export async function storeFile(
  storage: ObjectStorage,
  config: AttachmentsConfig,
  { body, signal, ...input }: StoreFile,
): Promise<StoredFile> {
  const knownBytes = input.sizeBytes ?? (body instanceof Uint8Array ? body.byteLength : null)
  if (knownBytes !== null && !Number.isSafeInteger(knownBytes)) {
    throw new TypeError('sizeBytes: expected a whole number of bytes')
  }
  const declaration = normalizeDeclaration({ ...input, sizeBytes: knownBytes ?? 0 }, config)
  const chunks = chunksOf(body)
  const content =
    knownBytes === null
      ? await endedBy(signal, collect(chunks, config, signal))
      : { sizeBytes: knownBytes, body: exactly(knownBytes, chunks) }
  const file = { ...declaration, sizeBytes: content.sizeBytes, id: newId() }
  await storage.put({ ...file, body: content.body }, signal)
  return Object.freeze({ ...file, [isStored]: true } as const)
}

/** @throws {TypeError} for a file that {@link storeFile} did not return */
export function requireStored(file: StoredFile): StoredFile {
  if (file[isStored] !== true) throw new TypeError('stored: expected what store returned')
  return file
}

async function* chunksOf(body: StoreFile['body']): AsyncGenerator<Uint8Array> {
  if (body instanceof Uint8Array) {
    yield body
    return
  }
  for await (const chunk of body) {
    if (!(chunk instanceof Uint8Array)) throw new TypeError('body: expected chunks of bytes')
    if (chunk.byteLength > 0) yield chunk
  }
}

/** Settles like `reading`, or rejects with the signal's reason: a source can keep a reader waiting without end. */
async function endedBy<T>(signal: AbortSignal | undefined, reading: Promise<T>): Promise<T> {
  if (signal === undefined) return reading
  const ended = aborted(signal, reading).then((): never => {
    throw signal.reason
  })
  return Promise.race([reading, ended])
}

/** Reads a body of unknown length into memory, and stops reading once it is too large. */
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
 * Passes chunks on, each when the one after it is there. So the last chunk is sent only once the body has ended with the
 * announced length: a body that fails late leaves no object either.
 */
async function* exactly(sizeBytes: number, chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let missingBytes = sizeBytes
  let held: Uint8Array | null = null
  for await (const chunk of chunks) {
    missingBytes -= chunk.byteLength
    if (missingBytes < 0) break
    if (held !== null) yield held
    held = chunk
  }
  if (missingBytes !== 0) throw new AttachmentsError('attachments.size_mismatch')
  if (held !== null) yield held
}
