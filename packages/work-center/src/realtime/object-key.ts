import type { BusinessObjectReference } from '@vertical-kit/core-audit/contract'
import type { AuditedObject } from '@vertical-kit/core-audit/database'
import { isObjectKey } from './contract.ts'

/** The keys of the objects that have changed: see {@link keyOf}. */
export type ObjectChanges = ReadonlySet<string>

/** Returns the key of an object in announcements and in the hub. */
export const keyOf = ({ kind, typeCode, id }: AuditedObject | BusinessObjectReference): string =>
  `${kind}/${typeCode}/${id}`

/** Returns the keys of the business objects. Omits roles, users and other objects without a page. */
export const keysOf = (objects: readonly AuditedObject[]): ObjectChanges =>
  new Set(objects.map(keyOf).filter(isObjectKey))
