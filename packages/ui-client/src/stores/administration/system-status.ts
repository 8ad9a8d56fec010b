import type { KitError } from '../../client/kit-error.ts'
import type { Session } from '../../session/session.ts'
import type { Feature } from '../../wire/features.ts'
import type { HealthReport } from '../../wire/system.ts'
import { openStore, outcome, type Store } from '../store.ts'

/** The health, features and release of the service. A failed load keeps earlier values. */
export interface SystemStatus {
  readonly status: 'loading' | 'ready' | 'failed'
  readonly health: HealthReport | null
  readonly features: readonly Feature[]
  /** The title and the release of the service. */
  readonly service: { readonly title: string; readonly version: string } | null
  readonly error: KitError | null
}

/** The state does not refresh by itself: call `load` again. */
export interface SystemStatusStore extends Store<SystemStatus> {
  load(): Promise<void>
}

/** Opens the store of the status of the service. */
export function systemStatusStore(session: Session): SystemStatusStore {
  const { client } = session
  const store = openStore<SystemStatus>(session, {
    status: 'loading',
    health: null,
    features: [],
    service: null,
    error: null,
  })
  const { signal } = store
  return {
    $state: store.$state,
    dispose: store.dispose,
    async load() {
      const requests = [
        client.system.health({ signal }),
        client.features.list({ signal }),
        client.system.description({ signal }),
      ] as const
      const result = await outcome(signal, Promise.all(requests))
      if (result === null) return
      store.update((state) => {
        if ('error' in result) return { ...state, status: 'failed', error: result.error }
        const [health, features, { info }] = result.value
        return { status: 'ready', health, features, service: info, error: null }
      })
    },
  }
}
