import { createStore, del, delMany, getMany, keys, set, type UseStore } from 'idb-keyval'
import type { FileDrafts } from './drafts.ts'

/** The files of all users in this browser. A page loads this part with its first session. */
export interface StoredFiles {
  /** The files whose names begin with a user's prefix. */
  of(own: string): FileDrafts
  /** Deletes files by their names. */
  clear(isMeant: (name: string) => boolean): Promise<void>
}

/** Opens the stored files. If the browser cannot store files, no call fails, and nothing is stored. */
export function openFiles(): StoredFiles {
  const files = useIndexedDb()
  return {
    of: (own) => fileDrafts(files, own),
    async clear(isMeant) {
      if (files === null) return
      const kept = await keys<string>(files).catch(() => [])
      await delMany(kept.filter(isMeant), files).catch(() => {})
    },
  }
}

function fileDrafts(files: UseStore | null, own: string): FileDrafts {
  return {
    async list<T>(prefix: string) {
      if (files === null) return []
      // The values can be thousands of files, so read only those with the prefix.
      const names = (await keys<string>(files).catch(() => [])).filter((name) =>
        name.startsWith(own + prefix),
      )
      const values = await getMany<T | undefined>(names, files).catch(() => [])
      return names.flatMap((name, index) => {
        const value = values[index]
        return value === undefined ? [] : [[name.slice(own.length), value] as const]
      })
    },
    set: async (name, value) => {
      if (files !== null) await set(own + name, value, files).catch(() => {})
    },
    delete: async (name) => {
      if (files !== null) await del(own + name, files).catch(() => {})
    },
  }
}

/** A browser can throw when IndexedDB is first used. The async function converts this error to a rejection. */
function useIndexedDb(): UseStore | null {
  try {
    if (typeof indexedDB === 'undefined') return null
  } catch {
    return null
  }
  const store = createStore('vertical-kit', 'drafts')
  return async (mode, use) => store(mode, use)
}
