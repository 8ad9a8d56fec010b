import type { Caller } from '../access/caller.ts'
import type { Db } from '../database/database.ts'
import { CoreError } from '../errors.ts'
import {
  type BusinessObjectKind,
  type BusinessObjectReference,
  businessObjectKinds,
  generalJournalEntryTypeCode,
} from './contract.ts'

/**
 * Returns whether the object exists and the caller is allowed to read it. The vertical implements this rule over its own
 * tables. Returns `false` for hidden and missing objects alike, so that answers never reveal which objects exist.
 */
export type IsReadable = (db: Db, caller: Caller, reference: BusinessObjectReference) => Promise<boolean>

/** The types of one kind, with the vertical's rules about their objects. */
export interface BusinessObjectTypes {
  readonly kind: BusinessObjectKind
  readonly typeCodes: readonly string[]
  readonly isReadable: IsReadable
  /**
   * Returns whether the object exists, independent of the caller. If this function is present, holders of
   * `system.audit.view` can read the timelines of deleted objects; otherwise no caller can.
   */
  readonly exists?: (db: Db, reference: BusinessObjectReference) => Promise<boolean>
}

/** The business objects of a deployment: the targets of content and timelines. */
export interface BusinessObjects {
  /**
   * Resolves when the caller is allowed to read the object.
   * @throws {CoreError} business_object.unsupported · business_object.not_found, also when the object is hidden, so that
   *   the error does not reveal whether the object exists
   */
  requireReadable(db: Db, caller: Caller, reference: BusinessObjectReference): Promise<void>
  /**
   * Like `requireReadable`, but resolves with `deleted` if the object does not exist. Use it only for timelines and only
   * for callers with `system.audit.view`: other callers must not learn which objects exist.
   * @throws {CoreError} business_object.unsupported · business_object.not_found when the object is hidden, or when its type
   *   has no `exists`
   */
  requireReadableOrDeleted(
    db: Db,
    caller: Caller,
    reference: BusinessObjectReference,
  ): Promise<'readable' | 'deleted'>
  /** Like `requireReadable`, but returns a boolean: `false` for an unsupported reference. */
  isReadable(db: Db, caller: Caller, reference: BusinessObjectReference): Promise<boolean>
}

/**
 * Registers the vertical's business objects.
 * @throws {TypeError} for an invalid kind or type code, for a type that is registered twice, or if only one of the kind
 *   GeneralJournalEntry and the type code `general_journal_entry` is used
 */
export function createBusinessObjects(types: readonly BusinessObjectTypes[]): BusinessObjects {
  const registered = new Map<string, BusinessObjectTypes>()
  for (const type of types) {
    const { kind, typeCodes } = type
    if (!businessObjectKinds.includes(kind)) throw new TypeError(`${kind} is not a kind of business object`)
    for (const typeCode of typeCodes) {
      const key = `${kind}/${typeCode}`
      if (!/^[a-z0-9_]+(\.[a-z0-9_]+)*$/.test(typeCode))
        throw new TypeError(`${key}: not a canonical type code`)
      if (!kindFits(kind, typeCode))
        throw new TypeError(`${key}: GeneralJournalEntry and its type code go together`)
      if (registered.has(key)) throw new TypeError(`${key} is registered twice`)
      registered.set(key, type)
    }
  }
  const find = ({ kind, typeCode }: BusinessObjectReference) => registered.get(`${kind}/${typeCode}`)
  const requireType = (reference: BusinessObjectReference): BusinessObjectTypes => {
    const type = find(reference)
    if (type === undefined) throw new CoreError('business_object.unsupported')
    return type
  }

  return {
    async requireReadable(db, caller, reference) {
      const { isReadable } = requireType(reference)
      if (!(await isReadable(db, caller, reference))) throw new CoreError('business_object.not_found')
    },
    async requireReadableOrDeleted(db, caller, reference) {
      const { isReadable, exists } = requireType(reference)
      if (await isReadable(db, caller, reference)) return 'readable'
      if (exists === undefined || (await exists(db, reference))) {
        throw new CoreError('business_object.not_found')
      }
      return 'deleted'
    },
    async isReadable(db, caller, reference) {
      return (await find(reference)?.isReadable(db, caller, reference)) ?? false
    },
  }
}

const kindFits = (kind: BusinessObjectKind, typeCode: string): boolean =>
  (kind === 'GeneralJournalEntry') === (typeCode === generalJournalEntryTypeCode)
