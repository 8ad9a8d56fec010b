import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { readObjectFile } from './object-file.ts'

/** The keys of one bucket. The files contain the keys; the file names are only hashes. */
export interface KeyIndex {
  add(key: string): void
  /** Returns the keys with this prefix that sort after `after`, in S3 list order. */
  find(prefix: string, after: string): Promise<string[]>
}

/**
 * Creates an index that reads the keys from disk at the first search. Keys that are written during this read are added
 * to the same set. The index never removes keys, because the store never deletes objects.
 */
export function createKeyIndex(folder: string): KeyIndex {
  const keys = new Set<string>()
  let loaded: Promise<void> | undefined

  const load = async () => {
    for (const name of await readdir(folder)) {
      const object = await readObjectFile(join(folder, name))
      if (object) keys.add(object.key)
    }
  }
  return {
    add: (key) => void keys.add(key),
    async find(prefix, after) {
      loaded ??= load()
      await loaded
      return [...keys]
        .filter((key) => key.startsWith(prefix) && compareUtf8(key, after) > 0)
        .sort(compareUtf8)
    },
  }
}

function compareUtf8(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b))
}
