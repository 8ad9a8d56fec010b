import { changeAs } from '@vertical-kit/core-audit/access'
import { isUuid } from '@vertical-kit/core-audit/contract'
import type { Database, Db } from '@vertical-kit/core-audit/database'
import type { Outbox } from '@vertical-kit/core-audit/outbox'
import { drawNumber } from '../actions/draw-number.ts'
import type { ExecutionResult } from '../contract.ts'
import type { StoredDocument } from '../documents/document-store.ts'
import { DocumentActionsError } from '../errors.ts'
import { requireExecutable, requireVisible } from '../policy.ts'
import { findExecution, type StoredExecution } from '../queries/find-execution.ts'
import { type ActionInput, type ActionRequest, checkUnlocked } from './action-request.ts'
import { observeExecution } from './observe-execution.ts'
import { performAction } from './perform-action.ts'
import { recordExecution } from './record-execution.ts'
import { replayOf } from './replay-of.ts'
import { takeKey } from './take-key.ts'

/** A request to execute an action, with its key. */
export interface ExecuteAction extends ActionRequest {
  readonly outbox: Outbox
  readonly idempotencyKey: string
  /** The hash of the whole request; see `fingerprintOf`. */
  readonly fingerprint: Uint8Array
  /** Whether the rights of the caller can have changed since they were read, because other executions of the request came first. */
  readonly isCallerOutdated?: boolean
}

/** The answer to a request. A replay returns the result of an earlier execution. */
export interface ExecutionAnswer {
  readonly result: ExecutionResult
  readonly isReplay: boolean
}

/**
 * Executes an action exactly once per key of an actor, if the document still has the version that the caller loaded.
 *
 *     look up key ──found──▶ same request? ──▶ replay, without data the caller may no longer see
 *         │ not found
 *     check without locks
 *         │
 *     begin ─▶ claim key ─▶ look up key again ─▶ lock document ─▶ load permissions ─▶ check all ─▶ handler
 *           ─▶ document, version ─▶ check permissions again ─▶ audit event, outbox event, answer ─▶ commit
 *
 * The key is claimed before the document is locked, so a repeat never waits for other changes to the document. Only the
 * checks after the lock are decisive. The checks before the lock reject requests early.
 *
 * @throws {DocumentActionsError} documents.not_found · documents.version_conflict · document_action.forbidden ·
 *   unavailable · idempotency_conflict · in_progress · reason_required · reason_invalid; also the errors of the handler
 * @throws {CoreError} request.invalid if the schema of the action rejects the payload
 */
export function executeAction(database: Database, request: ExecuteAction): Promise<ExecutionAnswer> {
  return observeExecution(request, () => execute(database, request))
}

async function execute(database: Database, request: ExecuteAction): Promise<ExecutionAnswer> {
  if (!isUuid(request.id)) throw new DocumentActionsError('documents.not_found')
  const { answer, document } = await lookUp(database, request)
  if (answer !== undefined) return answer
  const input = await checkEarly(database, request, document)

  return changeAs(database, request, async (tx, actor) => {
    const key = { actorUserId: actor.userId, idempotencyKey: request.idempotencyKey }
    const execution = await takeKey(tx, key)
    if (execution !== undefined) return answerAgain(tx, request, execution, document)
    const performed = await performAction(tx, request, { ...input, actor, drawNumber })
    return { result: await recordExecution(tx, request, { ...performed, key }), isReplay: false }
  })
}

interface Known {
  readonly document: StoredDocument | undefined
  /** The answer to a repeated request. */
  readonly answer: ExecutionAnswer | undefined
}

/**
 * Reads the document first and the execution second. If an execution commits between these reads, the second read finds
 * it, so a repeat does not fail with a version conflict. Callers without a user record have no executions.
 */
function lookUp(database: Database, request: ExecuteAction): Promise<Known> {
  const { type, id, caller, idempotencyKey } = request
  const { store, typeCode } = type.definition
  return database.read(async (db) => {
    const [document, execution] = await Promise.all([
      store.find(db, { typeCode, id }),
      caller.userId === null ? undefined : findExecution(db, { actorUserId: caller.userId, idempotencyKey }),
    ])
    const isNew = execution === undefined
    return { document, answer: isNew ? undefined : await answerAgain(db, request, execution, document) }
  })
}

/**
 * Checks without locks. A refusal can contain what only a caller with the permissions may know, such as the current version.
 * So if the permissions can have changed, they are loaded for a refusal; otherwise, the checks after the lock load them.
 */
async function checkEarly(
  database: Database,
  request: ExecuteAction,
  document: StoredDocument | undefined,
): Promise<ActionInput> {
  try {
    return checkUnlocked(request, document)
  } catch (error) {
    if (request.isCallerOutdated) {
      const caller = await database.read((db) => request.callerNow(db))
      requireVisible(request.type, caller, document)
      requireExecutable(caller, request.action)
    }
    throw error
  }
}

/** Returns a stored answer. @throws {DocumentActionsError} documents.not_found · document_action.idempotency_conflict */
async function answerAgain(
  db: Db,
  request: ExecuteAction,
  execution: StoredExecution,
  document: StoredDocument | undefined,
): Promise<ExecutionAnswer> {
  const caller = request.isCallerOutdated ? await request.callerNow(db) : request.caller
  requireVisible(request.type, caller, document)
  if (!Buffer.from(execution.fingerprint).equals(request.fingerprint)) {
    throw new DocumentActionsError('document_action.idempotency_conflict')
  }
  return { result: await replayOf(db, { ...request, caller }, execution.result), isReplay: true }
}
