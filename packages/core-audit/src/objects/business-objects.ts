import type { Caller } from '../access/caller.ts'
import type { Db } from '../database/database.ts'
import { CoreError } from '../errors.ts'
import type { StoredRights } from '../identity/queries/load-callers.ts'
import {
  type BusinessObjectKind,
  type BusinessObjectReference,
  businessObjectKinds,
  generalJournalEntryTypeCode,
} from './contract.ts'
import { type FindAll, findObjects, type ObjectStates } from './find-objects.ts'
import { createReaders, type Readers } from './readers.ts'

/**
 * Returns whether the object exists and the caller is allowed to read it. The vertical implements this rule over its own
 * tables. Returns `false` for hidden and missing objects alike, so that answers never reveal which objects exist.
 */
export type IsReadable = (db: Db, caller: Caller, reference: BusinessObjectReference) => Promise<boolean>

/** The question whether a caller may read an object. */
export interface ReadAttempt {
  readonly caller: Caller
  readonly reference: BusinessObjectReference
}

/** The types of one kind, with the vertical's rules about their objects. */
export interface BusinessObjectTypes {
  readonly kind: BusinessObjectKind
  readonly typeCodes: readonly string[]
  readonly isReadable: IsReadable
  /**
   * Answers `isReadable` for several callers and objects of these types, in their order. Implement it with one statement:
   * without it, `isReadable` runs for each pair, for example every 5 s for each object that an open page shows.
   */
  readonly areReadable?: (db: Db, attempts: readonly ReadAttempt[]) => Promise<readonly boolean[]>
  /**
   * Returns whether the object exists, independent of the caller. If this function is present, holders of
   * `system.audit.view` can read the timelines of deleted objects; otherwise no caller can.
   */
  readonly exists?: (db: Db, reference: BusinessObjectReference) => Promise<boolean>
  /**
   * Finds any number of objects of these types in one statement, with their names. Without this function, lists of objects
   * ask `isReadable` for each object, and show ids instead of names.
   */
  readonly findAll?: FindAll
  /**
   * Returns whether the caller may read any object of a type. Searches exclude all other types without `exists` before paging. By
   * default, every type can have readable objects.
   */
  readonly mayRead?: (caller: Caller, typeCode: string) => boolean
  /** The paths of ids in the audit events of these types, by type code. Responses then contain the names of their objects. */
  readonly references?: Readonly<Record<string, ReferencePaths>>
}

/**
 * The paths of ids in the changes of an event, each with the type code of the objects, or `user`: for example
 * `{ 'fields.customerId': 'trade.customer', 'fields.lines.itemId': 'trade.item' }`. A path continues through lists without
 * an index. Paths that begin with `metadata.` belong to the event's metadata.
 */
export type ReferencePaths = Readonly<Record<string, string>>

/** The business objects of a deployment: the targets of content and timelines. */
export interface BusinessObjects extends Readers {
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
  /** Returns the state of each object for the caller, with one statement for each registered kind. */
  findAll(db: Db, caller: Caller, references: readonly BusinessObjectReference[]): Promise<ObjectStates>
  /**
   * Returns the types whose events a search can show: those that can have objects which the caller may read (`mayRead`), and those
   * whose deleted objects are known.
   */
  searchableTypes(
    caller: Caller,
  ): readonly (Pick<BusinessObjectReference, 'kind' | 'typeCode'> & { readonly mayRead: boolean })[]
  /** Returns the paths of ids in the events of a type; `undefined` if none are registered. */
  pathsOf(typeCode: string): ReferencePaths | undefined
  /** Returns the reference to an object of a type code; `undefined` for a type that is not registered. */
  referenceTo(typeCode: string, id: string): BusinessObjectReference | undefined
  /**
   * Like `isReadable` for several callers and objects, in their order. Asks each vertical's `areReadable` once. Rejects if one of
   * them fails, unless there is `failed`: it receives the index of each attempt whose answer is unknown, and the error.
   */
  areReadable(
    db: Db,
    attempts: readonly ReadAttempt[],
    failed?: (index: number, error: unknown) => void,
  ): Promise<readonly boolean[]>
}

/**
 * Registers the vertical's business objects. `administratorRoleCodes` are the codes of `createIdentity`: without them, other
 * users with such a role count as users without permissions, for example in `readersAmong`.
 * @throws {TypeError} for an invalid kind or type code, for a type that is registered twice, if only one of the kind
 *   GeneralJournalEntry and the type code `general_journal_entry` is used, or if `references` names an unknown type
 */
export function createBusinessObjects(
  types: readonly BusinessObjectTypes[],
  rights: StoredRights = { administratorRoleCodes: [] },
): BusinessObjects {
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
  const paths = new Map(types.flatMap(({ references = {} }) => Object.entries(references)))
  for (const [typeCode, places] of paths) checkPaths(types, typeCode, places)
  const find = ({ kind, typeCode }: BusinessObjectReference) => registered.get(`${kind}/${typeCode}`)
  const requireType = (reference: BusinessObjectReference): BusinessObjectTypes => {
    const type = find(reference)
    if (type === undefined) throw new CoreError('business_object.unsupported')
    return type
  }
  const areReadable: BusinessObjects['areReadable'] = async (db, attempts, failed) => {
    const answers = attempts.map(() => false)
    const places = Map.groupBy(attempts.keys(), (place) => find((attempts[place] as ReadAttempt).reference))
    const checks = [...places].map(async ([type, ofType]) => {
      if (type === undefined) return
      try {
        const found = await readAll(
          type,
          db,
          ofType.map((place) => attempts[place] as ReadAttempt),
        )
        for (const [index, place] of ofType.entries()) answers[place] = found[index] === true
      } catch (error) {
        if (failed === undefined) throw error
        for (const place of ofType) failed(place, error)
      }
    })
    await allEnded(checks)
    return answers
  }

  return {
    ...createReaders(areReadable, rights),
    areReadable,
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
    findAll: (db, caller, references) =>
      findObjects(
        db,
        caller,
        Map.groupBy(references, (reference) => find(reference)),
      ),
    searchableTypes: (caller) =>
      types.flatMap(({ kind, typeCodes, exists, mayRead = () => true }) =>
        typeCodes
          .map((typeCode) => ({ kind, typeCode, mayRead: mayRead(caller, typeCode) }))
          .filter((type) => type.mayRead || exists !== undefined),
      ),
    pathsOf: (typeCode) => paths.get(typeCode),
    referenceTo(typeCode, id) {
      const kind = types.find(({ typeCodes }) => typeCodes.includes(typeCode))?.kind
      return kind && { kind, typeCode, id }
    },
  }
}

function readAll(
  { areReadable, isReadable }: BusinessObjectTypes,
  db: Db,
  attempts: readonly ReadAttempt[],
): Promise<readonly boolean[]> {
  if (areReadable !== undefined) return areReadable(db, attempts)
  return allEnded(attempts.map(({ caller, reference }) => isReadable(db, caller, reference)))
}

/** Like `Promise.all`, but waits for all: the connection then has no pending statement when its next work begins. */
async function allEnded<T>(promises: readonly Promise<T>[]): Promise<readonly T[]> {
  await Promise.allSettled(promises)
  return Promise.all(promises)
}

const kindFits = (kind: BusinessObjectKind, typeCode: string): boolean =>
  (kind === 'GeneralJournalEntry') === (typeCode === generalJournalEntryTypeCode)

function checkPaths(types: readonly BusinessObjectTypes[], typeCode: string, paths: ReferencePaths): void {
  const known = new Set(['user', ...types.flatMap(({ typeCodes }) => typeCodes)])
  const unknown = [typeCode, ...Object.values(paths)].find((code) => !known.has(code))
  if (unknown !== undefined) throw new TypeError(`references of ${typeCode}: ${unknown} is not registered`)
}
