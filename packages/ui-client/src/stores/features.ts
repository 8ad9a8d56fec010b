import type { KitError } from '../client/kit-error.ts'
import type { Session } from '../session/session.ts'
import type { Feature } from '../wire/features.ts'
import { openStore, outcome, type Store } from './store.ts'

/** Which features this deployment has. While that is not known nothing is enabled. */
export type FeaturesState =
  | { readonly status: 'idle' | 'loading'; readonly features: readonly [] }
  | { readonly status: 'ready'; readonly features: readonly Feature[] }
  | { readonly status: 'failed'; readonly features: readonly []; readonly error: KitError }

export interface FeaturesStore extends Store<FeaturesState> {
  /** Asks the service unless it has answered within the last 30 s; calls at the same time ask once. */
  load(): Promise<void>
  /** Whether a feature is on. Unknown ones, and all while discovery has failed, are off. */
  isEnabled(code: string): boolean
}

const cachedMs = 30_000

/** Feature discovery: closed on failure, and a service without the endpoint has no features. */
export function createFeatures(session: Session): FeaturesStore {
  const store = openStore<FeaturesState>(session, { status: 'idle', features: [] })
  let loadedAtMs = Number.NEGATIVE_INFINITY
  let underWay: Promise<void> | null = null

  const ask = async (): Promise<void> => {
    if (store.$state.get().status !== 'ready') store.set({ status: 'loading', features: [] })
    const result = await outcome(store.signal, session.client.features.list({ signal: store.signal }))
    if (result === null) return
    if ('value' in result) {
      loadedAtMs = performance.now()
      store.set({ status: 'ready', features: result.value })
    } else if (result.error.status === 404) {
      loadedAtMs = performance.now()
      store.set({ status: 'ready', features: [] })
    } else {
      store.set({ status: 'failed', features: [], error: result.error })
    }
  }
  return {
    $state: store.$state,
    dispose: store.dispose,
    load() {
      if (store.signal.aborted || performance.now() - loadedAtMs < cachedMs) return Promise.resolve()
      underWay ??= ask().finally(() => {
        underWay = null
      })
      return underWay
    },
    isEnabled: (code) =>
      store.$state.get().features.some((feature) => feature.code === code && feature.enabled),
  }
}
