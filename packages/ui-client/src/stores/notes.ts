import type { ReadableAtom } from 'nanostores'
import type { KitError } from '../client/kit-error.ts'
import { onDemand, preload } from '../client/on-demand.ts'
import { isSameTarget, type Session } from '../session/session.ts'
import type { BusinessObjectReference } from '../wire/business-objects.ts'
import type { Mention, Note } from '../wire/notes.ts'
import { type Deletion, type DeletionState, deletionsOf } from './deletions.ts'
import { withName } from './mention-text.ts'
import { openNoteDrafts } from './note-drafts.ts'
import { createPagedList, type ListState } from './paged-list.ts'
import { stateMap } from './state-map.ts'
import { openState, openStore, outcome } from './store.ts'

/**
 * The state of a note's editor. The editor keeps the text until the user saves or discards it.
 *
 *     editing ──save──▶ saving ──▶ (saved and closed)
 *        ▲                ├─────▶ failed ──save──▶ saving
 *        └────write───────┤
 *                         └─────▶ conflict ──keepMine──▶ saving; ──discard──▶ (closed)
 */
export type NoteEditor =
  | { readonly status: 'editing' | 'saving'; readonly text: string }
  | { readonly status: 'failed'; readonly text: string; readonly error: KitError }
  /** Another user has saved the note first. `theirs` is the current note, or null if the other user deleted it. */
  | { readonly status: 'conflict'; readonly text: string; readonly theirs: Note | null }

/** The key of an editor: the id of an existing note, or {@link newNote}. */
export type NoteKey = string | typeof newNote

/** The key of the editor for a note that does not exist yet. */
export const newNote = 'new'

/** The notes of one object, and the editors that the user has opened. */
export interface NotesStore {
  readonly $list: ReadableAtom<ListState<Note>>
  /** The open editors by the key of the note. Unsaved texts survive a reload of the page. */
  readonly $editors: ReadableAtom<ReadonlyMap<NoteKey, NoteEditor>>
  load(): Promise<void>
  loadMore(): Promise<void>
  /**
   * Opens an editor or changes its text. Saving replaces the version that was shown when the editor opened. Does nothing for a note
   * that is not loaded.
   */
  write(key: NoteKey, text: string): void
  /**
   * Saves the text, and resolves with the note, or with null after a failure. If the response to an earlier attempt was
   * lost, first checks whether that attempt added the note.
   */
  save(key: NoteKey): Promise<Note | null>
  /** Resolves a conflict. Overwrites the current note with the user's text, or adds a new note if the note was deleted. */
  keepMine(key: NoteKey): Promise<Note | null>
  /** Closes an editor and discards its text. */
  discard(key: NoteKey): void
  /** Hides the note, and deletes the shown version after 8 seconds. After a conflict, reloads the list. */
  delete(note: Note): Deletion
  /** The deletions of notes, by id. A failed one has an error, and its note is in the list again. */
  readonly $deletions: ReadableAtom<ReadonlyMap<string, DeletionState>>
  /**
   * The names of mentioned users by id: those of the shown notes, and of users that the user has picked. Different users have
   * different names here: a second “Jan Novák” is “Jan Novák (2)”.
   */
  readonly $names: ReadableAtom<ReadonlyMap<string, string>>
  /** Resolves with users that a note can mention, by a part of their names; with none after a failure. */
  searchMentionable(text: string): Promise<readonly Mention[]>
  /** Adds the name of a user that the user has picked. */
  learnName(user: Mention): void
  dispose(): void
}

/** Number of notes per page of the list. */
const pageSize = 25

const noteSaving = onDemand(() => import('./note-saving.ts'))

/** Opens the store of an object's notes. It never loses the user's text or overwrites a text that the user has not seen. */
export function notesStore(session: Session, target: BusinessObjectReference): NotesStore {
  const { client } = session
  const { signal, dispose } = openStore(session, null)
  const drafts = openNoteDrafts(session.drafts.texts, target)
  const list = createPagedList<Note>({
    signal,
    pageSize,
    fetchPage: (page) => client.notes.list({ target, ...page }),
  })
  const deletions = deletionsOf(session)
  preload(noteSaving)
  const { $states: $editors, set: setEditor } = stateMap<NoteEditor>(
    signal,
    [...drafts.all()].map(([key, { text }]) => [key, { status: 'editing', text }]),
  )

  session.listen((change) => {
    const isOther = change.kind === 'object' && isSameTarget(change.target, target)
    if (isOther && list.$list.get().status !== 'idle') void list.refresh()
  }, signal)
  const names = openState<ReadonlyMap<string, string>>(signal, new Map())
  const learn = (users: readonly Mention[]) => names.update((known) => users.reduce(withName, known))
  list.$list.listen(({ items }) => learn(items.flatMap(({ mentions }) => mentions)))

  const shown = (id: string) => list.$list.get().items.find((note) => note.id === id)
  const close = (key: NoteKey) => {
    setEditor(key, null)
    drafts.delete(key)
  }

  const submit = async (key: NoteKey, text: string): Promise<Note | null> => {
    setEditor(key, { status: 'saving', text })
    const input = { session, target, list, drafts, signal, setEditor, close }
    const saving = noteSaving.load().then(({ saveNote }) => saveNote(input, key, text))
    const result = await outcome(session.signal, saving)
    if (result === null) return null
    if ('value' in result) return result.value
    setEditor(key, { status: 'failed', text, error: result.error })
    return null
  }

  return {
    $list: deletions.without(list.$list, signal),
    $deletions: deletions.$states,
    $editors,
    load: list.load,
    loadMore: list.loadMore,
    write(key, text) {
      const editor = $editors.get().get(key)
      if (signal.aborted || editor?.status === 'saving') return
      const version = (drafts.all().get(key) ?? shown(key))?.version ?? null
      // Without a version, saving would add another note.
      if (version === null && key !== newNote && editor === undefined) return
      drafts.set(key, { text, version, before: drafts.all().get(key)?.before })
      setEditor(key, editor?.status === 'conflict' ? { ...editor, text } : { status: 'editing', text })
    },
    async save(key) {
      const editor = $editors.get().get(key)
      if (editor === undefined || editor.status === 'saving' || editor.status === 'conflict') return null
      return submit(key, editor.text)
    },
    async keepMine(key) {
      const editor = $editors.get().get(key)
      if (editor?.status !== 'conflict') return null
      drafts.set(key, { text: editor.text, version: editor.theirs?.version ?? null })
      return submit(key, editor.text)
    },
    discard: close,
    delete({ id, version }) {
      // Without a signal, the deletion continues after the end of the session.
      const deletion = deletions.begin(id, () => client.notes.delete({ id, version }), {
        kind: 'notes',
        target,
      })
      void deletion.ended.then((state) => {
        if (state?.status === 'failed' && state.error.code === 'notes.version_conflict') void list.load()
        if (state?.status === 'deleted') close(id)
      })
      return deletion
    },
    $names: names.$state,
    async searchMentionable(q) {
      const result = await outcome(signal, client.notes.mentionable({ target, q, signal }))
      return result !== null && 'value' in result ? result.value.items : []
    },
    learnName: (user) => learn([user]),
    dispose,
  }
}
