import { atom, type ReadableAtom } from 'nanostores'
import type { KitError } from '../client/kit-error.ts'
import type { Session } from '../session/session.ts'
import type { Preference } from '../wire/work-center.ts'
import { openStore, outcome, type Store } from './store.ts'

/** The user's notification preferences. A failed reload keeps the loaded preferences. */
export type PreferencesState =
  | { readonly status: 'idle' | 'loading'; readonly preferences: readonly Preference[] }
  | { readonly status: 'ready'; readonly preferences: readonly Preference[] }
  | {
      readonly status: 'failed'
      readonly preferences: readonly Preference[]
      readonly error: KitError
    }

/** The state of a choice. The choice is being saved, or it was undone because saving failed. */
export type PreferenceRow =
  | { readonly status: 'saving'; readonly isEnabled: boolean }
  | { readonly status: 'failed'; readonly error: KitError }

export interface PreferencesStore extends Store<PreferencesState> {
  /** The pending and failed choices. The key is the preference's `code`. */
  readonly $rows: ReadableAtom<ReadonlyMap<string, PreferenceRow>>
  load(): Promise<void>
  /**
   * Turns a preference on or off. Shows the choice immediately, and undoes the choice if saving fails. Choices are saved in
   * order. If several choices for one preference are pending, only the last choice is saved. Does nothing for a mandatory
   * preference.
   */
  set(code: string, choice: { readonly isEnabled: boolean }): Promise<void>
}

/** Opens the store of the preferences for the tasks and notifications of the user's roles. */
export function preferencesStore(session: Session): PreferencesStore {
  const store = openStore<PreferencesState>(session, { status: 'idle', preferences: [] })
  const { signal } = store
  const $rows = atom<ReadonlyMap<string, PreferenceRow>>(new Map())
  signal.addEventListener('abort', () => $rows.set(new Map()), { once: true })
  /** The last queued request. Requests run one at a time, so that no response undoes a later choice. */
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
    // Skip this choice if a later choice has replaced it. The later choice has its own turn.
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
