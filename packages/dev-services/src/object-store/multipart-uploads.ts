import { createHash, randomBytes } from 'node:crypto'
import { mkdir, readdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import type { Bucket, ObjectToWrite } from './bucket.ts'
import { S3Error } from './errors.ts'
import { readObjectFile, type StoredObject, writeObjectFile } from './object-file.ts'
import type { ListedPart } from './part-list.ts'
import { readParts, requireParts } from './parts.ts'
import { unfinishedIn } from './unfinished-objects.ts'

/** Names an upload. An id is valid only together with the key of its upload. */
export interface UploadReference {
  readonly key: string
  readonly uploadId: string
}

/** A page of an upload's parts, in ascending order. */
export interface PartPage {
  readonly parts: readonly { readonly partNumber: number; readonly part: StoredObject }[]
  readonly isTruncated: boolean
}

/** The unfinished multipart uploads of a bucket. Every function except `create` throws `NoSuchUpload`. */
export interface MultipartUploads {
  /** Starts an upload and returns its id. The completed object gets the headers. */
  create(target: Pick<ObjectToWrite, 'key' | 'headers'>): Promise<string>
  /** Stores the complete part and replaces a part with the same number. Fails if the upload completes before the part. */
  writePart(
    target: UploadReference & { readonly partNumber: number },
    content: AsyncIterable<Uint8Array>,
  ): Promise<StoredObject>
  /** Lists parts with a higher number than `after`. */
  listParts(query: UploadReference & { readonly after: number; readonly limit: number }): Promise<PartPage>
  /**
   * Stores the object that consists of these parts and ends the upload. If completions run at the same time, only one
   * succeeds. After any failure, the upload continues. Throws `InvalidPart`, `EntityTooSmall` or `PreconditionFailed`.
   */
  complete(
    target: UploadReference & Pick<ObjectToWrite, 'mode'> & { readonly parts: readonly ListedPart[] },
  ): Promise<StoredObject>
}

export interface MultipartUploadsOptions {
  readonly bucket: Bucket
  /** The folder with one folder per upload. */
  readonly folder: string
  /** The folder of unfinished parts, on the file system of `folder`. */
  readonly incoming: string
  readonly clock: () => Date
}

/*
 * The folder of an upload contains one object file per part, named by its number, and an object file without bytes that
 * has the key and headers of the object. The upload exists as long as its folder: one rename ends the upload, and the
 * rename of a later part into the folder fails.
 */
const descriptionFile = 'upload'

/** Gives access to the uploads in the folder, including those that an earlier process started. */
export function createMultipartUploads(options: MultipartUploadsOptions): MultipartUploads {
  const { bucket, folder, incoming, clock } = options
  const inTurn = createTurns()
  const describe = (key: string, headers: ObjectToWrite['headers']) => () => {
    return { key, headers, lastModifiedAtUtc: clock().toISOString() }
  }

  return {
    async create({ key, headers }) {
      // Use hexadecimal digits: a file system that ignores case would find base64 under other ids, too.
      const uploadId = randomBytes(32).toString('hex')
      const path = join(folder, uploadId)
      await mkdir(path)
      await writeObjectFile(join(path, descriptionFile), Readable.from([]), describe(key, headers))
      return uploadId
    },

    async writePart({ partNumber, ...reference }, content) {
      const { path, key } = await findUpload(folder, reference)
      const temporary = unfinishedIn(incoming)
      try {
        const part = await writeObjectFile(temporary, content, describe(key, {}))
        await unlessEnded(rename(temporary, join(path, String(partNumber))))
        return part
      } finally {
        await rm(temporary, { force: true })
      }
    },

    async listParts({ after, limit, ...reference }) {
      const { path } = await findUpload(folder, reference)
      return readPage(path, { after, limit })
    },

    complete: ({ mode, parts, ...reference }) =>
      inTurn(reference.uploadId, async () => {
        const { path, headers, key } = await findUpload(folder, reference)
        await requireParts(path, parts)
        const object = await bucket.write({ key, headers, mode, etag: etagOf(parts) }, readParts(path, parts))
        // Store the object first: if the process ends between the two steps, the client can repeat the completion.
        const ended = unfinishedIn(incoming)
        await rename(path, ended)
        await rm(ended, { recursive: true })
        return object
      }),
  }
}

async function findUpload(folder: string, { key, uploadId }: UploadReference) {
  // Check the format before using the id as a folder name: an id such as `../` must not leave the folder.
  if (!/^[0-9a-f]{64}$/.test(uploadId)) throw noSuchUpload()
  const path = join(folder, uploadId)
  const upload = await readObjectFile(join(path, descriptionFile))
  if (upload?.key !== key) throw noSuchUpload()
  return { path, key, headers: upload.headers }
}

async function readPage(path: string, { after, limit }: { after: number; limit: number }): Promise<PartPage> {
  const numbers = (await unlessEnded(readdir(path)))
    .filter((name) => name !== descriptionFile)
    .map(Number)
    .filter((partNumber) => partNumber > after)
    .sort((a, b) => a - b)
  const parts: PartPage['parts'][number][] = []
  for (const partNumber of numbers.slice(0, limit)) {
    const part = await readObjectFile(join(path, String(partNumber)))
    if (!part) throw noSuchUpload()
    parts.push({ partNumber, part })
  }
  return { parts, isTruncated: limit > 0 && numbers.length > limit }
}

/** Computes the ETag as S3 does: the MD5 of the concatenated binary MD5s, and the number of parts. */
function etagOf(parts: readonly ListedPart[]): string {
  const hash = createHash('md5')
  for (const { etag } of parts) hash.update(etag, 'hex')
  return `${hash.digest('hex')}-${parts.length}`
}

/** Throws `NoSuchUpload` if the folder of the upload is missing: its completion moved the folder away. */
async function unlessEnded<T>(access: Promise<T>): Promise<T> {
  try {
    return await access
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    throw noSuchUpload()
  }
}

/** Returns a function that runs tasks with the same name one after the other. */
function createTurns() {
  const running = new Map<string, Promise<unknown>>()
  return async <T>(name: string, run: () => Promise<T>): Promise<T> => {
    while (running.has(name)) await running.get(name)
    const result = run()
    const ended = Promise.allSettled([result]).then(() => running.delete(name))
    running.set(name, ended)
    return result
  }
}

function noSuchUpload(): S3Error {
  return new S3Error('NoSuchUpload', 'The specified upload does not exist. It may have been completed.')
}
