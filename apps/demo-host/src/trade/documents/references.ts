import { CoreError } from '@vertical-kit/core-audit'
import { type Caller, holds } from '@vertical-kit/core-audit/access'
import type { Db } from '@vertical-kit/core-audit/database'
import { permissionOf } from '../permissions.ts'
import type { Reference, SearchedObject } from './document-types.ts'
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

/** Returns the objects that a search may use, because the caller may view them. */
export function searchableBy(caller: Caller): readonly SearchedObject[] {
  const types = {
    customer: ['catalog', 'trade.customer'],
    invoice: ['document', 'trade.sales_invoice'],
  } as const
  return (['customer', 'invoice'] as const).filter((searched) => {
    const [kind, typeCode] = types[searched]
    return holds(caller, permissionOf(kind, typeCode, 'view'))
  })
}
