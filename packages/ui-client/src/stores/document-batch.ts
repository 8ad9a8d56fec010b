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

/** Number of documents per request. The page shows the progress after each request. */
const portionSize = 20

/** Maximum number of documents whose reasons are loaded after a batch. The other ones show the message of the refusal. */
const maxExplained = 20

/** One request of a batch, with the results of its latest answer. */
interface Portion {
  readonly request: ExecuteBatch
  readonly results: readonly BatchItemResult[]
}

/** Opens the store for batches of documents of one type. */
export function documentBatchStore(session: Session, typeCode: string): DocumentBatchStore {
  const { documents } = session.client
  const { $state, signal, set, dispose } = openStore<DocumentBatchState>(session, { status: 'none' })
  let portions: readonly Portion[] = []

  /** Sends the portions that have unfinished documents, one after the other, up to the first failure. */
  const send = async (actionCode: string): Promise<BatchEnd | null> => {
    const count = portions.reduce((sum, { request }) => sum + request.items.length, 0)
    const showProgress = () => {
      const doneCount = resultsOf(portions).filter((one) => !isUnfinished(one)).length
      set({ status: 'executing', actionCode, doneCount, count })
    }
    showProgress()
    for (const [index, { request, results: earlier }] of portions.entries()) {
      if (earlier.length > 0 && !earlier.some(isUnfinished)) continue
      const result = await outcome(session.signal, documents.executeBatch(request))
      if (result === null) return null
      if ('error' in result) {
        const end = endOf(count)
        showFailure(actionCode, result.error)
        return end
      }
      const { results } = result.value
      announce(results)
      portions = portions.with(index, { request, results })
      showProgress()
    }
    const end = endOf(count)
    if (!signal.aborted) show(actionCode, await explain(actionCode, resultsOf(portions)))
    return end
  }

  const endOf = (count: number): BatchEnd => ({
    doneCount: resultsOf(portions).filter((one) => 'result' in one).length,
    count,
  })

  /** Shows the error of a request: as that of the batch, or as that of the documents that were not reached. */
  const showFailure = (actionCode: string, error: KitError): void => {
    const isRetriable = !isOutcomeKnown(error)
    if (resultsOf(portions).length === 0) {
      if (!isRetriable) portions = []
      set({ status: 'failed', actionCode, error, isRetriable })
      return
    }
    const reasons = [{ code: error.code, message: error.message }]
    const outcomes = portions.flatMap(({ request: { items }, results }) =>
      items.map(({ id }, index) => {
        const one = results[index]
        return one === undefined || isUnfinished(one)
          ? { id, reasons, isDone: false, isUnfinished: isRetriable }
          : outcomeOf(one)
      }),
    )
    show(actionCode, outcomes)
  }

  const show = (actionCode: string, results: readonly BatchOutcome[]): void => {
    if (!results.some((one) => one.isUnfinished)) portions = []
    set({ status: 'done', actionCode, results })
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
        const plain = outcomeOf(one)
        if ('result' in one) return plain
        const { id, problem } = one
        if (problem.code !== 'document_action.unavailable' || explainedCount >= maxExplained) return plain
        explainedCount += 1
        const loaded = await outcome(signal, documents.editorState({ typeCode, id }, { signal }))
        if (loaded === null || 'error' in loaded) return plain
        const action = loaded.value.actions.find(({ code }) => code === actionCode)
        const reasons = action?.disabledReasons ?? []
        return reasons.length === 0 ? plain : { ...plain, reasons }
      }),
    )
  }

  const mayBegin = () => !signal.aborted && $state.get().status !== 'executing'

  return {
    $state,
    dispose,
    async execute(actionCode, items, reason = null) {
      if (!mayBegin() || items.length === 0) return null
      portions = portionsOf(structuredClone(items), (part) => ({
        ...{ typeCode, actionCode, items: part, reason },
        ...{ idempotencyKey: newIdempotencyKey(), signal: session.signal },
      }))
      return send(actionCode)
    },
    async retry() {
      const actionCode = portions[0]?.request.actionCode
      return mayBegin() && actionCode !== undefined ? send(actionCode) : null
    },
    who: (actionCode, id) => rolesFor(session, { typeCode, id }, signal)(actionCode),
    dismiss() {
      if (!mayBegin()) return
      portions = []
      set({ status: 'none' })
    },
  }
}

/** Divides the documents of a batch into requests. */
function portionsOf(
  items: readonly BatchItem[],
  requestOf: (part: readonly BatchItem[]) => ExecuteBatch,
): readonly Portion[] {
  const count = Math.ceil(items.length / portionSize)
  return Array.from({ length: count }, (_, index) => {
    const part = items.slice(index * portionSize, (index + 1) * portionSize)
    return { request: requestOf(part), results: [] }
  })
}

const resultsOf = (portions: readonly Portion[]): readonly BatchItemResult[] =>
  portions.flatMap(({ results }) => results)

/** Returns the outcome with the message of the refusal. */
function outcomeOf(one: BatchItemResult): BatchOutcome {
  if ('result' in one) return { id: one.id, reasons: [], isDone: true, isUnfinished: false }
  const { id, problem } = one
  const reasons = [{ code: problem.code, message: problem.detail }]
  return { id, reasons, isDone: false, isUnfinished: isUnfinished(one) }
}

/** Returns whether the service did not reach a document, or is still executing its action. */
const isUnfinished = (one: BatchItemResult): boolean =>
  'problem' in one && (one.status >= 500 || one.problem.code === 'document_action.in_progress')
