import type { KitError } from '../client/kit-error.ts'
import { isSameTarget, type Session } from '../session/session.ts'
import type { BusinessObjectReference, ContentSummary } from '../wire/business-objects.ts'
import { openStore, outcome, type Store } from './store.ts'

/** How many attachments and notes an object has; `null` where the user has no entry to show. */
export type ContentSummaryState =
  | { readonly status: 'idle' | 'loading'; readonly counts: ContentSummary }
  | { readonly status: 'ready'; readonly counts: ContentSummary }
  | { readonly status: 'failed'; readonly counts: ContentSummary; readonly error: KitError }

export interface ContentSummaryStore extends Store<ContentSummaryState> {
  /** Asks for the counts. They follow what the session's other stores change by themselves. */
  load(): Promise<void>
}

const none: ContentSummary = { attachments: null, notes: null }

/** The badges of an object. Closed on failure: what is not known has no entry. */
export function contentSummaryStore(session: Session, target: BusinessObjectReference): ContentSummaryStore {
  const store = openStore<ContentSummaryState>(session, { status: 'idle', counts: none })
  let generation = 0
  const load = async (): Promise<void> => {
    generation += 1
    const mine = generation
    store.update(({ counts }) => ({ status: 'loading', counts }))
    const request = session.client.businessObjects.contentSummary(target, { signal: store.signal })
    const result = await outcome(store.signal, request)
    if (result === null || mine !== generation) return
    if ('value' in result) return store.set({ status: 'ready', counts: result.value })
    // Both features off is an answer: there is nothing to show.
    if (result.error.code === 'feature.disabled') return store.set({ status: 'ready', counts: none })
    store.set({ status: 'failed', counts: none, error: result.error })
  }
  session.listen((change) => {
    if (change.kind === 'content' && isSameTarget(change.target, target)) void load()
  }, store.signal)
  return { $state: store.$state, dispose: store.dispose, load }
}
