import { type Caller, holds } from '../access/caller.ts'
import { CoreError } from '../errors.ts'
import type { BusinessObjectReference } from './contract.ts'

/** The permission to read every timeline, including those of roles, users, outbox events and deleted objects. */
export const viewAllAudit = 'system.audit.view'

/** Checks whether the caller's permissions allow reading audit events of objects of this type. */
export function holdsAuditAccess(caller: Caller, reference: BusinessObjectReference): boolean {
  return holds(caller, viewAllAudit) || holds(caller, auditPermission(reference))
}

/** Returns `catalog.<typeCode>.view_audit` or `document.<typeCode>.view_audit`. */
export function auditPermission({ kind, typeCode }: BusinessObjectReference): string {
  return `${kind === 'CatalogItem' ? 'catalog' : 'document'}.${typeCode}.view_audit`
}

/**
 * Checks that the caller is allowed to read audit events of objects of this type.
 * @throws {CoreError} permission.denied naming the type's own audit permission
 */
export function requireAuditAccess(caller: Caller, reference: BusinessObjectReference): void {
  if (holdsAuditAccess(caller, reference)) return
  throw new CoreError('permission.denied', { context: { permission: auditPermission(reference) } })
}
