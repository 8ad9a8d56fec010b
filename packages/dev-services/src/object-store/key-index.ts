import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { openObjectFile } from './object-file.ts'

/** The keys of one bucket; file names do not tell them. */
export interface KeyIndex {
  add(key: string): void
  /** The keys that start with the prefix and come after the other one, in the order in which S3 lists them. */
  find(prefix: string, after: string): Promise<string[]>
}

/**
 * Reads the keys from disk at the first search. Keys are only ever added, as nothing is deleted here, so what is
 * written while the folder is being read simply joins the set.
 */
export function createKeyIndex(folder: string): KeyIndex {
  const keys = new Set<string>()
  let loaded: Promise<void> | undefined

  const load = async () => {
    for (const name of await readdir(folder)) {
      const opened = await openObjectFile(join(folder, name))
      await opened?.close()
      if (opened) keys.add(opened.object.key)
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
