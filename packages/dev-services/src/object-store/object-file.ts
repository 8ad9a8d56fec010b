import { createHash } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { ByteRange } from './range.ts'

/** The metadata of an object. */
export interface StoredObject {
  readonly key: string
  readonly sizeBytes: number
  /** The MD5 in hexadecimal, without the quotes of the header. */
  readonly etag: string
  readonly lastModifiedAtUtc: string
  /** The stored response headers: `Content-Type`, `x-amz-meta-*` and others. */
  readonly headers: Readonly<Record<string, string>>
}

/** A snapshot of an object. Later writes to its key do not change it. */
export interface OpenedObject {
  readonly object: StoredObject
  /** Returns the bytes. Call it only once: the end of the stream closes the file. */
  read(range?: ByteRange): Readable
  /** Closes the file. Safe to call at any time, also after `read`. */
  close(): Promise<void>
}

export type ObjectDescription = Pick<StoredObject, 'key' | 'lastModifiedAtUtc' | 'headers'> & {
  /** Default: the MD5 of the bytes. */
  readonly etag?: string
}

/*
 * An object file contains the bytes, the description as JSON, and the length of this JSON in four bytes. Therefore, one
 * rename replaces bytes and description together, and an open file is a snapshot of both.
 */
const lengthFieldBytes = 4

/**
 * Writes an object file and flushes it to disk, so a later rename can never expose a partial file.
 * If reading the content fails, this function rejects and does not remove the partial file.
 */
export async function writeObjectFile(
  path: string,
  content: AsyncIterable<Uint8Array>,
  describe: () => ObjectDescription,
): Promise<StoredObject> {
  const hash = createHash('md5')
  let sizeBytes = 0
  let object: StoredObject | undefined

  async function* frame() {
    for await (const chunk of content) {
      hash.update(chunk)
      sizeBytes += chunk.length
      yield chunk
    }
    object = { etag: hash.digest('hex'), ...describe(), sizeBytes }
    yield encodeDescription(object)
  }
  await pipeline(frame, createWriteStream(path, { flags: 'wx', flush: true }))
  if (!object) throw new Error('The object has no description.')
  return object
}

/** Opens an object file. Returns undefined if it does not exist. */
export async function openObjectFile(path: string): Promise<OpenedObject | undefined> {
  const handle = await openIfPresent(path)
  if (!handle) return undefined
  try {
    const object = await readDescription(handle)
    return { object, read: (range) => readBytes(handle, object, range), close: () => handle.close() }
  } catch (error) {
    await handle.close()
    throw new Error(`The object file ${path} is damaged.`, { cause: error })
  }
}

/** Returns the metadata of an object file. Returns undefined if the file does not exist. */
export async function readObjectFile(path: string): Promise<StoredObject | undefined> {
  const opened = await openObjectFile(path)
  await opened?.close()
  return opened?.object
}

async function openIfPresent(path: string): Promise<FileHandle | undefined> {
  try {
    return await open(path, 'r')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

function readBytes(handle: FileHandle, { sizeBytes }: StoredObject, range?: ByteRange): Readable {
  const { first, last } = range ?? { first: 0, last: sizeBytes - 1 }
  if (last < first) return readNothing(handle)
  return handle.createReadStream({ start: first, end: last })
}

/** Returns an empty stream, because a file stream cannot read an empty range. */
function readNothing(handle: FileHandle): Readable {
  return new Readable({
    read() {
      this.push(null)
    },
    destroy(error, done) {
      handle.close().then(() => done(error), done)
    },
  })
}

function encodeDescription(object: StoredObject): Buffer {
  const description = Buffer.from(JSON.stringify(object))
  const length = Buffer.alloc(lengthFieldBytes)
  length.writeUInt32BE(description.length)
  return Buffer.concat([description, length])
}

async function readDescription(handle: FileHandle): Promise<StoredObject> {
  const { size: fileBytes } = await handle.stat()
  const length = (await readExactly(handle, fileBytes - lengthFieldBytes, lengthFieldBytes)).readUInt32BE()
  const start = fileBytes - lengthFieldBytes - length
  const object: StoredObject = JSON.parse((await readExactly(handle, start, length)).toString())
  if (object.sizeBytes !== start) throw new Error('The size differs from the description.')
  return object
}

async function readExactly(handle: FileHandle, position: number, lengthBytes: number): Promise<Buffer> {
  const buffer = Buffer.alloc(lengthBytes)
  const { bytesRead } = await handle.read(buffer, 0, lengthBytes, position)
  if (bytesRead !== lengthBytes) throw new Error('The file is too short.')
  return buffer
}
