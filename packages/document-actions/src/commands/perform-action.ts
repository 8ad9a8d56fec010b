import type { FieldChange } from '@vertical-kit/core-audit'
import type { Actor, Caller } from '@vertical-kit/core-audit/access'
import type { Tx } from '@vertical-kit/core-audit/database'
import type { ActionDefinition, ActionExecution } from '../actions/action-definition.ts'
import type { ExecutionEvent } from '../audit.ts'
import type { ExecutionResult } from '../contract.ts'
import { toDocument } from '../documents/document-row.ts'
import type { DocumentUpdate, StoredDocument } from '../documents/document-store.ts'
import {
  checkAvailable,
  checkVersion,
  describeActions,
  requireExecutable,
  requireVisible,
} from '../policy.ts'
import type { ExecutionKey } from '../queries/find-execution.ts'
import type { ExecuteAction } from './execute-action.ts'
import { linkDerived } from './link-derived.ts'
import { recordExecution } from './record-execution.ts'

/** The actor, the claimed key and the parsed input of an execution. */
export interface Performance {
  readonly actor: Actor
  readonly key: ExecutionKey
  readonly payload: unknown
  readonly reason: string | null
}

/**
 * Locks the document, checks everything again, runs the handler and writes the document, the events and the answer. If
 * any step fails, this function throws and the transaction rolls back.
 */
export async function performAction(
  tx: Tx,
  request: ExecuteAction,
  { actor, key, payload, reason }: Performance,
): Promise<ExecutionResult> {
  const { type, executionId, outbox } = request
  const { definition } = request.action
  const { document, caller } = await lockAndCheck(tx, request)
  const facts = await type.definition.loadFacts?.(tx, document)
  checkAvailable(definition, document, facts)

  const execution = { executionId, document, facts, payload, reason, actor, caller }
  const handled = await runHandler(tx, definition, execution)
  const update = { ...handled.update, version: document.version + 1 }
  const next = { ...document, ...update, payload: { fields: update.fields } }
  const { created } = handled
  const actionCode = definition.code
  // The statements are sent together and run in this order, so the new facts include the writes of this action.
  const [, after, factsAfter] = await Promise.all([
    created && linkDerived(tx, { executionId, actionCode, source: document, created }),
    type.definition.store.save(tx, update),
    type.definition.loadFacts?.(tx, next),
  ])
  const result: ExecutionResult = {
    executionId,
    actionCode,
    document: toDocument(after),
    documentVersion: after.version,
    actions: describeActions(type, caller, after, factsAfter),
    workCenterMayChange:
      'workCenterMayChange' in definition ? definition.workCenterMayChange !== false : true,
    createdDocument: created === null ? null : toDocument(created),
  }
  const event: ExecutionEvent = {
    type,
    actionCode,
    executionId,
    before: document,
    after,
    reason,
    actor,
    changes: handled.changes,
    created,
  }
  await recordExecution(tx, { outbox, key, fingerprint: request.fingerprint, event, result })
  return result
}

/** Loads the permissions after the lock, so permissions revoked during the wait no longer count. */
async function lockAndCheck(
  tx: Tx,
  { type, id, action, body, callerNow }: ExecuteAction,
): Promise<{ readonly document: StoredDocument; readonly caller: Caller }> {
  const { store, typeCode } = type.definition
  const [locked, caller] = await Promise.all([store.lock(tx, { typeCode, id }), callerNow(tx)])
  const document = requireVisible(type, caller, locked)
  requireExecutable(caller, action)
  checkVersion(document, body.expectedVersion)
  return { document, caller }
}

/** The result of the handler, and the update of the document. */
interface HandlerResult {
  readonly update: Omit<DocumentUpdate, 'version'>
  readonly changes: readonly FieldChange[]
  readonly created: StoredDocument | null
}

async function runHandler(
  tx: Tx,
  definition: ActionDefinition,
  execution: ActionExecution,
): Promise<HandlerResult> {
  const { id, typeCode, status, payload } = execution.document
  const unchanged = { id, typeCode, status, fields: payload.fields }
  switch (definition.executionKind) {
    case 'Command': {
      const { changes = [], ...outcome } = (await definition.handle(tx, execution)) ?? {}
      return { update: { ...unchanged, ...outcome }, changes, created: null }
    }
    case 'Derivation': {
      const created = await definition.derive(tx, execution)
      if (created.typeCode !== definition.targetTypeCode) {
        throw new TypeError(
          `${definition.code} created a ${created.typeCode} instead of a ${definition.targetTypeCode}`,
        )
      }
      return { update: unchanged, changes: [], created }
    }
    default:
      throw new TypeError(`${definition.code} cannot be executed by the service`)
  }
}
