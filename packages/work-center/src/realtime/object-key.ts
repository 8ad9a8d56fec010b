import type { BusinessObjectReference } from '@vertical-kit/core-audit/contract'
import type { AuditedObject } from '@vertical-kit/core-audit/database'
import { isObjectKey } from './contract.ts'

/** The number of audit events of each object, by {@link keyOf}. */
export type ObjectChanges = ReadonlyMap<string, number>

/** Returns the key of an object in announcements and in the hub. */
export const keyOf = ({ kind, typeCode, id }: AuditedObject | BusinessObjectReference): string =>
  `${kind}/${typeCode}/${id}`

/** Counts the events of each business object. Omits roles, users and other objects without a page. */
export function countByKey(objects: readonly AuditedObject[]): ObjectChanges {
  const counts = new Map<string, number>()
  for (const object of objects) {
    const key = keyOf(object)
    if (isObjectKey(key)) counts.set(key, (counts.get(key) ?? 0) + 1)
  }
  return counts
}
