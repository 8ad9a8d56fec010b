import { atom, type ReadableAtom } from 'nanostores'
import type { KitError } from '../client/kit-error.ts'
import type { Session } from '../session/session.ts'
import type { BusinessObjectReference } from '../wire/business-objects.ts'
import type { Note } from '../wire/notes.ts'
import { createNoteAdditions } from './note-additions.ts'
import { openNoteDrafts } from './note-drafts.ts'
import { createPagedList, type ListState } from './paged-list.ts'
import { openStore, outcome } from './store.ts'

/**
 * What a user is writing. Their text stays until it is saved or they discard it, whatever happens.
 *
 *     editing ──save──▶ saving ──▶ (saved: gone)
 *        ▲                ├─────▶ failed ──save──▶ saving
 *        └────write───────┤
 *                         └─────▶ conflict ──keepMine──▶ saving; ──discard──▶ (gone)
 */
export type NoteEditor =
  | { readonly status: 'editing' | 'saving'; readonly text: string }
  | { readonly status: 'failed'; readonly text: string; readonly error: KitError }
  /** Somebody else was faster. `theirs` is the note as it is now; null when it was deleted. */
  | { readonly status: 'conflict'; readonly text: string; readonly theirs: Note | null }

/** Which note is written: one that is there, by its id, or the new one. */
export type NoteKey = string | typeof newNote
export const newNote = 'new'

/** The notes of one object, and what the user is writing on it. */
export interface NotesStore {
  readonly $list: ReadableAtom<ListState<Note>>
  /** By note: what is written and not saved. It outlives a reload. */
  readonly $editors: ReadableAtom<ReadonlyMap<NoteKey, NoteEditor>>
  load(): Promise<void>
  loadMore(): Promise<void>
  /** Opens an editor, or changes what is in it. An edit is of the note as it is shown when the editor is opened. */
  write(key: NoteKey, text: string): void
  /** Saves what is written. Where the answer to an earlier attempt was lost, a note that is there already is not added twice. */
  save(key: NoteKey): Promise<void>
  /** At a conflict: saves the user's text over the note as it is now, or as a new note when it was deleted. */
  keepMine(key: NoteKey): Promise<void>
  /** Closes an editor and forgets what was written. */
  discard(key: NoteKey): void
  /** Deletes a note as it is shown. Resolves with what went wrong, or null; after a conflict the list is current. */
  delete(note: Note): Promise<KitError | null>
  dispose(): void
}

/** How many notes a page of the list holds. */
const pageSize = 25

/** Notes of an object. Races with other users are settled here: nobody's text is lost, and none is overwritten unseen. */
export function notesStore(session: Session, target: BusinessObjectReference): NotesStore {
  const { client } = session
  // What the user has asked for is done also when the panel they did it at has gone: its answer says whether it is begun still.
  const asking = session.signal
  const { signal, dispose } = openStore(session, null)
  const drafts = openNoteDrafts(session.drafts.texts, target)
  const list = createPagedList<Note>({
    signal,
    pageSize,
    fetchPage: (page) => client.notes.list({ target, ...page }),
  })
  const { add, forget } = createNoteAdditions({
    client,
    target,
    signal: asking,
    async known() {
      const { items, status } = list.$list.get()
      if (items.length === 0 && status !== 'ready') await list.load()
      return list.$list.get().items
    },
  })
  const $editors = atom<ReadonlyMap<NoteKey, NoteEditor>>(
    new Map(
      signal.aborted ? [] : [...drafts.all()].map(([key, { text }]) => [key, { status: 'editing', text }]),
    ),
  )
  signal.addEventListener('abort', () => $editors.set(new Map()), { once: true })

  const shown = (id: string) => list.$list.get().items.find((note) => note.id === id)
  const setEditor = (key: NoteKey, editor: NoteEditor | null) => {
    if (signal.aborted) return
    const editors = new Map($editors.get())
    if (editor === null) editors.delete(key)
    else editors.set(key, editor)
    $editors.set(editors)
  }
  const close = (key: NoteKey) => {
    forget(key)
    setEditor(key, null)
    drafts.delete(key)
  }
  const saved = (key: NoteKey, note: Note) => {
    close(key)
    list.change((notes) =>
      notes.some(({ id }) => id === note.id)
        ? notes.map((one) => (one.id === note.id ? note : one))
        : [note, ...notes],
    )
    session.announce({ kind: 'content', target })
  }

  /** A note as it is now, from the list, which is loaded again: null when it is not there any more. */
  const reload = async (
    id: string,
    was: 'changed' | 'deleted',
  ): Promise<Note | null | { error: KitError }> => {
    await list.load()
    // Others may have pushed it off the pages that were shown.
    while (was === 'changed' && shown(id) === undefined && isReadyForMore()) await list.loadMore()
    const { error } = list.$list.get()
    return error === null ? (shown(id) ?? null) : { error }
  }
  const isReadyForMore = () => list.$list.get().status === 'ready' && list.$list.get().hasMore

  const submit = async (key: NoteKey, text: string): Promise<void> => {
    setEditor(key, { status: 'saving', text })
    const version = drafts.all().get(key)?.version ?? null
    const request =
      version === null ? add(key, text) : client.notes.update({ id: key, text, version, signal: asking })
    const result = await outcome(asking, request)
    if (result === null) return
    if ('value' in result) return saved(key, result.value)
    if (signal.aborted) return
    const { error } = result
    const isDeleted = error.code === 'notes.deleted'
    if (!isDeleted && error.code !== 'notes.version_conflict') {
      return setEditor(key, { status: 'failed', text, error })
    }
    const theirs = await reload(key, isDeleted ? 'deleted' : 'changed')
    if (theirs !== null && 'error' in theirs) {
      return setEditor(key, { status: 'failed', text, error: theirs.error })
    }
    // Ours after all: it was saved by an attempt whose answer was lost.
    if (theirs?.text.trim() === text.trim()) return saved(key, theirs)
    setEditor(key, { status: 'conflict', text, theirs })
  }

  return {
    $list: list.$list,
    $editors,
    load: list.load,
    loadMore: list.loadMore,
    write(key, text) {
      const editor = $editors.get().get(key)
      if (signal.aborted || editor?.status === 'saving') return
      const version = (drafts.all().get(key) ?? shown(key))?.version ?? null
      drafts.set(key, { text, version })
      setEditor(key, editor?.status === 'conflict' ? { ...editor, text } : { status: 'editing', text })
    },
    async save(key) {
      const editor = $editors.get().get(key)
      if (editor === undefined || editor.status === 'saving' || editor.status === 'conflict') return
      await submit(key, editor.text)
    },
    async keepMine(key) {
      const editor = $editors.get().get(key)
      if (editor?.status !== 'conflict') return
      drafts.set(key, { text: editor.text, version: editor.theirs?.version ?? null })
      await submit(key, editor.text)
    },
    discard: close,
    async delete({ id, version }) {
      const result = await outcome(asking, client.notes.delete({ id, version, signal: asking }))
      if (result === null) return null
      if ('error' in result) {
        if (result.error.code === 'notes.version_conflict') await list.load()
        return result.error
      }
      close(id)
      list.change((notes) => notes.filter((note) => note.id !== id))
      session.announce({ kind: 'content', target })
      return null
    },
    dispose,
  }
}
