import type { ReadableAtom } from 'nanostores'
import { type BatchItem, type ExecuteBatch, newIdempotencyKey } from '../client/documents.ts'
import type { KitError } from '../client/kit-error.ts'
import type { Session } from '../session/session.ts'
import type { BatchItemResult } from '../wire/documents.ts'
import { intentionsOf, isOutcomeKnown } from './document-actions-intentions.ts'
import type { BatchEnd, BatchOutcome, DocumentBatchState } from './document-batch.ts'
import { outcome } from './store.ts'

export { rolesFor } from './action-roles.ts'

/** Number of documents per request. The page shows the progress after each request. */
const portionSize = 20

/** Maximum number of documents whose reasons are loaded after a batch. The other ones show the message of the refusal. */
const maxExplained = 20

/** One request of a batch, with the results of its latest answer. */
interface Portion {
  readonly request: ExecuteBatch
  readonly results: readonly BatchItemResult[]
}

export interface PortionsInput {
  readonly session: Session
  /** The signal of the store. The batch continues after its end, until the session ends. */
  readonly signal: AbortSignal
  readonly $state: ReadableAtom<DocumentBatchState>
  readonly set: (state: DocumentBatchState) => void
  readonly typeCode: string
  readonly actionCode: string
  readonly items: readonly BatchItem[]
  readonly reason: string | null
}

/** The requests of one batch, with their keys. */
export interface DocumentBatchPortions {
  /** Sends the portions that have unfinished documents, one after the other, up to the first failure. */
  send(): Promise<BatchEnd | null>
  /** Returns whether a document has no known outcome. */
  isUnfinished(): boolean
}

/** Divides the documents of a batch into requests. */
export function openPortions(input: PortionsInput): DocumentBatchPortions {
  const { session, signal, $state, set, actionCode } = input
  const { documents } = session.client
  let portions = portionsOf(input)
  const count = input.items.length

  const showProgress = () => {
    const doneCount = resultsOf(portions).filter((one) => !isUnfinished(one)).length
    set({ status: 'executing', actionCode, doneCount, count })
  }
  const end = (): BatchEnd => ({
    doneCount: resultsOf(portions).filter((one) => 'result' in one).length,
    count,
  })
  const show = (results: readonly BatchOutcome[]): void => {
    if (!results.some((one) => one.isUnfinished)) portions = []
    set({ status: 'done', actionCode, results })
  }
  /** Shows the error of a request: as that of the batch, or as that of the documents that were not reached. */
  const showFailure = (error: KitError): void => {
    const isRetriable = !isOutcomeKnown(error)
    if (resultsOf(portions).length > 0) {
      show(outcomesAfter(portions, error))
      return
    }
    if (!isRetriable) portions = []
    set({ status: 'failed', actionCode, error, isRetriable })
  }
  return {
    isUnfinished: () => portions.length > 0,
    async send() {
      // The store shows a new batch before this part is loaded.
      if ($state.get().status !== 'executing') showProgress()
      for (const [index, { request, results: earlier }] of portions.entries()) {
        if (earlier.length > 0 && !earlier.some(isUnfinished)) continue
        const result = await outcome(session.signal, documents.executeBatch(request))
        if (result === null) return null
        if ('error' in result) {
          const ended = end()
          showFailure(result.error)
          return ended
        }
        const { results } = result.value
        announce(input, results)
        portions = portions.with(index, { request, results })
        showProgress()
      }
      const ended = end()
      if (!signal.aborted) show(await explain(input, resultsOf(portions)))
      return ended
    },
  }
}

function portionsOf({ session, typeCode, actionCode, items, reason }: PortionsInput): readonly Portion[] {
  const count = Math.ceil(items.length / portionSize)
  return Array.from({ length: count }, (_, index) => {
    const part = items.slice(index * portionSize, (index + 1) * portionSize)
    const request = { typeCode, actionCode, items: part, reason, signal: session.signal }
    return { request: { ...request, idempotencyKey: newIdempotencyKey() }, results: [] }
  })
}

function announce({ session, typeCode }: PortionsInput, results: readonly BatchItemResult[]): void {
  const done = results.flatMap((one) => ('result' in one ? [one.result] : []))
  for (const { document } of done) {
    const { id } = document
    intentionsOf(session).succeeded({ typeCode, id })
    session.announce({ kind: 'document', typeCode, id })
  }
  if (done.some(({ workCenterMayChange }) => workCenterMayChange)) session.announce({ kind: 'workCenter' })
}

/** Loads the messages of the reasons, because a refusal contains only their codes. */
function explain(
  { session, signal, typeCode, actionCode }: PortionsInput,
  results: readonly BatchItemResult[],
): Promise<BatchOutcome[]> {
  let explainedCount = 0
  return Promise.all(
    results.map(async (one) => {
      const plain = outcomeOf(one)
      if ('result' in one) return plain
      const { id, problem } = one
      if (problem.code !== 'document_action.unavailable' || explainedCount >= maxExplained) return plain
      explainedCount += 1
      const { documents } = session.client
      const loaded = await outcome(signal, documents.editorState({ typeCode, id }, { signal }))
      if (loaded === null || 'error' in loaded) return plain
      const action = loaded.value.actions.find(({ code }) => code === actionCode)
      const reasons = action?.disabledReasons ?? []
      return reasons.length === 0 ? plain : { ...plain, reasons }
    }),
  )
}

/** Returns the outcomes after a failed request. Documents without an outcome have its error. */
function outcomesAfter(portions: readonly Portion[], error: KitError): readonly BatchOutcome[] {
  const isRetriable = !isOutcomeKnown(error)
  const reasons = [{ code: error.code, message: error.message }]
  return portions.flatMap(({ request: { items }, results }) =>
    items.map(({ id }, index) => {
      const one = results[index]
      return one === undefined || isUnfinished(one)
        ? { id, reasons, isDone: false, isUnfinished: isRetriable }
        : outcomeOf(one)
    }),
  )
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
