import { isKitError } from '../client/kit-error.ts'
import type { Feature } from '../wire/features.ts'
import { type KeptState, type KeptStore, keptStore } from './kept-store.ts'
import { perSession } from './per-session.ts'

/** The features of this deployment. Until they are loaded, none is enabled. A later load that fails keeps them. */
export type FeaturesState = KeptState<
  { readonly features: readonly Feature[] },
  { readonly features: readonly [] }
>

/** All readers of a session share this store. It ends with the session, and a reader cannot dispose it. */
export interface FeaturesStore
  extends KeptStore<{ readonly features: readonly Feature[] }, { readonly features: readonly [] }> {
  /** Returns whether a feature is enabled. Unknown features are disabled. If the first load fails, all are disabled. */
  isEnabled(code: string): boolean
}

/** Returns the session's store of features. If the first load fails or the endpoint is missing, no feature is enabled. */
export const featuresStore = perSession((session): FeaturesStore => {
  const list = async (signal: AbortSignal): Promise<{ readonly features: readonly Feature[] }> => {
    try {
      return { features: await session.client.features.list({ signal }) }
    } catch (error) {
      const hasFeatures = store.$state.get().features.length > 0
      // A service that has had features has the endpoint, so this is the page of a proxy.
      if (isKitError(error) && error.status === 404 && !hasFeatures) return { features: [] }
      throw error
    }
  }
  const store = keptStore(session, { features: [] as const }, list)
  return {
    ...store,
    isEnabled: (code) =>
      store.$state.get().features.some((feature) => feature.code === code && feature.enabled),
  }
})
