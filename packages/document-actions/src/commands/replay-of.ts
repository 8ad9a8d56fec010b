import { type Caller, holds } from '@vertical-kit/core-audit/access'
import { documentPermission, type RegisteredType } from '../actions/registry.ts'
import type { Document, ExecutionResult } from '../contract.ts'

/**
 * Returns the stored answer of an execution without data that the caller may no longer see. Omits actions without
 * permission. Omits the created document if the caller can neither view nor create documents of its type.
 */
export function replayOf(type: RegisteredType, caller: Caller, result: ExecutionResult): ExecutionResult {
  const mayStillSee = (code: string): boolean => {
    const action = type.actions.get(code)
    return action !== undefined && holds(caller, action.permission)
  }
  const { createdDocument } = result
  return {
    ...result,
    actions: result.actions.filter(({ code }) => mayStillSee(code)),
    createdDocument: createdDocument !== null && mayKnow(caller, createdDocument) ? createdDocument : null,
  }
}

const mayKnow = (caller: Caller, { typeCode }: Document): boolean =>
  holds(caller, documentPermission(typeCode, 'view')) || holds(caller, documentPermission(typeCode, 'create'))
