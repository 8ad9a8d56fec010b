import type { Client } from '../client/client.ts'
import { isKitError } from '../client/kit-error.ts'
import { isTransient } from '../client/retry.ts'
import type { BusinessObjectReference } from '../wire/business-objects.ts'
import type { Note } from '../wire/notes.ts'
import type { NoteDrafts, NotesBefore } from './note-drafts.ts'

export interface NoteAdditionsInput {
  readonly client: Client
  readonly target: BusinessObjectReference
  readonly signal: AbortSignal
  readonly drafts: NoteDrafts
  /**
   * Resolves with the shown notes, newest first. Loads the list if it is not loaded yet. Rejects if it cannot be loaded. Resolves
   * with null if the list has ended: it is then empty, although the object can have notes.
   */
  known(): Promise<readonly Note[] | null>
  /** Returns the id of the user, or null while it is unknown. */
  userId(): string | null
}

/** Adds notes. If a response is lost, avoids adding the same note twice. */
export interface NoteAdditions {
  /** Adds the note with this key. If the response to an earlier attempt was lost, first checks whether the note exists. */
  add(key: string, text: string): Promise<Note>
}

const newestCount = 100

export function createNoteAdditions(input: NoteAdditionsInput): NoteAdditions {
  const { client, target, signal, drafts, known, userId } = input
  const newest = async () => (await client.notes.list({ target, limit: newestCount, signal })).items
  const existing = async () => (await known()) ?? newest()
  const findLost = async ({ ids, lowest }: NotesBefore, text: string): Promise<Note | undefined> =>
    (await newest()).find(
      (note) =>
        note.id > lowest &&
        !ids.includes(note.id) &&
        note.text.trim() === text.trim() &&
        (userId() ?? note.createdByUserId) === note.createdByUserId,
    )
  return {
    async add(key, text) {
      const before = drafts.all().get(key)?.before
      const earlier = before && (await findLost(before, text).catch(unlessRefused))
      if (earlier !== undefined) return earlier
      if (before === undefined) drafts.mark(key, describe((await existing().catch(unlessRefused)) ?? []))
      try {
        return await client.notes.create({ target, text, signal })
      } catch (error) {
        if (isRefusal(error)) drafts.mark(key, undefined)
        throw error
      }
    },
  }
}

/** Without permission to read, the check is impossible. Add the note, even if an earlier attempt has added it. */
function unlessRefused(error: unknown): undefined {
  if (!isRefusal(error)) throw error
}

const describe = (notes: readonly Note[]): NotesBefore => ({
  ids: notes.map(({ id }) => id),
  lowest: notes.at(-1)?.id ?? '',
})

/** Returns whether an error proves that the note was not added. Pages of proxies and server faults prove nothing. */
const isRefusal = (error: unknown): boolean =>
  isKitError(error) &&
  error.status >= 400 &&
  error.status < 500 &&
  error.code !== 'client.unexpected_response' &&
  !isTransient(error)
