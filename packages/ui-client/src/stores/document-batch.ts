import { type BatchItem, type ExecuteBatch, newIdempotencyKey } from '../client/documents.ts'
import type { KitError } from '../client/kit-error.ts'
import type { Session } from '../session/session.ts'
import type { BatchItemResult, DisabledReason } from '../wire/documents.ts'
import { type ActionRole, rolesFor } from './action-roles.ts'
import { isOutcomeKnown } from './document-actions-intentions.ts'
import { openStore, outcome, type Store } from './store.ts'

/** The state of the latest batch. A store executes one batch at a time. */
export type DocumentBatchState =
  | { readonly status: 'none' }
  | { readonly status: 'executing'; readonly actionCode: string; readonly count: number }
  /** The whole batch failed. If `isRetriable` is true, the outcome is unknown. */
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

/**
 * Executes an action on many documents. The store keeps the request and its key until every outcome is known, so a retry
 * never executes an action twice.
 */
export interface DocumentBatchStore extends Store<DocumentBatchState> {
  execute(actionCode: string, items: readonly BatchItem[], reason?: string | null): Promise<void>
  /** Sends the same request again, after a failure with an unknown outcome or if documents were not reached. */
  retry(): Promise<void>
  /** Resolves with the roles that could perform an action. Empty if the user may not view roles. */
  who(actionCode: string, id: string): Promise<readonly ActionRole[]>
  dismiss(): void
}

/** Maximum number of documents whose reasons are loaded after a batch. The other ones show the message of the refusal. */
const maxExplained = 20

/** Opens the store for batches of documents of one type. */
export function documentBatchStore(session: Session, typeCode: string): DocumentBatchStore {
  const { documents } = session.client
  const { $state, signal, set, dispose } = openStore<DocumentBatchState>(session, { status: 'none' })
  let intention: ExecuteBatch | null = null

  const send = async (batch: ExecuteBatch): Promise<void> => {
    const { actionCode, items } = batch
    set({ status: 'executing', actionCode, count: items.length })
    const result = await outcome(signal, documents.executeBatch({ ...batch, signal: session.signal }))
    if (result === null) return
    if ('error' in result) {
      const { error } = result
      const isRetriable = !isOutcomeKnown(error)
      if (!isRetriable) intention = null
      return set({ status: 'failed', actionCode, error, isRetriable })
    }
    const { results } = result.value
    announce(results)
    const outcomes = await explain(actionCode, results)
    if (!outcomes.some(({ isUnfinished }) => isUnfinished)) intention = null
    set({ status: 'done', actionCode, results: outcomes })
  }

  const announce = (results: readonly BatchItemResult[]): void => {
    const done = results.flatMap((one) => ('result' in one ? [one.result] : []))
    for (const { document } of done) session.announce({ kind: 'document', typeCode, id: document.id })
    if (done.some(({ workCenterMayChange }) => workCenterMayChange)) session.announce({ kind: 'workCenter' })
  }

  /** Loads the messages of the reasons, because a refusal contains only their codes. */
  const explain = (actionCode: string, results: readonly BatchItemResult[]): Promise<BatchOutcome[]> => {
    let explainedCount = 0
    return Promise.all(
      results.map(async (one) => {
        if ('result' in one) return { id: one.id, reasons: [], isDone: true, isUnfinished: false }
        const { id, problem, status } = one
        const isUnfinished = status >= 500 || problem.code === 'document_action.in_progress'
        const failed = {
          id,
          reasons: [{ code: problem.code, message: problem.detail }],
          isDone: false,
          isUnfinished,
        }
        if (problem.code !== 'document_action.unavailable' || explainedCount >= maxExplained) return failed
        explainedCount += 1
        const loaded = await outcome(signal, documents.editorState({ typeCode, id }, { signal }))
        if (loaded === null || 'error' in loaded) return failed
        const action = loaded.value.actions.find(({ code }) => code === actionCode)
        const reasons = action?.disabledReasons ?? []
        return reasons.length === 0 ? failed : { ...failed, reasons }
      }),
    )
  }

  const mayBegin = () => !signal.aborted && $state.get().status !== 'executing'

  return {
    $state,
    dispose,
    async execute(actionCode, items, reason = null) {
      if (!mayBegin() || items.length === 0) return
      const batch = { typeCode, actionCode, items: structuredClone(items), reason }
      intention = { ...batch, idempotencyKey: newIdempotencyKey() }
      await send(intention)
    },
    async retry() {
      if (mayBegin() && intention !== null) await send(intention)
    },
    who: (actionCode, id) => rolesFor(session, { typeCode, id }, signal)(actionCode),
    dismiss() {
      if (!mayBegin()) return
      intention = null
      set({ status: 'none' })
    },
  }
}
