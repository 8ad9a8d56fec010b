import type { BatchItem } from '../client/documents.ts'
import type { KitError } from '../client/kit-error.ts'
import { onDemand, preload } from '../client/on-demand.ts'
import type { Session } from '../session/session.ts'
import type { DisabledReason } from '../wire/documents.ts'
import type { ActionRole } from './action-roles.ts'
import { copyOf } from './copy-of.ts'
import type { DocumentBatchPortions } from './document-batch-portions.ts'
import { openStore, outcome, type Store } from './store.ts'

/** The state of the latest batch. A store executes one batch at a time. */
export type DocumentBatchState =
  | { readonly status: 'none' }
  /** `doneCount` of the `count` documents have an outcome: changed or refused. */
  | {
      readonly status: 'executing'
      readonly actionCode: string
      readonly doneCount: number
      readonly count: number
    }
  /** No document has an outcome. If `isRetriable` is true, the outcomes are unknown. */
  | {
      readonly status: 'failed'
      readonly actionCode: string
      readonly error: KitError
      readonly isRetriable: boolean
    }
  | { readonly status: 'done'; readonly actionCode: string; readonly results: readonly BatchOutcome[] }

/** The outcome for one document. */
export interface BatchOutcome {
  readonly id: string
  /** The reasons against the action, or another failure. Empty after a success. */
  readonly reasons: readonly Pick<DisabledReason, 'code' | 'message'>[]
  readonly isDone: boolean
  /** Whether the document was not reached. {@link DocumentBatchStore.retry} continues with it. */
  readonly isUnfinished: boolean
}

/** How many documents of a batch were changed. */
export interface BatchEnd {
  readonly doneCount: number
  readonly count: number
}

/**
 * Executes an action on many documents, some per request. The store keeps the requests and their keys until every outcome
 * is known, so a retry never executes an action twice. A batch that has begun continues after `dispose`, until the session
 * ends.
 */
export interface DocumentBatchStore extends Store<DocumentBatchState> {
  /** Resolves at the end, also after `dispose`; with null if another batch is running, or if the session ends before. */
  execute(actionCode: string, items: readonly BatchItem[], reason?: string | null): Promise<BatchEnd | null>
  /** Sends unfinished requests again, after a failure with an unknown outcome or if documents were not reached. */
  retry(): Promise<BatchEnd | null>
  /** Resolves with the roles that could perform an action. Empty if the user may not view roles. */
  who(actionCode: string, id: string): Promise<readonly ActionRole[]>
  dismiss(): void
}

const portions = onDemand(() => import('./document-batch-portions.ts'))

/** Opens the store for batches of documents of one type. */
export function documentBatchStore(session: Session, typeCode: string): DocumentBatchStore {
  const { $state, signal, set, dispose } = openStore<DocumentBatchState>(session, { status: 'none' })
  /** The batch with unfinished documents, and the request that begins one after the portions could not be loaded. */
  let batch: DocumentBatchPortions | null = null
  let begin: (() => Promise<BatchEnd | null>) | null = null
  preload(portions)

  const mayBegin = () => !signal.aborted && $state.get().status !== 'executing'

  return {
    $state,
    dispose,
    async execute(actionCode, given, reason = null) {
      if (!mayBegin() || given.length === 0) return null
      const items = copyOf(given)
      batch = null
      begin = async () => {
        set({ status: 'executing', actionCode, doneCount: 0, count: items.length })
        const loaded = await outcome(session.signal, portions.load())
        if (loaded === null) return null
        if ('error' in loaded) {
          set({ status: 'failed', actionCode, error: loaded.error, isRetriable: true })
          return { doneCount: 0, count: items.length }
        }
        begin = null
        batch = loaded.value.openPortions({
          ...{ session, signal, $state, set, typeCode, actionCode, items, reason },
        })
        return batch.send()
      }
      return begin()
    },
    async retry() {
      if (!mayBegin()) return null
      return begin?.() ?? (batch?.isUnfinished() === true ? batch.send() : null)
    },
    async who(actionCode, id) {
      const loaded = await outcome(signal, portions.load())
      if (loaded === null || 'error' in loaded) return []
      return loaded.value.rolesFor(session, { typeCode, id }, signal)(actionCode)
    },
    dismiss() {
      if (!mayBegin()) return
      batch = null
      begin = null
      set({ status: 'none' })
    },
  }
}
