import { CoreError } from '@vertical-kit/core-audit'
import { type Caller, holds } from '@vertical-kit/core-audit/access'
import type { Db } from '@vertical-kit/core-audit/database'
import { permissionOf } from '../permissions.ts'
import type { DocumentType, Reference } from './document-types.ts'
import { findMissingReferences } from './queries/missing-references.ts'

/**
 * Checks that the caller can see every referenced object. Missing and hidden objects cause identical errors.
 * @throws {CoreError} request.invalid with the path of each reference that is missing or hidden
 */
export async function requireReferences(
  db: Db,
  caller: Caller,
  references: readonly Reference[],
): Promise<void> {
  const missing = new Set(await findMissingReferences(db, references))
  refuseMissing(references.filter((reference) => missing.has(reference) || isHidden(caller, reference)))
}

/** @throws {CoreError} request.invalid with the path of each reference to a type that the caller may not view */
export function refuseHidden(caller: Caller, references: readonly Reference[]): void {
  refuseMissing(references.filter((reference) => isHidden(caller, reference)))
}

const isHidden = (caller: Caller, { kind, typeCode }: Reference): boolean =>
  !holds(caller, permissionOf(kind, typeCode, 'view'))

/** @throws {CoreError} request.invalid with the path of each reference, unless the list is empty */
export function refuseMissing(missing: readonly Reference[]): void {
  if (missing.length === 0) return
  throw new CoreError('request.invalid', {
    errors: missing.map(({ path }) => ({ path, message: 'does not exist' })),
  })
}

/** Returns whether a search may use the customers, and for payments the invoices, because the caller may view them. */
export function mayFind(caller: Caller, { foundBy }: DocumentType): boolean {
  const mayView = (kind: Reference['kind'], typeCode: string) =>
    holds(caller, permissionOf(kind, typeCode, 'view'))
  if (foundBy === undefined || !mayView('catalog', 'trade.customer')) return false
  return foundBy === 'customer' || mayView('document', 'trade.sales_invoice')
}
