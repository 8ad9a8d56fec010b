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
import { observeExecution } from './observe-execution.ts'
import { performAction } from './perform-action.ts'
import { replayOf } from './replay-of.ts'
import { takeKey } from './take-key.ts'

/** A request to execute an action: its caller, document and key. */
export interface ExecuteAction {
  /** The id of the new execution. A replay does not use this id. */
  readonly executionId: string
  readonly outbox: Outbox
  readonly type: RegisteredType
  readonly id: string
  readonly action: RegisteredAction
  readonly idempotencyKey: string
  /** The hash of the whole request; see `fingerprintOf`. */
  readonly fingerprint: Uint8Array
  readonly body: ExecuteActionBody
  /** The caller with their permissions at the start of the request. */
  readonly caller: Caller
  /** Returns the caller as an actor. Creates their user record if it does not exist. */
  actor(): Promise<Actor>
  /** Loads the caller with their current permissions. */
  callerNow(tx: Tx): Promise<Caller>
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
 *           ─▶ document, version, audit event, outbox event, answer ─▶ commit
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
 * Reads the document first and the execution second. If an execution commits between these reads, the second read finds
 * it, so a repeat does not fail with a version conflict. Callers without a user record have no executions.
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

/** Rejects requests before the lock if they would fail anyway: callers without permission never block the document. */
function checkUnlocked(request: ExecuteAction, document: StoredDocument | undefined): void {
  const { type, action, caller, body } = request
  const visible = requireVisible(type, caller, document)
  requireExecutable(caller, action)
  checkVersion(visible, body.expectedVersion)
}

/** Parses the body. Runs after the permission check, because the parse errors reveal the input of the action. */
const readInput = ({ action: { definition }, body }: ExecuteAction) => ({
  payload: parsePayload(definition, body.payload),
  reason: normalizeReason(definition, body.reason ?? null),
})

/** Returns a stored answer. @throws {DocumentActionsError} documents.not_found · document_action.idempotency_conflict */
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
