import type { KitError } from '../client/kit-error.ts'
import { isSameTarget, type Session } from '../session/session.ts'
import type { BusinessObjectReference, ContentSummary } from '../wire/business-objects.ts'
import { type Content, type DeletionStates, type Deletions, deletionsOf } from './deletions.ts'
import { openStore, outcome, type Store } from './store.ts'

/** The numbers of an object's attachments and notes. If a number is null, the page shows no badge. */
export type ContentSummaryState =
  | { readonly status: 'idle' | 'loading'; readonly counts: ContentSummary }
  | { readonly status: 'ready'; readonly counts: ContentSummary }
  | { readonly status: 'failed'; readonly counts: ContentSummary; readonly error: KitError }

/** The counts that badges of an object show. */
export interface ContentSummaryStore extends Store<ContentSummaryState> {
  /** Loads the counts, and reloads them whenever another store of the session changes the object's content. */
  load(): Promise<void>
}

const none: ContentSummary = { attachments: null, notes: null }

/**
 * Opens the store of an object's counts. They do not contain the notes and files that wait for their deletion. After a failed
 * load, both counts are null.
 */
export function contentSummaryStore(session: Session, target: BusinessObjectReference): ContentSummaryStore {
  const store = openStore<ContentSummaryState>(session, { status: 'idle', counts: none })
  let generation = 0
  const deletions = deletionsOf(session)
  /** The counts of the service, and the deletions before it has counted. */
  let counted = none
  let earlier = deletions.$states.get()
  const less = (kind: keyof ContentSummary) =>
    counted[kind] && Math.max(0, counted[kind] - countHidden(deletions, { kind, target }, earlier))
  const counts = (): ContentSummary => ({ attachments: less('attachments'), notes: less('notes') })
  const load = async (): Promise<void> => {
    const mine = ++generation
    store.update(({ counts }) => ({ status: 'loading', counts }))
    const states = deletions.$states.get()
    const request = session.client.businessObjects.contentSummary(target, { signal: store.signal })
    const result = await outcome(store.signal, request)
    if (result === null || mine !== generation) return
    earlier = states
    counted = 'value' in result ? result.value : none
    // With `feature.disabled`, both features are off, so no badge is shown.
    if ('value' in result || result.error.code === 'feature.disabled')
      return store.set({ status: 'ready', counts: counts() })
    store.set({ status: 'failed', counts: none, error: result.error })
  }
  const show = () => store.update((state) => ({ ...state, counts: counts() }))
  store.signal.addEventListener('abort', deletions.$states.listen(show))
  session.listen((change) => {
    const isContent = change.kind === 'content' || change.kind === 'object'
    if (isContent && isSameTarget(change.target, target)) void load()
  }, store.signal)
  return { $state: store.$state, dispose: store.dispose, load }
}

/** Counts the hidden rows of an object, without those that were deleted in these earlier states. */
const countHidden = (deletions: Deletions, { kind, target }: Content, earlier: DeletionStates): number =>
  [...deletions.contents].filter(
    ([id, content]) =>
      content.kind === kind &&
      isSameTarget(content.target, target) &&
      deletions.isHidden(id) &&
      earlier.get(id)?.status !== 'deleted',
  ).length
