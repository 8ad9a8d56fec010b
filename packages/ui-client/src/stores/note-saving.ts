import { isKitError, type KitError } from '../client/kit-error.ts'
import type { Session } from '../session/session.ts'
import type { BusinessObjectReference } from '../wire/business-objects.ts'
import type { Note } from '../wire/notes.ts'
import { accessStore } from './access.ts'
import { createNoteAdditions } from './note-additions.ts'
import type { NoteDrafts } from './note-drafts.ts'
import type { NoteEditor, NoteKey } from './notes.ts'
import type { PagedList } from './paged-list.ts'
import { perSession } from './per-session.ts'
import { outcome } from './store.ts'
import { createQueue } from './upload-queue.ts'

/** The parts of a notes store that saving needs. */
export interface NoteSavingInput {
  readonly session: Session
  readonly target: BusinessObjectReference
  readonly list: PagedList<Note>
  readonly drafts: NoteDrafts
  /** The signal of the store. Saving continues after its end, until the session ends. */
  readonly signal: AbortSignal
  setEditor(key: NoteKey, editor: NoteEditor): void
  /** Closes an editor and deletes its draft. */
  close(key: NoteKey): void
}

/** A saved note, or the state of the editor after a failure. Null if the session or the store has ended. */
type NoteSaved = { readonly note: Note } | { readonly editor: NoteEditor } | null

/** Saves the text of a note, and shows the note or the failure. Resolves with null after a failure. */
export async function saveNote(input: NoteSavingInput, key: NoteKey, text: string): Promise<Note | null> {
  const saved = await save(input, key, text)
  if (saved === null) return null
  if ('editor' in saved) {
    input.setEditor(key, saved.editor)
    return null
  }
  const { note } = saved
  input.close(key)
  input.list.change((notes) =>
    notes.some(({ id }) => id === note.id)
      ? notes.map((one) => (one.id === note.id ? note : one))
      : [note, ...notes],
  )
  input.session.announce({ kind: 'content', target: input.target })
  return note
}

/** Replaces the version of the draft, or adds a note if the draft has no version. */
async function save(input: NoteSavingInput, key: NoteKey, text: string): Promise<NoteSaved> {
  const { session, drafts, signal } = input
  const version = drafts.all().get(key)?.version ?? null
  const request =
    version === null
      ? addOnce(input, key, text)
      : session.client.notes.update({ id: key, text, version, signal: session.signal })
  const result = await outcome(session.signal, request)
  if (result === null) return null
  if ('value' in result) return { note: result.value }
  return signal.aborted ? null : afterFailure(input, key, { text, error: result.error })
}

/** One search in each list at a time: the load of another search would make the list ignore the page that this one has requested. */
const turnsOfList = new WeakMap<PagedList<Note>, ReturnType<typeof createQueue>>()

/** After a conflict, compares the text with that of the current note. */
async function afterFailure(
  input: NoteSavingInput,
  key: NoteKey,
  { text, error }: { readonly text: string; readonly error: KitError },
): Promise<NoteSaved> {
  const isDeleted = error.code === 'notes.deleted'
  if (!isDeleted && error.code !== 'notes.version_conflict') {
    return { editor: { status: 'failed', text, error } }
  }
  const { list } = input
  const turns = turnsOfList.get(list) ?? createQueue(1)
  turnsOfList.set(list, turns)
  const theirs = await turns(() => reload(list, key, isDeleted ? 'deleted' : 'changed'))
  if (isKitError(theirs)) return { editor: { status: 'failed', text, error: theirs } }
  // If the texts are equal, an earlier attempt with a lost response has saved this text.
  if (theirs?.text.trim() === text.trim()) return { note: theirs }
  return { editor: { status: 'conflict', text, theirs } }
}

/** Reloads the list. Resolves with the current note, with null if the note no longer exists, or with the error of the list. */
async function reload(
  { $list, load, loadMore }: PagedList<Note>,
  id: string,
  was: 'changed' | 'deleted',
): Promise<Note | null | KitError> {
  const shown = () => $list.get().items.find((note) => note.id === id)
  const mayFind = () => was === 'changed' && shown() === undefined && $list.get().error === null
  await load()
  // Newer notes may have moved the note to a page that is not loaded yet. Another load ignores the response with that page.
  while (mayFind() && $list.get().hasMore) await ($list.get().status === 'ready' ? loadMore() : load())
  return $list.get().error ?? shown() ?? null
}

interface Addition {
  readonly adding: Promise<Note>
  isDone: boolean
}

/** The additions whose store may have ended before the response. */
const additionsOfSession = perSession(() => new Map<string, Addition>())

/**
 * Adds a note. A panel that is opened again during the addition shows the text as unsaved: saving it joins the addition, also
 * after its end. The end deletes the draft, so with a draft the user has typed the same text for another note.
 */
async function addOnce(input: NoteSavingInput, key: NoteKey, text: string): Promise<Note> {
  const additions = additionsOfSession(input.session)
  const name = JSON.stringify([input.target, key, text])
  const earlier = additions.get(name)
  const mayJoin = earlier?.isDone === false || !input.drafts.all().has(key)
  const addition =
    earlier !== undefined && mayJoin ? earlier : { adding: additionsOf(input).add(key, text), isDone: false }
  additions.set(name, addition)
  try {
    const note = await addition.adding
    addition.isDone = true
    if (!input.signal.aborted) additions.delete(name)
    return note
  } catch (error) {
    additions.delete(name)
    throw error
  }
}

const additionsOf = ({ session, target, list, drafts, signal }: NoteSavingInput) =>
  createNoteAdditions({
    client: session.client,
    target,
    drafts,
    signal: session.signal,
    async known() {
      const { items, status } = list.$list.get()
      if (items.length === 0 && status !== 'ready') await list.load()
      if (signal.aborted) return null
      const loaded = list.$list.get()
      if (loaded.items.length === 0 && loaded.error !== null) throw loaded.error
      return loaded.items
    },
    userId: () => accessStore(session).$state.get().access?.userId ?? null,
  })
