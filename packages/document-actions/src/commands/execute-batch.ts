import { CoreError } from '@vertical-kit/core-audit'
import type { Caller } from '@vertical-kit/core-audit/access'
import type { ProblemDetails } from '@vertical-kit/core-audit/contract'
import type { Database } from '@vertical-kit/core-audit/database'
import type { RegisteredAction } from '../actions/registry.ts'
import type { BatchItemResult } from '../contract.ts'
import { normalizeReason, requireExecutable } from '../policy.ts'
import { type ExecuteAction, executeAction } from './execute-action.ts'

/** A request to execute one action on several documents. */
export interface ExecuteBatch {
  readonly action: RegisteredAction
  readonly caller: Caller
  readonly reason: string | null
  readonly items: readonly BatchItem[]
  /** When it is aborted, the remaining executions are not started. They fail with `service.unavailable`. */
  readonly signal: AbortSignal
  /** Describes the error of one document, and logs it if it is a fault. */
  problemOf(error: unknown): ProblemDetails
}

/** One document of a batch. */
export interface BatchItem {
  readonly id: string
  /** Returns the request for this document. */
  request(): ExecuteAction
}

/**
 * Executes an action on several documents, one after the other. Each execution has its own key and transaction. It uses one
 * connection while it runs, and none is held between two executions. An error of one document does not affect the others.
 * Returns the results in the order of the items.
 *
 * @throws {DocumentActionsError} document_action.forbidden · reason_required · reason_invalid, before any execution
 */
export async function executeBatch(database: Database, batch: ExecuteBatch): Promise<BatchItemResult[]> {
  const { action, caller, reason, items, signal, problemOf } = batch
  requireExecutable(caller, action)
  normalizeReason(action.definition, reason)
  const results: BatchItemResult[] = []
  // Replays take hardly any time. An execution can wait for locks, also if it fails.
  let isCallerOutdated = false
  for (const { id, request } of items) {
    if (signal.aborted) break
    try {
      const { result, isReplay } = await executeAction(database, { ...request(), isCallerOutdated })
      isCallerOutdated ||= !isReplay
      results.push({ id, status: 200, result })
    } catch (error) {
      isCallerOutdated = true
      const problem = problemOf(error)
      results.push({ id, status: problem.status, problem })
    }
  }
  if (results.length === items.length) return results
  const problem = problemOf(notStarted())
  return [
    ...results,
    ...items.slice(results.length).map(({ id }) => ({ id, status: problem.status, problem })),
  ]
}

const notStarted = () =>
  new CoreError('service.unavailable', {
    detail: 'The batch took too long, and this document was not reached. Send the same request again.',
  })
