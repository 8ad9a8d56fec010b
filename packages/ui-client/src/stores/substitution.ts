import type { KitError } from '../client/kit-error.ts'
import type { CallOptions } from '../client/send.ts'
import type { Session } from '../session/session.ts'
import type { Substitutes, Substitution } from '../wire/team.ts'
import { openStore, outcome, type Store } from './store.ts'

/** The user's substitute, and the users to choose from. `failed` means that they could not be loaded. */
export interface SubstitutionState {
  readonly status: 'loading' | 'ready' | 'saving' | 'failed'
  readonly substitution: Substitution | null
  /** At most 100 users, and the current substitute. */
  readonly users: Substitutes['users']
  /** Whether there can be other users than those loaded: find them by their names. */
  readonly hasMoreUsers: boolean
  /** The error of the last load, search or change. A failed search or change keeps the loaded values. */
  readonly error: KitError | null
}

/** The user's own substitute. Supervisors name substitutes of other users with the client. */
export interface SubstitutionStore extends Store<SubstitutionState> {
  load(): Promise<void>
  /** Replaces `users` with those whose names contain a text, and the current substitute. */
  find(q: string): Promise<void>
  /**
   * Names a substitute for a period. Replaces the former one. The change continues after `dispose`, until the session ends.
   * Resolves with the error if the change fails, also after `dispose`; otherwise with null.
   */
  set(substitution: Substitution): Promise<KitError | null>
  /** Ends the substitution. It continues and resolves like {@link SubstitutionStore.set}. */
  end(): Promise<KitError | null>
}

/** The service lists at most this many users, without the current substitute. */
const usersMax = 100

type Change = (options: CallOptions) => Promise<Partial<SubstitutionState>>

/** Opens the store of the user's own substitute. */
export function substitutionStore(session: Session): SubstitutionStore {
  const { team } = session.client
  const store = openStore<SubstitutionState>(session, {
    status: 'loading',
    substitution: null,
    users: [],
    hasMoreUsers: false,
    error: null,
  })
  const { signal } = store
  let searchCount = 0
  const run = async (
    within: AbortSignal,
    change: Change,
    whenFailed: 'ready' | 'failed' = 'ready',
  ): Promise<KitError | null> => {
    const result = await outcome(within, change({ signal: within }))
    if (result === null) return null
    const { value, error } = { value: null, error: null, ...result }
    store.update((state) => ({ ...state, ...value, status: error === null ? 'ready' : whenFailed, error }))
    return error
  }
  const save = async (change: Change): Promise<KitError | null> => {
    if (signal.aborted || store.$state.get().status === 'saving') return null
    // The answer to an earlier search does not contain a new substitute, and would remove an error.
    searchCount += 1
    store.update((state) => ({ ...state, status: 'saving', error: null }))
    return run(session.signal, change)
  }
  return {
    $state: store.$state,
    dispose: store.dispose,
    async load() {
      const loading: Change = async (options) => {
        const [substitution, { users }] = await Promise.all([
          team.substitution.get(options),
          team.substitutes(options),
        ])
        return { substitution, users, hasMoreUsers: users.length >= usersMax }
      }
      await run(signal, loading, 'failed')
    },
    async find(q) {
      const search = ++searchCount
      const result = await outcome(signal, team.substitutes({ q, signal }))
      // Ignores a late answer to an earlier search.
      if (result === null || search !== searchCount) return
      const { value, error } = { value: null, error: null, ...result }
      store.update((state) => ({ ...state, ...value, error }))
    },
    set: (substitution) =>
      save(async (options) => ({ substitution: await team.substitution.set(substitution, options) })),
    end: () =>
      save(async (options) => {
        await team.substitution.end(options)
        return { substitution: null }
      }),
  }
}
