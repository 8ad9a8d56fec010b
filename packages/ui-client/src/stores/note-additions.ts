import type { Client } from '../client/client.ts'
import { isKitError } from '../client/kit-error.ts'
import { isTransient } from '../client/retry.ts'
import type { BusinessObjectReference } from '../wire/business-objects.ts'
import type { Note } from '../wire/notes.ts'

export interface NoteAdditionsInput {
  readonly client: Client
  readonly target: BusinessObjectReference
  readonly signal: AbortSignal
  /** The notes that are known to be there, newest first; loads them when none are. */
  known(): Promise<readonly Note[]>
}

/** Adds notes, none of them twice. */
export interface NoteAdditions {
  /** Adds what is written under a key. After an attempt whose answer was lost, looks first whether the note is there. */
  add(key: string, text: string): Promise<Note>
  /** What is written under this key from now on is something else. */
  forget(key: string): void
}

/** What was there before an attempt whose answer was lost. */
interface Before {
  readonly ids: ReadonlySet<string>
  /** Ids grow with time: what is below the lowest one known is older than the attempt, and was not shown. */
  readonly lowest: string
}

const newestCount = 100

export function createNoteAdditions({ client, target, signal, known }: NoteAdditionsInput): NoteAdditions {
  const lost = new Map<string, Before>()
  const findLost = async (before: Before, text: string): Promise<Note | undefined> => {
    try {
      const { items } = await client.notes.list({ target, limit: newestCount, signal })
      return items.find(
        (note) => note.id > before.lowest && !before.ids.has(note.id) && note.text.trim() === text.trim(),
      )
    } catch (error) {
      // Who may not read cannot look: the note is added, perhaps once more.
      if (isRefusal(error)) return undefined
      throw error
    }
  }
  return {
    async add(key, text) {
      const before = lost.get(key)
      const earlier = before === undefined ? undefined : await findLost(before, text)
      if (earlier !== undefined) return earlier
      if (before === undefined) lost.set(key, describe(await known()))
      try {
        return await client.notes.create({ target, text, signal })
      } catch (error) {
        if (isRefusal(error)) lost.delete(key)
        throw error
      }
    },
    forget: (key) => {
      lost.delete(key)
    },
  }
}

const describe = (notes: readonly Note[]): Before => ({
  ids: new Set(notes.map(({ id }) => id)),
  lowest: notes.at(-1)?.id ?? '',
})

/** Whether the service has said no, so that nothing was added: not a proxy's page, and not a fault half-way. */
const isRefusal = (error: unknown): boolean =>
  isKitError(error) &&
  error.status >= 400 &&
  error.status < 500 &&
  error.code !== 'client.unexpected_response' &&
  !isTransient(error)
