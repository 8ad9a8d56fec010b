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
 * The state of a note's editor. The text stays until the user saves or discards it.
 *
 *     editing ──save──▶ saving ──▶ (saved: gone)
 *        ▲                ├─────▶ failed ──save──▶ saving
 *        └────write───────┤
 *                         └─────▶ conflict ──keepMine──▶ saving; ──discard──▶ (gone)
 */
export type NoteEditor =
  | { readonly status: 'editing' | 'saving'; readonly text: string }
  | { readonly status: 'failed'; readonly text: string; readonly error: KitError }
  /** Another user changed the note first. `theirs` is the current note; null when it was deleted. */
  | { readonly status: 'conflict'; readonly text: string; readonly theirs: Note | null }

/** The key of an editor: the id of an existing note, or {@link newNote}. */
export type NoteKey = string | typeof newNote
export const newNote = 'new'

/** The notes of one object, and the user's editors. */
export interface NotesStore {
  readonly $list: ReadableAtom<ListState<Note>>
  /** The open editors by note. Unsaved texts survive a reload. */
  readonly $editors: ReadableAtom<ReadonlyMap<NoteKey, NoteEditor>>
  load(): Promise<void>
  loadMore(): Promise<void>
  /** Opens an editor, or changes its text. An edit applies to the version that was shown when the editor opened. */
  write(key: NoteKey, text: string): void
  /** Saves the text. If the answer to an earlier attempt was lost, first checks whether that attempt added the note. */
  save(key: NoteKey): Promise<void>
  /** Resolves a conflict: overwrites the current note with the user's text, or adds a new note if it was deleted. */
  keepMine(key: NoteKey): Promise<void>
  /** Closes an editor and discards its text. */
  discard(key: NoteKey): void
  /** Deletes the version that is shown. Resolves with the error, or null on success. After a conflict, reloads the list. */
  delete(note: Note): Promise<KitError | null>
  dispose(): void
}

/** Notes per page of the list. */
const pageSize = 25

/** Opens the store of an object's notes. In a race with other users it never loses a text or overwrites an unseen one. */
export function notesStore(session: Session, target: BusinessObjectReference): NotesStore {
  const { client } = session
  // Changes use the session's signal: they continue, and clear their draft, after the user closes the panel.
  const sessionEnd = session.signal
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
    signal: sessionEnd,
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

  /** Reloads the list and returns the current note, or null when it no longer exists. */
  const reload = async (
    id: string,
    was: 'changed' | 'deleted',
  ): Promise<Note | null | { error: KitError }> => {
    await list.load()
    // Newer notes may have moved it beyond the loaded pages.
    while (was === 'changed' && shown(id) === undefined && isReadyForMore()) await list.loadMore()
    const { error } = list.$list.get()
    return error === null ? (shown(id) ?? null) : { error }
  }
  const isReadyForMore = () => list.$list.get().status === 'ready' && list.$list.get().hasMore

  const submit = async (key: NoteKey, text: string): Promise<void> => {
    setEditor(key, { status: 'saving', text })
    const version = drafts.all().get(key)?.version ?? null
    const request =
      version === null ? add(key, text) : client.notes.update({ id: key, text, version, signal: sessionEnd })
    const result = await outcome(sessionEnd, request)
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
    // The texts are equal: an earlier attempt with a lost answer saved this text.
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
      const result = await outcome(sessionEnd, client.notes.delete({ id, version, signal: sessionEnd }))
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
