import type { Caller } from '../access/caller.ts'
import { holds } from '../access/caller.ts'
import type { Db } from '../database/database.ts'
import { CoreError } from '../errors.ts'
import type { BusinessObjectReference } from './contract.ts'
import { type BusinessObjectKind, businessObjectKinds, generalJournalEntryTypeCode } from './contract.ts'

/**
 * Answers whether a caller may read a parent that exists: the vertical's own rule over its own tables. Must not tell
 * a parent that is hidden from one that does not exist.
 */
export type ResolveParent = (db: Db, caller: Caller, reference: BusinessObjectReference) => Promise<boolean>

/** The types of one kind, and how to find one. */
export interface BusinessObjectTypes {
  readonly kind: BusinessObjectKind
  readonly typeCodes: readonly string[]
  readonly resolve: ResolveParent
}

/** The parents of a deployment: what content may be attached to. */
export interface BusinessObjects {
  /**
   * Resolves when the caller may read the parent.
   * @throws {CoreError} business_object.unsupported · business_object.not_found (also when it is hidden: no oracle)
   */
  requireReadable(db: Db, caller: Caller, reference: BusinessObjectReference): Promise<void>
  /** Like `requireReadable`, as an answer. An unsupported reference is not readable. */
  isReadable(db: Db, caller: Caller, reference: BusinessObjectReference): Promise<boolean>
}

/**
 * Registers the vertical's parents.
 * @throws {TypeError} when a kind or type code is none, a type is registered twice, or `general_journal_entry` and its
 *   kind are not together
 */
export function createBusinessObjects(types: readonly BusinessObjectTypes[]): BusinessObjects {
  const resolvers = new Map<string, ResolveParent>()
  for (const { kind, typeCodes, resolve } of types) {
    if (!businessObjectKinds.includes(kind)) throw new TypeError(`${kind} is not a kind of business object`)
    for (const typeCode of typeCodes) {
      const key = `${kind}/${typeCode}`
      if (!/^[a-z0-9_]+(\.[a-z0-9_]+)*$/.test(typeCode))
        throw new TypeError(`${key}: not a canonical type code`)
      if (!kindFits(kind, typeCode))
        throw new TypeError(`${key}: GeneralJournalEntry and its type code go together`)
      if (resolvers.has(key)) throw new TypeError(`${key} is registered twice`)
      resolvers.set(key, resolve)
    }
  }
  const resolverOf = ({ kind, typeCode }: BusinessObjectReference) => resolvers.get(`${kind}/${typeCode}`)

  return {
    async requireReadable(db, caller, reference) {
      const resolve = resolverOf(reference)
      if (resolve === undefined) throw new CoreError('business_object.unsupported')
      if (!(await resolve(db, caller, reference))) throw new CoreError('business_object.not_found')
    },
    async isReadable(db, caller, reference) {
      return (await resolverOf(reference)?.(db, caller, reference)) ?? false
    },
  }
}

const kindFits = (kind: BusinessObjectKind, typeCode: string): boolean =>
  (kind === 'GeneralJournalEntry') === (typeCode === generalJournalEntryTypeCode)

/** Whether the caller may read audit events of an object of this type, as far as permissions go. */
export function holdsAuditAccess(caller: Caller, reference: BusinessObjectReference): boolean {
  return holds(caller, 'system.audit.view') || holds(caller, auditPermission(reference))
}

/** `catalog.<typeCode>.view_audit` or `document.<typeCode>.view_audit`. */
export function auditPermission({ kind, typeCode }: BusinessObjectReference): string {
  return `${kind === 'CatalogItem' ? 'catalog' : 'document'}.${typeCode}.view_audit`
}

/**
 * @throws {CoreError} permission.denied naming the type's own audit permission
 */
export function requireAuditAccess(caller: Caller, reference: BusinessObjectReference): void {
  if (holdsAuditAccess(caller, reference)) return
  throw new CoreError('permission.denied', { context: { permission: auditPermission(reference) } })
}
