import type { KitError } from '../client/kit-error.ts'
import type { Feature } from '../wire/features.ts'
import { perSession, shared } from './per-session.ts'
import { openStore, outcome, type Store } from './store.ts'

/** The features of this deployment. Until they are loaded, none is enabled. */
export type FeaturesState =
  | { readonly status: 'idle' | 'loading'; readonly features: readonly [] }
  | { readonly status: 'ready'; readonly features: readonly Feature[] }
  | { readonly status: 'failed'; readonly features: readonly []; readonly error: KitError }

/** All readers of a session share this store. It ends with the session, and a reader cannot dispose it. */
export interface FeaturesStore extends Pick<Store<FeaturesState>, '$state'> {
  /** Loads the features unless they were loaded within the last 30 s. Concurrent calls share one request. */
  load(): Promise<void>
  /** Returns whether a feature is enabled. Unknown features are disabled. After a failed load, all are disabled. */
  isEnabled(code: string): boolean
}

const keptMs = 30_000

/** Returns the session's store of features. If the load fails or the endpoint is missing, no feature is enabled. */
export const featuresStore = perSession((session): FeaturesStore => {
  const { $state, signal, set } = openStore<FeaturesState>(session, { status: 'idle', features: [] })
  const ask = async (): Promise<boolean> => {
    if ($state.get().status !== 'ready') set({ status: 'loading', features: [] })
    const result = await outcome(signal, session.client.features.list({ signal }))
    if (result === null) return false
    const isMissing = 'error' in result && result.error.status === 404
    if ('error' in result && !isMissing) {
      set({ status: 'failed', features: [], error: result.error })
      return false
    }
    set({ status: 'ready', features: 'value' in result ? result.value : [] })
    return true
  }
  return {
    $state,
    load: shared(ask, { signal, keptMs }),
    isEnabled: (code) => $state.get().features.some((feature) => feature.code === code && feature.enabled),
  }
})
