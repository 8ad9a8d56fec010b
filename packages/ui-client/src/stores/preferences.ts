import { atom, type ReadableAtom } from 'nanostores'
import type { KitError } from '../client/kit-error.ts'
import type { Session } from '../session/session.ts'
import type { Preference } from '../wire/work-center.ts'
import { openStore, outcome, type Store } from './store.ts'

/** What the user is told of. A failure to load anew keeps what was there. */
export type PreferencesState =
  | { readonly status: 'idle' | 'loading'; readonly preferences: readonly Preference[] }
  | { readonly status: 'ready'; readonly preferences: readonly Preference[] }
  | {
      readonly status: 'failed'
      readonly preferences: readonly Preference[]
      readonly error: KitError
    }

/** A choice that is being saved, or that was refused and undone. */
export type PreferenceRow =
  | { readonly status: 'saving'; readonly isEnabled: boolean }
  | { readonly status: 'failed'; readonly error: KitError }

export interface PreferencesStore extends Store<PreferencesState> {
  /** By preference (`code`). */
  readonly $rows: ReadableAtom<ReadonlyMap<string, PreferenceRow>>
  load(): Promise<void>
  /**
   * Switches one on or off: shown at once, undone when it is refused. Choices are saved in the order they are made, and of
   * several for one preference the last. Does nothing to a mandatory one.
   */
  set(code: string, choice: { readonly isEnabled: boolean }): Promise<void>
}

/** A user's preferences, for tasks and notifications of their roles. */
export function preferencesStore(session: Session): PreferencesStore {
  const store = openStore<PreferencesState>(session, { status: 'idle', preferences: [] })
  const { signal } = store
  const $rows = atom<ReadonlyMap<string, PreferenceRow>>(new Map())
  signal.addEventListener('abort', () => $rows.set(new Map()), { once: true })
  /** One request under way at a time: each answer has all preferences, and must not undo a later choice. */
  let tail: Promise<void> = Promise.resolve()
  const inTurn = (request: () => Promise<void>): Promise<void> => {
    tail = tail.catch(() => {}).then(request)
    return tail
  }

  const setRow = (code: string, row: PreferenceRow | null) => {
    if (signal.aborted) return
    const rows = new Map($rows.get())
    if (row === null) rows.delete(code)
    else rows.set(code, row)
    $rows.set(rows)
  }
  const find = (code: string) => store.$state.get().preferences.find((one) => one.code === code)

  const save = async (code: string, saving: PreferenceRow): Promise<void> => {
    const preference = find(code)
    // Overtaken by a later choice, which has its own turn.
    if (signal.aborted || preference === undefined || $rows.get().get(code) !== saving) return
    if (saving.status !== 'saving') return
    const { channel } = preference
    const request = session.client.me.setPreferences([{ code, channel, isEnabled: saving.isEnabled }], {
      signal: session.signal,
    })
    const result = await outcome(signal, request)
    if (result === null) return
    if ('value' in result) store.set({ status: 'ready', preferences: result.value })
    if ($rows.get().get(code) !== saving) return
    setRow(code, 'error' in result ? { status: 'failed', error: result.error } : null)
  }

  return {
    $state: store.$state,
    $rows,
    dispose: store.dispose,
    load() {
      store.update(({ preferences }) => ({ status: 'loading', preferences }))
      return inTurn(async () => {
        const result = await outcome(signal, session.client.me.preferences({ signal }))
        if (result === null) return
        if ('value' in result) return store.set({ status: 'ready', preferences: result.value })
        store.update(({ preferences }) => ({ status: 'failed', preferences, error: result.error }))
      })
    },
    set(code, { isEnabled }) {
      const preference = find(code)
      if (signal.aborted || preference === undefined || preference.isMandatory) return Promise.resolve()
      const saving: PreferenceRow = { status: 'saving', isEnabled }
      setRow(code, saving)
      return inTurn(() => save(code, saving))
    },
  }
}
