import { onDemand } from '../client/on-demand.ts'

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

/** Drafts in `localStorage`. If the browser has none, reads find nothing and writes are lost. */
export interface TextDrafts {
  get(name: string): string | null
  set(name: string, text: string): void
  delete(name: string): void
  /** Returns the names of all drafts with this name prefix. */
  names(prefix: string): readonly string[]
}

/** Drafts in IndexedDB. If the browser has none, reads find nothing and writes are lost. */
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
  clearTexts((name) => name.startsWith(root) && !name.startsWith(own))
  void storedFiles.load().then(
    (files) => files.clear((name) => !name.startsWith(own)),
    () => {},
  )
  return {
    texts: textDrafts(own),
    files: fileDrafts(own),
    async clear() {
      clearTexts((name) => name.startsWith(own))
      await storedFiles.load().then((files) => files.clear((name) => name.startsWith(own)), deleteAllFiles)
    },
  }
}

const storedFiles = onDemand(async () => (await import('./file-drafts.ts')).openFiles())

/** Without the part that knows the names, deletes the files of all users. */
function deleteAllFiles(): void {
  attempt(() => indexedDB.deleteDatabase('vertical-kit'))
}

/** The files of a user. While the part that stores them cannot be loaded, no file is stored. */
function fileDrafts(own: string): FileDrafts {
  const use = <T>(call: (files: FileDrafts) => Promise<T>): Promise<T | undefined> =>
    storedFiles.load().then(
      (files) => call(files.of(own)),
      () => undefined,
    )
  return {
    list: async <T>(prefix: string) => (await use((files) => files.list<T>(prefix))) ?? [],
    set: (name, value) => use((files) => files.set(name, value)),
    delete: (name) => use((files) => files.delete(name)),
  }
}

function textDrafts(own: string): TextDrafts {
  return {
    get: (name) => attempt(() => localStorage.getItem(own + name)) ?? null,
    set: (name, text) => attempt(() => localStorage.setItem(own + name, text)),
    delete: (name) => attempt(() => localStorage.removeItem(own + name)),
    names: (prefix) =>
      storedNames()
        .filter((name) => name.startsWith(own + prefix))
        .map((name) => name.slice(own.length)),
  }
}

const storedNames = (): readonly string[] => attempt(() => Object.keys(localStorage)) ?? []

function clearTexts(isMeant: (name: string) => boolean): void {
  for (const name of storedNames().filter(isMeant)) attempt(() => localStorage.removeItem(name))
}

/** Returns undefined if the storage throws, for example because the storage is forbidden, missing or full. */
function attempt<T>(use: () => T): T | undefined {
  try {
    return use()
  } catch {
    return undefined
  }
}
