import { createStore, del, delMany, entries, keys, set, type UseStore } from 'idb-keyval'

/**
 * What a user has begun and not sent, kept by the browser so that it outlives a reload. Every name is below the user's id:
 * nobody finds what another has left, and a session's opening throws the others' away.
 *
 * A browser that keeps nothing (private windows, full disks) is no reason to fail: then it does not outlive the page.
 */
export interface Drafts {
  /** Small texts, written at once: a page that goes away the next moment has kept the last letter. */
  readonly texts: TextDrafts
  /** Files and what is known of them. */
  readonly files: FileDrafts
  /** Forgets everything of this user's. */
  clear(): Promise<void>
}

export interface TextDrafts {
  get(name: string): string | null
  set(name: string, text: string): void
  delete(name: string): void
  /** Names that begin like this. */
  names(prefix: string): readonly string[]
}

export interface FileDrafts {
  /** What was kept under names that begin like this, with its name. */
  list<T>(prefix: string): Promise<readonly (readonly [name: string, value: T])[]>
  /** Anything that can be cloned: `File` and `Blob` among them. */
  set(name: string, value: unknown): Promise<void>
  delete(name: string): Promise<void>
}

const root = 'vertical-kit/'

/** Opens a user's drafts, and throws away what other users have left in this browser. */
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

/** A browser may refuse at the first use, and by throwing: here that is a rejection, as any other failure is. */
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

/** Storage that may be forbidden, absent or full: reading and writing it throws. */
function attempt<T>(use: () => T, otherwise: T): T {
  try {
    return use()
  } catch {
    return otherwise
  }
}
