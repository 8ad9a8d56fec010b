import { createHash } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { ByteRange } from './range.ts'

/** What is known of an object besides its bytes. */
export interface StoredObject {
  readonly key: string
  readonly sizeBytes: number
  /** MD5 in hexadecimal, without the quotes it has in a header. */
  readonly etag: string
  readonly lastModifiedAtUtc: string
  /** Response headers kept with the object: `Content-Type`, `x-amz-meta-*` and their like. */
  readonly headers: Readonly<Record<string, string>>
}

/** An object as it was when it was opened: later writes under its key do not show through. */
export interface OpenedObject {
  readonly object: StoredObject
  /** The bytes, once: the file is closed when the stream ends or is destroyed. */
  read(range?: ByteRange): Readable
  /** Safe to call at any time, also after `read`. */
  close(): Promise<void>
}

export type ObjectDescription = Pick<StoredObject, 'key' | 'lastModifiedAtUtc' | 'headers'>

/*
 * One object is one file: its bytes, then the description as JSON, then the length of that JSON in four bytes.
 * A single rename therefore replaces bytes and description together, and an open file is a snapshot of both.
 */
const lengthFieldBytes = 4

/**
 * Writes an object file and forces it to disk, so that a rename afterwards can never show half of it.
 * Rejects, leaving a partial file behind, when the content throws.
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
    object = { ...describe(), sizeBytes, etag: hash.digest('hex') }
    yield encodeDescription(object)
  }
  await pipeline(frame, createWriteStream(path, { flags: 'wx', flush: true }))
  if (!object) throw new Error('The content ended without a description.')
  return object
}

/** Opens an object file, or answers `undefined` when there is none. */
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

/** A file stream cannot express an empty range. */
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
  if (object.sizeBytes !== start) throw new Error('Its size is not the one it describes.')
  return object
}

async function readExactly(handle: FileHandle, position: number, lengthBytes: number): Promise<Buffer> {
  const buffer = Buffer.alloc(lengthBytes)
  const { bytesRead } = await handle.read(buffer, 0, lengthBytes, position)
  if (bytesRead !== lengthBytes) throw new Error('It ends too early.')
  return buffer
}
