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
 * Answers whether a caller may read a parent that exists: the vertical's own rule over its own tables. Must not tell
 * a parent that is hidden from one that does not exist.
 */
export type ResolveParent = (db: Db, caller: Caller, reference: BusinessObjectReference) => Promise<boolean>

/** The types of one kind, and how to find one. */
export interface BusinessObjectTypes {
  readonly kind: BusinessObjectKind
  readonly typeCodes: readonly string[]
  readonly resolve: ResolveParent
  /**
   * Whether the object exists, whoever asks. With it, holders of `system.audit.view` can read the timelines of objects
   * that no longer exist; without it, those timelines stay closed.
   */
  readonly exists?: (db: Db, reference: BusinessObjectReference) => Promise<boolean>
}

/** The parents of a deployment: what content may be attached to. */
export interface BusinessObjects {
  /**
   * Resolves when the caller may read the parent.
   * @throws {CoreError} business_object.unsupported · business_object.not_found (also when it is hidden: no oracle)
   */
  requireReadable(db: Db, caller: Caller, reference: BusinessObjectReference): Promise<void>
  /**
   * Like `requireReadable`, but also resolves, with `deleted`, for an object that does not exist. For timelines alone, and
   * callers with `system.audit.view`: to others the difference would reveal which objects exist.
   * @throws {CoreError} business_object.unsupported · business_object.not_found when it is hidden, or when its type has no
   *   `exists`
   */
  requireReadableOrDeleted(
    db: Db,
    caller: Caller,
    reference: BusinessObjectReference,
  ): Promise<'readable' | 'deleted'>
  /** Like `requireReadable`, as an answer. An unsupported reference is not readable. */
  isReadable(db: Db, caller: Caller, reference: BusinessObjectReference): Promise<boolean>
}

/**
 * Registers the vertical's parents.
 * @throws {TypeError} when a kind or type code is none, a type is registered twice, or `general_journal_entry` and its
 *   kind are not together
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
      const { resolve } = requireType(reference)
      if (!(await resolve(db, caller, reference))) throw new CoreError('business_object.not_found')
    },
    async requireReadableOrDeleted(db, caller, reference) {
      const { resolve, exists } = requireType(reference)
      if (await resolve(db, caller, reference)) return 'readable'
      if (exists === undefined || (await exists(db, reference))) {
        throw new CoreError('business_object.not_found')
      }
      return 'deleted'
    },
    async isReadable(db, caller, reference) {
      return (await find(reference)?.resolve(db, caller, reference)) ?? false
    },
  }
}

const kindFits = (kind: BusinessObjectKind, typeCode: string): boolean =>
  (kind === 'GeneralJournalEntry') === (typeCode === generalJournalEntryTypeCode)
