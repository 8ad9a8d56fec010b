import type { FieldChange } from '@vertical-kit/core-audit'
import type { Actor, Caller } from '@vertical-kit/core-audit/access'
import type { Tx } from '@vertical-kit/core-audit/database'
import type { ActionDefinition, ActionExecution } from '../actions/action-definition.ts'
import type { DrawNumber } from '../actions/draw-number.ts'
import type { ExecutionEvent } from '../audit.ts'
import type { DocumentAction } from '../contract.ts'
import type { DocumentUpdate, StoredDocument } from '../documents/document-store.ts'
import {
  checkAvailable,
  checkVersion,
  describeActions,
  isShownTo,
  requireExecutable,
  requireVisible,
} from '../policy.ts'
import type { ActionInput, ActionRequest } from './action-request.ts'
import { linkDerived } from './link-derived.ts'

/** The actor, the parsed input and the source of numbers of an execution. */
export interface Performance extends ActionInput {
  readonly actor: Actor
  readonly drawNumber: DrawNumber
}

/** The changes of a performed action, and the actions of the caller after it. */
export interface Performed {
  readonly event: ExecutionEvent
  /** The created document, unless its type hides it from the caller. */
  readonly createdDocument: StoredDocument | null
  readonly actions: DocumentAction[]
}

/**
 * Locks the document, checks everything again, runs the handler and writes the document. If any step fails, this function
 * throws and the transaction rolls back. The handler can wait for locks, too, so the permissions are checked once more after it.
 */
export async function performAction(
  tx: Tx,
  request: ActionRequest,
  { actor, drawNumber, payload, reason }: Performance,
): Promise<Performed> {
  const { type, types, executionId } = request
  const { definition } = request.action
  const { document, caller } = await lockAndCheck(tx, request)
  const facts = await type.definition.loadFacts?.(tx, document)
  checkAvailable(definition, document, facts)

  const execution = { executionId, document, facts, payload, reason, actor, caller, drawNumber }
  const { update: changed, changes, created } = await runHandler(tx, definition, execution)
  const update = { ...changed, version: document.version + 1 }
  const next = { ...document, ...update, payload: { fields: update.fields } }
  const actionCode = definition.code
  // The statements are sent together and run in this order, so the new facts include the writes of this action.
  const [, after, factsAfter, callerAfter] = await Promise.all([
    created && linkDerived(tx, { executionId, actionCode, source: document, created }),
    type.definition.store.save(tx, update),
    type.definition.loadFacts?.(tx, next),
    request.callerNow(tx),
  ])
  requireVisible(type, callerAfter, document)
  requireExecutable(callerAfter, request.action)
  const createdType = types.get(created?.typeCode ?? '')
  const isShown =
    created !== null && createdType !== undefined && isShownTo(createdType, callerAfter, created)
  return {
    createdDocument: isShown ? created : null,
    event: { type, actionCode, executionId, before: document, after, reason, actor, changes, created },
    actions: describeActions(type, callerAfter, after, factsAfter),
  }
}

/** Loads the permissions after the lock, so permissions revoked during the wait no longer count. */
async function lockAndCheck(
  tx: Tx,
  { type, id, action, body, callerNow }: ActionRequest,
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
