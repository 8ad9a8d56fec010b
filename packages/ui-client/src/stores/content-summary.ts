import type { KitError } from '../client/kit-error.ts'
import { isSameTarget, type Session } from '../session/session.ts'
import type { BusinessObjectReference, ContentSummary } from '../wire/business-objects.ts'
import { openStore, outcome, type Store } from './store.ts'

/** The numbers of an object's attachments and notes. If a number is null, the page shows no badge. */
export type ContentSummaryState =
  | { readonly status: 'idle' | 'loading'; readonly counts: ContentSummary }
  | { readonly status: 'ready'; readonly counts: ContentSummary }
  | { readonly status: 'failed'; readonly counts: ContentSummary; readonly error: KitError }

export interface ContentSummaryStore extends Store<ContentSummaryState> {
  /** Loads the counts, and reloads them whenever another store of the session changes the object's content. */
  load(): Promise<void>
}

const none: ContentSummary = { attachments: null, notes: null }

/** Opens the store of an object's counts. After a failed load, both counts are null. */
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
    // Both features are off, so no badge is shown.
    if (result.error.code === 'feature.disabled') return store.set({ status: 'ready', counts: none })
    store.set({ status: 'failed', counts: none, error: result.error })
  }
  session.listen((change) => {
    const isContent = change.kind === 'content' || change.kind === 'object'
    if (isContent && isSameTarget(change.target, target)) void load()
  }, store.signal)
  return { $state: store.$state, dispose: store.dispose, load }
}
