import { createStore, del, delMany, entries, keys, set, type UseStore } from 'idb-keyval'

/**
 * A user's unsent input. The browser stores the drafts, so they survive a reload. The name of each draft contains the
 * user's id, so users never see each other's drafts. Opening a session deletes the drafts of other users.
 *
 * If the browser cannot store drafts (private window, full disk), no call fails, but a reload of the page loses the drafts.
 */
export interface Drafts {
  /** Small texts. Each write is synchronous, so it is complete even if the user closes the page immediately. */
  readonly texts: TextDrafts
  /** The user's unsent files. */
  readonly files: FileDrafts
  /** Deletes all drafts of this user from this browser. */
  clear(): Promise<void>
}

export interface TextDrafts {
  get(name: string): string | null
  set(name: string, text: string): void
  delete(name: string): void
  /** Returns the names of all drafts with this name prefix. */
  names(prefix: string): readonly string[]
}

export interface FileDrafts {
  /** Resolves with the names and values of all drafts with this name prefix. */
  list<T>(prefix: string): Promise<readonly (readonly [name: string, value: T])[]>
  /** Stores any value that the browser can clone, for example a `File` or `Blob`. */
  set(name: string, value: unknown): Promise<void>
  delete(name: string): Promise<void>
}

const root = 'vertical-kit/'

/** Opens a user's drafts, and deletes the drafts of other users from this browser. */
export function openDrafts(userId: string): Drafts {
  const own = `${root}${encodeURIComponent(userId)}/`
  const files = openFiles()
  clearTexts((name) => name.startsWith(root) && !name.startsWith(own))
  void clearFiles(files, (name) => !name.startsWith(own))
  return {
    texts: textDrafts(own),
    files: fileDrafts(files, own),
    async clear() {
      clearTexts((name) => name.startsWith(own))
      await clearFiles(files, (name) => name.startsWith(own))
    },
  }
}

function textDrafts(own: string): TextDrafts {
  return {
    get: (name) => attempt(() => localStorage.getItem(own + name), null),
    set: (name, text) => attempt(() => localStorage.setItem(own + name, text), undefined),
    delete: (name) => attempt(() => localStorage.removeItem(own + name), undefined),
    names: (prefix) =>
      storedNames()
        .filter((name) => name.startsWith(own + prefix))
        .map((name) => name.slice(own.length)),
  }
}

function fileDrafts(files: UseStore | null, own: string): FileDrafts {
  return {
    async list<T>(prefix: string) {
      const kept = files === null ? [] : await entries<string, T>(files).catch(() => [])
      return kept
        .filter(([name]) => name.startsWith(own + prefix))
        .map(([name, value]) => [name.slice(own.length), value] as const)
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
function openFiles(): UseStore | null {
  if (attempt(() => typeof indexedDB, 'undefined') === 'undefined') return null
  const store = createStore('vertical-kit', 'drafts')
  return async (mode, use) => store(mode, use)
}

const storedNames = (): readonly string[] => attempt(() => Object.keys(localStorage), [])

function clearTexts(isMeant: (name: string) => boolean): void {
  for (const name of storedNames().filter(isMeant)) attempt(() => localStorage.removeItem(name), undefined)
}

async function clearFiles(files: UseStore | null, isMeant: (name: string) => boolean): Promise<void> {
  if (files === null) return
  const kept = await keys<string>(files).catch(() => [])
  await delMany(kept.filter(isMeant), files).catch(() => {})
}

/** Returns `otherwise` if the storage throws, for example because the storage is forbidden, missing or full. */
function attempt<T>(use: () => T, otherwise: T): T {
  try {
    return use()
  } catch {
    return otherwise
  }
}
