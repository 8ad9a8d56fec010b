import { feedbackStore, type Session } from '@vertical-kit/ui-client/stores'
import { atom, type ReadableAtom } from 'nanostores'
import type { Entry } from '../data/entries.ts'
import type { LastEditor } from '../data/last-editor.ts'
import { type OpenedEntry, openEntry, type VersionedEntry } from '../data/opened-entry.ts'
import { creationKeys } from '../data/save-entry.ts'
import { createForm, type Form, type FormValues, hasInput } from '../form/form.ts'
import { type LinesOf, rebase } from '../form/rebase.ts'
import type { ListDefinition } from '../lists.ts'
import { type Conflict, openConflict } from './conflict-store.ts'
import type { Editor } from './editors/editor.ts'
import { type BasisOfForm, onUnsaved, restoreUnsaved, unsavedName, writeUnsaved } from './unsaved-form.ts'
import { isVersionConflict } from './version-conflict.ts'

/** The form of an entry, and the store of the entry, which is null if the entry is new. */
export interface EntryStore {
  readonly opened: OpenedEntry | null
  readonly form: Form<FormValues>
  /** The key of the creation of an entry with these values; null for an existing entry. See {@link creationKeys}. */
  creationKey(values: object): string | null
  /** The version of the document in the form. Other parts of the page may show a newer version. */
  version(): number | null
  /** Replaces the form's values with the entry, and discards unsaved changes. */
  fillForm(shown: VersionedEntry): void
  /**
   * Replaces the form's values with the entry. Returns a function that restores the discarded changes, with the version that they
   * change. After `dispose`, it keeps them like {@link keep}, and returns the same.
   */
  discard(shown: VersionedEntry): () => boolean
  /** Tells the store that the values of the form were saved as this entry. */
  markSaved(saved: VersionedEntry): void
  /** Returns whether an entry contains these values of the form. */
  isSavedAs(values: FormValues, entry: Entry): boolean
  /** Tells the store whether the next save shall also post the document. */
  willPost(save: { readonly posts: boolean }): void
  /**
   * Returns whether a request was refused as outdated, or the form has unsaved changes of an older version than the shown one. While
   * a request is running, the shown version can be its result.
   */
  hasConflict(shown: VersionedEntry | null): boolean
  /** The current version of the entry and its last editor, while there is a conflict and after they are loaded. */
  readonly $conflict: ReadableAtom<Conflict | null>
  /** The values of the version in the form, before the user changed them. Null for a new entry. */
  basisValues(): FormValues | null
  /**
   * Keeps unsaved changes in the user's drafts until the user opens the entry again. Returns whether the user has opened it already, so
   * that its form restores them. `createdId`: the entry that was created from them.
   */
  keep(createdId?: string): boolean
  /** Returns whether the user must choose between the lines of the form and those of a newer version. */
  mustChooseLines(current: VersionedEntry): boolean
  /**
   * Puts the user's unsaved changes on top of a newer version. The form keeps them as unsaved. Returns false if the user must
   * choose the lines first: then the conflict and the values of the form stay.
   */
  keepChanges(current: VersionedEntry, lines?: LinesOf): boolean
  dispose(): void
}

/** The input of {@link openEntryStore}. */
interface EntryStoreOptions {
  readonly list: ListDefinition
  /** Null for a new entry. */
  readonly id: string | null
  readonly editor: Editor
  readonly initial: FormValues
  readonly mayEdit: boolean
  /** Resolves with the user who changed the entry last, or null. */
  readonly lastEditor: (signal: AbortSignal) => Promise<LastEditor | null>
  /** Called when the form is reset because its changes were saved although the response was lost. */
  readonly settled: () => void
}

/**
 * Opens an entry and its form. The form follows the entry while it has no unsaved changes, or only those of a newer version: then
 * they were saved, but the response was lost. If the session ends, it keeps unsaved changes in the user's drafts, and fills them in
 * when the same user opens the entry again.
 */
export function openEntryStore(session: Session, options: EntryStoreOptions): EntryStore {
  const { list, id, editor, initial, mayEdit, lastEditor, settled } = options
  const form = createForm(initial)
  const opened = id === null ? null : openEntry(session, list, id)
  let basis: BasisOfForm | null = null
  const closing = new AbortController()
  /** Another view of this entry has kept input since the last version was shown. */
  let isInputKept = false
  const prefilled = id === null ? initial : {}
  const markSaved = ({ entry, version }: VersionedEntry) => {
    basis = { version, updatedAtUtc: entry.updatedAtUtc, values: editor.valuesOf(entry) }
  }
  const fillForm = (shown: VersionedEntry) => {
    form.reset(editor.valuesOf(shown.entry))
    markSaved(shown)
  }

  const restore = () => {
    if (!mayEdit) return
    const like = form.$state.get().values
    void restoreUnsaved(session, {
      ...{ name: unsavedName(list, id), like, prefilled },
      isWanted: () => !closing.signal.aborted && !session.signal.aborted && !hasInput(form.$state.get()),
      restore(unsaved) {
        const state = opened?.$state.get()
        // The session has ended during a save that was completed.
        const isSaved = state?.status === 'ready' && isSavedAs(unsaved.values, state.entry)
        if (isSaved && Object.keys(unsaved.typing).length === 0) return
        basis = unsaved.basis
        form.restore(unsaved.values, new Map(Object.entries(unsaved.typing)))
        feedbackStore(session).announce({ text: 'Your unsaved changes were restored.' })
      },
    })
  }
  const keep = (createdId?: string) => {
    const state = form.$state.get()
    if (!hasInput(state)) return false
    const unsaved = { values: state.values, typing: Object.fromEntries(state.typing), basis, prefilled }
    return writeUnsaved(session, unsavedName(list, createdId ?? id), unsaved)
  }
  session.signal.addEventListener('abort', () => void keep(), { signal: closing.signal })
  const restoreKept = () => {
    if (hasInput(form.$state.get())) return false
    isInputKept = true
    // The input may belong to a newer version.
    if (opened === null) restore()
    else void opened.load()
    return true
  }
  onUnsaved(unsavedName(list, id), restoreKept, closing.signal)

  const isSavedAs = (values: FormValues, entry: Entry) =>
    isAlike(editor.bodyOf(values), editor.bodyOf(editor.valuesOf(entry)))
  /** How unsaved changes relate to the shown version. */
  const changesTo = ({ entry, version }: VersionedEntry): 'current' | 'outdated' | 'saved' => {
    const { isDirty, values } = form.$state.get()
    const isOlder = version === null ? entry.updatedAtUtc !== basis?.updatedAtUtc : version !== basis?.version
    if (basis === null || !isDirty || !isOlder) return 'current'
    return isSavedAs(values, entry) ? 'saved' : 'outdated'
  }
  const hasConflict = (shown: VersionedEntry | null): boolean => {
    const { problem, isSaving } = form.$state.get()
    const changes = shown === null ? 'current' : changesTo(shown)
    return isVersionConflict(problem) || changes === 'outdated' || (changes === 'saved' && !isSaving)
  }
  const conflict = opened === null ? null : openConflict(session, opened, lastEditor)
  const followConflict = () => {
    const state = opened?.$state.get()
    conflict?.follow({ hasConflict: state?.status === 'ready' && hasConflict(state) })
  }
  let postsNext = false
  /**
   * Resets a form whose changes were saved. Called when a version arrives and when a request ends, and not for each typed letter: a
   * half-typed value can equal the saved one.
   */
  const settle = () => {
    const state = opened?.$state.get()
    const { isSaving, problem } = form.$state.get()
    if (state?.status === 'ready' && !isSaving && changesTo(state) === 'saved') {
      fillForm(state)
      settled()
      if (problem !== null)
        feedbackStore(session).announce({ text: postsNext ? 'Saved, but not posted.' : 'Saved.' })
    }
    followConflict()
  }
  let wasSaving = false
  form.$state.listen(({ isSaving }) => {
    const hasEnded = wasSaving && !isSaving
    wasSaving = isSaving
    if (hasEnded) settle()
    else followConflict()
  })

  if (opened === null) restore()
  opened?.$state.listen((state) => {
    settle()
    if (state.status !== 'ready' || form.$state.get().isDirty) return
    const isFirst = basis === null
    fillForm(state)
    if (!isFirst && (!isInputKept || state.error !== null)) return
    isInputKept = false
    restore()
  })
  void opened?.load()
  const rebaseOn = ({ entry }: VersionedEntry, lines?: LinesOf): FormValues | null => {
    const theirs = editor.valuesOf(entry)
    const versions = { base: basis?.values ?? theirs, mine: form.$state.get().values, theirs }
    return rebase(versions, { lineKey: editor.lineKey ?? '', lines })
  }
  return {
    opened,
    form,
    creationKey: id === null ? creationKeys() : () => null,
    version: () => basis?.version ?? null,
    fillForm,
    markSaved,
    discard(shown) {
      const { values, typing } = form.$state.get()
      const discarded = basis
      fillForm(shown)
      for (const path of typing.keys()) form.type(path, null)
      return () => {
        basis = discarded
        form.restore(values, typing)
        return closing.signal.aborted && keep()
      }
    },
    isSavedAs,
    willPost({ posts }) {
      postsNext = posts
    },
    hasConflict,
    $conflict: conflict?.$state ?? atom(null),
    basisValues: () => basis?.values ?? null,
    keep,
    mustChooseLines: (current) => rebaseOn(current) === null,
    keepChanges(current, lines) {
      const values = rebaseOn(current, lines)
      if (values !== null && isSavedAs(values, current.entry)) fillForm(current)
      else {
        form.restore(values ?? form.$state.get().values)
        if (values !== null) markSaved(current)
      }
      opened?.show(current)
      return values !== null
    },
    dispose() {
      closing.abort()
      conflict?.dispose()
      opened?.dispose()
    },
  }
}

/** Returns whether two bodies are stored as the same entry. The service trims and normalizes texts. */
const isAlike = (...bodies: readonly [object, object]): boolean => {
  const [one, other] = bodies.map((body) =>
    JSON.stringify(body, (_, value) => (typeof value === 'string' ? value.trim().normalize('NFC') : value)),
  )
  return one === other
}
