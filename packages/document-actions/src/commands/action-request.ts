import type { Actor, Caller } from '@vertical-kit/core-audit/access'
import type { Db, Tx } from '@vertical-kit/core-audit/database'
import { parsePayload } from '../actions/parse-payload.ts'
import type { RegisteredAction, RegisteredType, TypeRegistry } from '../actions/registry.ts'
import type { ExecuteActionBody } from '../contract.ts'
import type { StoredDocument } from '../documents/document-store.ts'
import { checkVersion, normalizeReason, requireExecutable, requireVisible } from '../policy.ts'

/** A request for an action: its caller, document and input. */
export interface ActionRequest {
  /** The id of the new execution. A replay does not use this id. */
  readonly executionId: string
  readonly type: RegisteredType
  readonly types: TypeRegistry
  readonly id: string
  readonly action: RegisteredAction
  readonly body: ExecuteActionBody
  /** The caller with their permissions at the start of the request. */
  readonly caller: Caller
  /** Returns the caller as an actor. Creates their user record if it does not exist, in the transaction if there is one. */
  actor(tx?: Tx): Promise<Actor>
  /** Loads the caller with their current permissions. */
  callerNow(db: Db): Promise<Caller>
}

/** The parsed input of an action. */
export interface ActionInput {
  readonly payload: unknown
  readonly reason: string | null
}

/**
 * Rejects requests before the lock if they would fail anyway: callers without permission never block the document. Returns
 * the parsed input.
 *
 * @throws {DocumentActionsError} documents.not_found · documents.version_conflict · document_action.forbidden ·
 *   reason_required · reason_invalid
 * @throws {CoreError} request.invalid if the schema of the action rejects the payload
 */
export function checkUnlocked(request: ActionRequest, document: StoredDocument | undefined): ActionInput {
  const { type, action, caller, body } = request
  const visible = requireVisible(type, caller, document)
  requireExecutable(caller, action)
  // A caller without a record at the start of the request may have one by now, and an execution with this key: then the answer is a
  // replay, not a conflict with the caller's own change. The version is checked again under the lock.
  if (caller.userId !== null) checkVersion(visible, body.expectedVersion)
  // The input is parsed after the permission check, because the parse errors reveal the input of the action.
  return {
    payload: parsePayload(action.definition, body.payload),
    reason: normalizeReason(action.definition, body.reason ?? null),
  }
}
