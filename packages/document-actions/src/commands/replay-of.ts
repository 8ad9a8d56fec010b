import { type Caller, holds } from '@vertical-kit/core-audit/access'
import type { Db } from '@vertical-kit/core-audit/database'
import { documentPermission, type RegisteredType, type TypeRegistry } from '../actions/registry.ts'
import type { Document, ExecutionResult } from '../contract.ts'
import { isShownTo } from '../policy.ts'

/** The caller and the type of a repeated request. */
export interface Replay {
  readonly type: RegisteredType
  readonly types: TypeRegistry
  readonly caller: Caller
}

/**
 * Returns the stored answer of an execution without data that the caller may no longer see. Omits actions without
 * permission. Omits the created document if it is deleted or hidden from the caller, or if the caller can neither view nor
 * create documents of its type. Sends one statement for a created document, otherwise none.
 */
export async function replayOf(
  db: Db,
  { type, types, caller }: Replay,
  result: ExecutionResult,
): Promise<ExecutionResult> {
  const mayStillSee = (code: string): boolean => {
    const action = type.actions.get(code)
    return action !== undefined && holds(caller, action.permission)
  }
  const { createdDocument } = result
  const isShown = createdDocument !== null && (await mayKnow(db, { types, caller, created: createdDocument }))
  return {
    ...result,
    actions: result.actions.filter(({ code }) => mayStillSee(code)),
    createdDocument: isShown ? createdDocument : null,
  }
}

async function mayKnow(
  db: Db,
  { types, caller, created }: Pick<Replay, 'types' | 'caller'> & { readonly created: Document },
): Promise<boolean> {
  const { typeCode, id } = created
  const permissions = ['view', 'create'].map((action) => documentPermission(typeCode, action))
  const type = types.get(typeCode)
  if (type === undefined || !permissions.some((permission) => holds(caller, permission))) return false
  const document = await type.definition.store.find(db, { typeCode, id })
  return document !== undefined && isShownTo(type, caller, document)
}
