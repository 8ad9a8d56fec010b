import type { KitError } from '../client/kit-error.ts'
import type { CallOptions } from '../client/send.ts'
import type { Session } from '../session/session.ts'
import type { Substitutes, Substitution } from '../wire/team.ts'
import { openStore, outcome, type Store } from './store.ts'

/** The user's substitute, and the users to choose from. A failed change keeps the loaded values. */
export interface SubstitutionState {
  readonly status: 'loading' | 'ready' | 'saving' | 'failed'
  readonly substitution: Substitution | null
  readonly users: Substitutes['users']
  /** The error of the last load or change. It is null unless the status is `failed`. */
  readonly error: KitError | null
}

export interface SubstitutionStore extends Store<SubstitutionState> {
  load(): Promise<void>
  /**
   * Names a substitute for a period. Replaces the former one. The change continues after `dispose`, until the session ends.
   * Resolves with the error if the change fails, also after `dispose`; otherwise with null.
   */
  set(substitution: Substitution): Promise<KitError | null>
  /** Ends the substitution. It continues and resolves like {@link SubstitutionStore.set}. */
  end(): Promise<KitError | null>
}

type Change = (options: CallOptions) => Promise<Partial<SubstitutionState>>

/** Opens the store of the user's own substitute. */
export function substitutionStore(session: Session): SubstitutionStore {
  const { team } = session.client
  const store = openStore<SubstitutionState>(session, {
    status: 'loading',
    substitution: null,
    users: [],
    error: null,
  })
  const { signal } = store
  const run = async (within: AbortSignal, change: Change): Promise<KitError | null> => {
    const result = await outcome(within, change({ signal: within }))
    if (result === null) return null
    const { value, error } = { value: null, error: null, ...result }
    store.update((state) => ({ ...state, ...value, status: error === null ? 'ready' : 'failed', error }))
    return error
  }
  const save = async (change: Change): Promise<KitError | null> => {
    if (signal.aborted || store.$state.get().status === 'saving') return null
    store.update((state) => ({ ...state, status: 'saving', error: null }))
    return run(session.signal, change)
  }
  return {
    $state: store.$state,
    dispose: store.dispose,
    async load() {
      await run(signal, async (options) => {
        const [substitution, { users }] = await Promise.all([
          team.substitution.get(options),
          team.substitutes(options),
        ])
        return { substitution, users }
      })
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
