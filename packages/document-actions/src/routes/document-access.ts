import { type Caller, holds } from '@vertical-kit/core-audit/access'
import type { Database } from '@vertical-kit/core-audit/database'
import type { Guard, KitEnv } from '@vertical-kit/core-audit/http'
import type { Outbox } from '@vertical-kit/core-audit/outbox'
import type { Context } from 'hono'
import type { RegisteredAction, RegisteredType, TypeRegistry } from '../actions/registry.ts'
import { DocumentActionsError } from '../errors.ts'

export interface DocumentActionsRoutesOptions {
  readonly database: Database
  readonly outbox: Outbox
  readonly types: TypeRegistry
  /** The error codes that handlers throw, for the API description. */
  readonly handlerErrors: readonly string[]
}

export const tag = 'Document actions'

/** The path of one document. */
export const documentPath = '/api/documents/:documentType/:id'

/** The document type and the caller of a request. */
export interface TypeAccess {
  readonly type: RegisteredType
  readonly caller: Caller
}

/** Finds the type of a request, and refuses unknown and hidden types. */
export interface DocumentAccess {
  /** Throws the same error for unknown types and for types that the caller may not view. */
  of(c: Context<KitEnv>): TypeAccess
  readonly guards: readonly Guard[]
}

/** @throws {DocumentActionsError} documents.not_found */
export function documentAccess(types: TypeRegistry): DocumentAccess {
  const of = (c: Context<KitEnv>): TypeAccess => {
    const type = types.get(c.req.param('documentType') ?? '')
    const caller = c.get('caller')
    if (type === undefined || !holds(caller, type.viewPermission)) {
      throw new DocumentActionsError('documents.not_found')
    }
    return { type, caller }
  }
  return { of, guards: [(c) => void of(c)] }
}

/** Returns an action of any execution kind. @throws {DocumentActionsError} document_action.not_found */
export function requireAction(type: RegisteredType, code: string): RegisteredAction {
  const action = type.actions.get(code)
  if (action === undefined) throw new DocumentActionsError('document_action.not_found')
  return action
}

/** Returns an executable action. @throws {DocumentActionsError} document_action.not_found, also for navigations */
export function requireExecutableAction(type: RegisteredType, code: string): RegisteredAction {
  const action = requireAction(type, code)
  const { executionKind } = action.definition
  if (executionKind === 'Navigation' || executionKind === 'View') {
    throw new DocumentActionsError('document_action.not_found', {
      detail: 'This action only opens a page. It cannot be executed.',
    })
  }
  return action
}
