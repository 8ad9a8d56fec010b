import { createHash } from 'node:crypto'
import { link, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { preconditionFailed } from './conditions.ts'
import { S3Error } from './errors.ts'
import { createKeyIndex } from './key-index.ts'
import {
  type ObjectDescription,
  type OpenedObject,
  openObjectFile,
  type StoredObject,
  writeObjectFile,
} from './object-file.ts'
import { unfinishedIn } from './unfinished-objects.ts'

export interface ObjectToWrite {
  readonly key: string
  readonly headers: ObjectDescription['headers']
  /** `create` throws `PreconditionFailed` if an object with this key exists at commit. */
  readonly mode: 'create' | 'replace'
  /** Default: the MD5 of the content. */
  readonly etag?: string
}

export interface ListQuery {
  readonly prefix: string
  /** Lists only keys that sort after this key in UTF-8 byte order. */
  readonly after: string
  readonly limit: number
}

/** A bucket on disk. */
export interface Bucket {
  /** Opens a snapshot of the object; the caller must close it. Throws `NoSuchKey`. */
  open(key: string): Promise<OpenedObject>
  /** Stores the complete object. If the promise rejects, the stored object is unchanged. */
  write(target: ObjectToWrite, content: AsyncIterable<Uint8Array>): Promise<StoredObject>
  list(query: ListQuery): Promise<{ objects: StoredObject[]; isTruncated: boolean }>
}

export interface BucketOptions {
  /** The folder with one file per object. */
  readonly folder: string
  /** The folder of unfinished objects. It is on the file system of `folder`, so a rename into `folder` is atomic. */
  readonly incoming: string
  readonly clock: () => Date
}

export function createBucket({ folder, incoming, clock }: BucketOptions): Bucket {
  const keys = createKeyIndex(folder)
  const pathOf = (key: string) => join(folder, fileName(key))
  const open = async (key: string) => {
    const opened = await openObjectFile(pathOf(key))
    if (!opened) throw new S3Error('NoSuchKey', 'The specified key does not exist.')
    return opened
  }

  return {
    open,

    async write({ mode, ...description }, content) {
      const temporary = unfinishedIn(incoming)
      const describe = () => ({ ...description, lastModifiedAtUtc: clock().toISOString() })
      const path = pathOf(description.key)
      try {
        const object = await writeObjectFile(temporary, content, describe)
        await (mode === 'create' ? linkNew(temporary, path) : rename(temporary, path))
        keys.add(description.key)
        return object
      } finally {
        await rm(temporary, { force: true })
      }
    },

    async list({ prefix, after, limit }) {
      const matching = await keys.find(prefix, after)
      const objects: StoredObject[] = []
      for (const key of matching.slice(0, limit)) {
        const opened = await open(key)
        await opened.close()
        objects.push(opened.object)
      }
      return { objects, isTruncated: limit > 0 && matching.length > limit }
    },
  }
}

/** Maps a key to a unique hexadecimal name of fixed length, so a key can never leave its folder. */
function fileName(key: string): string {
  return createHash('sha256').update(key).digest('hex')
}

/** Creates the file with a link. A link fails if the path exists, so check and creation are one atomic step. */
async function linkNew(temporary: string, path: string) {
  try {
    await link(temporary, path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    throw preconditionFailed()
  }
}
