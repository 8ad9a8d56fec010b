import type { Client } from '../client/client.ts'
import { isKitError } from '../client/kit-error.ts'
import { isTransient } from '../client/retry.ts'
import type { BusinessObjectReference } from '../wire/business-objects.ts'
import type { Note } from '../wire/notes.ts'

export interface NoteAdditionsInput {
  readonly client: Client
  readonly target: BusinessObjectReference
  readonly signal: AbortSignal
  /** Resolves with the shown notes, newest first. Loads the list if it is not loaded yet. */
  known(): Promise<readonly Note[]>
}

/** Adds notes. If a response is lost, avoids adding the same note twice. */
export interface NoteAdditions {
  /** Adds the note with this key. If the response to an earlier attempt was lost, first checks whether the note exists. */
  add(key: string, text: string): Promise<Note>
  /** Forgets earlier attempts, so that the next text with this key becomes a new note. */
  forget(key: string): void
}

/** The notes that existed before an attempt with a lost response. */
interface Before {
  readonly ids: ReadonlySet<string>
  /** The lowest known id. Ids increase with time, so notes with lower ids are older than the attempt. */
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
      // Without permission to read, the check is impossible. Add the note, even if an earlier attempt has added it.
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

/** Returns whether an error proves that the note was not added. Pages of proxies and server faults prove nothing. */
const isRefusal = (error: unknown): boolean =>
  isKitError(error) &&
  error.status >= 400 &&
  error.status < 500 &&
  error.code !== 'client.unexpected_response' &&
  !isTransient(error)
