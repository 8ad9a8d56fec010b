import type { ReadableAtom } from 'nanostores'
import type { KitError } from '../client/kit-error.ts'
import type { PreferenceChoice } from '../client/work-center.ts'
import type { Session } from '../session/session.ts'
import type { Channel, MailSettings, Preference } from '../wire/work-center.ts'
import { stateMap } from './state-map.ts'
import { openState, openStore, outcome, type Store } from './store.ts'

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

/**
 * The preferences that the user can see and change. `$state` has the saved ones, `$rows` the choices that are not
 * saved yet.
 */
export interface PreferencesStore extends Store<PreferencesState> {
  /** The pending and failed choices. The keys are those of {@link preferenceKey}. */
  readonly $rows: ReadableAtom<ReadonlyMap<string, PreferenceRow>>
  load(): Promise<void>
  /**
   * Turns a preference on or off. Shows the choice immediately, and undoes the choice if saving fails. Choices are saved in
   * order. If several choices for one preference are pending, only the last choice is saved. Does nothing for a mandatory
   * preference. The default channel is `InApp`.
   */
  set(code: string, choice: { readonly isEnabled: boolean; readonly channel?: Channel }): Promise<void>
  /** When the user receives mails. It stays idle if no preference has the channel `Email`. */
  readonly $mail: ReadableAtom<MailState>
  /** Saves when the user receives mails. Shows the choice immediately, and undoes the choice if saving fails. */
  setMail(settings: MailSettings): Promise<void>
}

/** The user's mail settings, or the choice that is being saved; `null` until they are loaded. */
export type MailState =
  | { readonly status: 'idle' | 'saving' | 'ready'; readonly settings: MailSettings | null }
  | { readonly status: 'failed'; readonly settings: MailSettings | null; readonly error: KitError }

/** Identifies a preference: a definition has one for each channel. */
export const preferenceKey = ({ code, channel }: Pick<Preference, 'code' | 'channel'>): string =>
  `${code} ${channel}`

/** Opens the store of the preferences for the tasks and notifications of the user's roles. */
export function preferencesStore(session: Session): PreferencesStore {
  const store = openStore<PreferencesState>(session, { status: 'idle', preferences: [] })
  const { signal } = store
  const { $states: $rows, set: setRow } = stateMap<PreferenceRow>(signal)
  const { $state: $mail, set: showMail } = openState<MailState>(signal, { status: 'idle', settings: null })
  let savedMail: MailSettings | null = null
  /** The last queued request. Requests run one at a time, so that no response undoes a later choice. */
  let tail: Promise<void> = Promise.resolve()
  const inTurn = (request: () => Promise<void>): Promise<void> => {
    tail = tail.catch(() => {}).then(request)
    return tail
  }

  /** The last choice for each preference, also after `dispose`: a queued choice is still sent. */
  const chosen = new Map<string, PreferenceChoice>()

  const save = async (key: string, choice: PreferenceChoice): Promise<void> => {
    // Skip this choice if a later choice has replaced it. The later choice has its own turn.
    if (chosen.get(key) !== choice) return
    const request = session.client.me.setPreferences([choice], { signal: session.signal })
    const result = await outcome(signal, request)
    if (result === null) return
    if ('value' in result) store.set({ status: 'ready', preferences: result.value })
    if (chosen.get(key) !== choice) return
    setRow(key, 'error' in result ? { status: 'failed', error: result.error } : null)
  }

  /** Shows the result of a request for the mail settings, unless the user has made a later choice. */
  const applyMail = async (request: Promise<MailSettings>, shown = $mail.get().settings): Promise<void> => {
    const result = await outcome(signal, request)
    if (result === null) return
    if ('value' in result) savedMail = result.value
    if ($mail.get().settings !== shown) return
    if ('value' in result) showMail({ status: 'ready', settings: savedMail })
    else showMail({ status: 'failed', settings: savedMail, error: result.error })
  }

  return {
    $state: store.$state,
    $rows,
    $mail,
    setMail(settings) {
      showMail({ status: 'saving', settings })
      return inTurn(() =>
        applyMail(session.client.me.setMailSettings(settings, { signal: session.signal }), settings),
      )
    },
    dispose: store.dispose,
    load() {
      store.update(({ preferences }) => ({ status: 'loading', preferences }))
      return inTurn(async () => {
        const result = await outcome(signal, session.client.me.preferences({ signal }))
        if (result === null) return
        if ('value' in result) {
          store.set({ status: 'ready', preferences: result.value })
          const hasMail = result.value.some(({ channel }) => channel === 'Email')
          return hasMail ? applyMail(session.client.me.mailSettings({ signal })) : undefined
        }
        store.update(({ preferences }) => ({ status: 'failed', preferences, error: result.error }))
      })
    },
    set(code, { isEnabled, channel = 'InApp' }) {
      const key = preferenceKey({ code, channel })
      const preference = store.$state.get().preferences.find((one) => preferenceKey(one) === key)
      if (preference === undefined || preference.isMandatory) return Promise.resolve()
      const choice = { code, channel, isEnabled }
      chosen.set(key, choice)
      setRow(key, { status: 'saving', isEnabled })
      return inTurn(() => save(key, choice))
    },
  }
}
