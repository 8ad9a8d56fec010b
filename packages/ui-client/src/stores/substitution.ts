import type { KitError } from '../client/kit-error.ts'
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
  /** Names a substitute for a period. Replaces the former one. */
  set(substitution: Substitution): Promise<void>
  end(): Promise<void>
}

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
  const run = async (change: () => Promise<Partial<SubstitutionState>>): Promise<void> => {
    const result = await outcome(signal, change())
    if (result === null) return
    store.update((state) =>
      'error' in result
        ? { ...state, status: 'failed', error: result.error }
        : { ...state, ...result.value, status: 'ready', error: null },
    )
  }
  const save = (change: () => Promise<Partial<SubstitutionState>>): Promise<void> => {
    if (store.$state.get().status === 'saving') return Promise.resolve()
    store.update((state) => ({ ...state, status: 'saving', error: null }))
    return run(change)
  }
  return {
    $state: store.$state,
    dispose: store.dispose,
    load: () =>
      run(async () => {
        const [substitution, { users }] = await Promise.all([
          team.substitution.get({ signal }),
          team.substitutes({ signal }),
        ])
        return { substitution, users }
      }),
    set: (substitution) =>
      save(async () => ({ substitution: await team.substitution.set(substitution, { signal }) })),
    end: () =>
      save(async () => {
        await team.substitution.end({ signal })
        return { substitution: null }
      }),
  }
}
