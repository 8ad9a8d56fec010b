import type { Actor, Caller } from '@vertical-kit/core-audit/access'
import { isUuid } from '@vertical-kit/core-audit/contract'
import type { Database, Tx } from '@vertical-kit/core-audit/database'
import type { Outbox } from '@vertical-kit/core-audit/outbox'
import { parsePayload } from '../actions/parse-payload.ts'
import type { RegisteredAction, RegisteredType } from '../actions/registry.ts'
import type { ExecuteActionBody, ExecutionResult } from '../contract.ts'
import type { StoredDocument } from '../documents/document-store.ts'
import { DocumentActionsError } from '../errors.ts'
import { checkVersion, normalizeReason, requireExecutable, requireVisible } from '../policy.ts'
import { findExecution, type StoredExecution } from '../queries/find-execution.ts'
import { performAction } from './perform-action.ts'
import { replayOf } from './replay-of.ts'
import { takeKey } from './take-key.ts'

/** A request to execute an action: by whom, on what, with which key. */
export interface ExecuteAction {
  /** Becomes the execution's id, if it is executed now. */
  readonly executionId: string
  readonly outbox: Outbox
  readonly type: RegisteredType
  readonly id: string
  readonly action: RegisteredAction
  readonly idempotencyKey: string
  /** Over the whole request: see `fingerprintOf`. */
  readonly fingerprint: Uint8Array
  readonly body: ExecuteActionBody
  /** As they were when the request came in. */
  readonly caller: Caller
  /** The caller as an author; makes their user record when needed. */
  actor(): Promise<Actor>
  /** The caller with their rights as of now. */
  callerNow(tx: Tx): Promise<Caller>
}

/** What came of a request: executed now, or answered with what an earlier one came to. */
export interface ExecutionAnswer {
  readonly result: ExecutionResult
  readonly isReplay: boolean
}

/**
 * Executes an action exactly once for each key of an actor, on the version of the document that the caller saw.
 *
 *     look up key ──found──▶ same request? ──▶ replay, as far as the caller may still see
 *         │ not found
 *     check what needs no lock
 *         │
 *     begin ─▶ take key ─▶ look up key again ─▶ lock document ─▶ load rights ─▶ check all ─▶ handler
 *           ─▶ document, version, audit event, outbox event, answer ─▶ commit
 *
 * The key comes before the document: a repeat is answered without waiting for whoever works on the document. What was
 * asked first without a lock is asked again under it; only that counts.
 *
 * @throws {DocumentActionsError} documents.not_found · documents.version_conflict · document_action.forbidden ·
 *   unavailable · idempotency_conflict · in_progress · reason_required · reason_invalid; and whatever the handler throws
 * @throws {CoreError} request.invalid for a payload the action does not take
 */
export async function executeAction(database: Database, request: ExecuteAction): Promise<ExecutionAnswer> {
  if (!isUuid(request.id)) throw new DocumentActionsError('documents.not_found')
  const known = await lookUp(database, request)
  if (known.execution !== undefined) return answerAgain(request, known.execution, known.document)
  checkUnlocked(request, known.document)
  const input = readInput(request)

  const actor = await request.actor()
  const key = { actorUserId: actor.userId, idempotencyKey: request.idempotencyKey }
  return database.transaction(async (tx) => {
    const execution = await takeKey(tx, key)
    if (execution !== undefined) return answerAgain(request, execution, known.document)
    return { result: await performAction(tx, request, { actor, key, ...input }), isReplay: false }
  })
}

interface Known {
  readonly document: StoredDocument | undefined
  readonly execution: StoredExecution | undefined
}

/**
 * The document first and the key second: an execution that commits between the two is found by its key, so that its
 * repeat is not taken for a stale one. Somebody without a user record has not executed anything.
 */
function lookUp(database: Database, { type, id, caller, idempotencyKey }: ExecuteAction): Promise<Known> {
  const { store, typeCode } = type.definition
  return database.read(async (db) => {
    const [document, execution] = await Promise.all([
      store.find(db, { typeCode, id }),
      caller.userId === null ? undefined : findExecution(db, { actorUserId: caller.userId, idempotencyKey }),
    ])
    return { document, execution }
  })
}

/** Spares the lock what is refused anyway, and the document a wait of those who may not touch it. */
function checkUnlocked(request: ExecuteAction, document: StoredDocument | undefined): void {
  const { type, action, caller, body } = request
  const visible = requireVisible(type, caller, document)
  requireExecutable(caller, action)
  checkVersion(visible, body.expectedVersion)
}

/** What the action makes of the body; asked once the caller may execute it, since the errors tell what it takes. */
const readInput = ({ action: { definition }, body }: ExecuteAction) => ({
  payload: parsePayload(definition, body.payload),
  reason: normalizeReason(definition, body.reason ?? null),
})

/** @throws {DocumentActionsError} documents.not_found · document_action.idempotency_conflict */
function answerAgain(
  request: ExecuteAction,
  execution: StoredExecution,
  document: StoredDocument | undefined,
): ExecutionAnswer {
  requireVisible(request.type, request.caller, document)
  if (!Buffer.from(execution.fingerprint).equals(request.fingerprint)) {
    throw new DocumentActionsError('document_action.idempotency_conflict')
  }
  return { result: replayOf(request.type, request.caller, execution.result), isReplay: true }
}
