import type { KitError } from '../client/kit-error.ts'
import type { Feature } from '../wire/features.ts'
import { perSession, shared } from './per-session.ts'
import { openStore, outcome, type Store } from './store.ts'

/** Which features this deployment has. While that is not known nothing is enabled. */
export type FeaturesState =
  | { readonly status: 'idle' | 'loading'; readonly features: readonly [] }
  | { readonly status: 'ready'; readonly features: readonly Feature[] }
  | { readonly status: 'failed'; readonly features: readonly []; readonly error: KitError }

/** All readers of a session share it: it ends with the session, and no reader can end it for the others. */
export interface FeaturesStore extends Pick<Store<FeaturesState>, '$state'> {
  /** Asks the service, unless it has answered within the last 30 s; calls at the same time ask once. */
  load(): Promise<void>
  /** Whether a feature is on. Unknown ones, and all while discovery has failed, are off. */
  isEnabled(code: string): boolean
}

const keptMs = 30_000

/** Feature discovery, one store a session: closed on failure, and a service without the endpoint has no features. */
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
    load: shared(ask, keptMs),
    isEnabled: (code) => $state.get().features.some((feature) => feature.code === code && feature.enabled),
  }
})
