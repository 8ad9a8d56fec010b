import type { Caller } from '../access/caller.ts'
import type { Db } from '../database/database.ts'
import type { BusinessObjectTypes } from './business-objects.ts'
import type { BusinessObjectReference, NavigationTarget } from './contract.ts'

/** The name of an object, and the place in the front end that shows it. */
export interface NamedObject {
  /** Text for users, such as `Adler & Co` or `Sales invoice SI-000012`. */
  readonly display: string
  readonly target: NavigationTarget | null
}

/** An object that {@link FindAll} has found. */
export interface FoundObject extends NamedObject {
  readonly typeCode: string
  readonly id: string
  /** Whether the caller may read the object: the same rule as `isReadable`. The name of a hidden object is never shown. */
  readonly isReadable: boolean
}

/**
 * Returns those of the objects that exist, in one statement. The vertical implements it over its own tables. All references
 * have the kind and one of the types of its registration.
 */
export type FindAll = (
  db: Db,
  caller: Caller,
  references: readonly BusinessObjectReference[],
) => Promise<readonly FoundObject[]>

/** The state of an object for a caller. `deleted`: the object does not exist, and its type can tell. */
export type ObjectState =
  | { readonly is: 'readable'; readonly name: NamedObject | null }
  | { readonly is: 'hidden' | 'deleted' }

/** The states of objects. An object that was not searched, or has an unknown type, is hidden. */
export type ObjectStates = (reference: BusinessObjectReference) => ObjectState

const hidden: ObjectState = { is: 'hidden' }
const deleted: ObjectState = { is: 'deleted' }

/** Finds objects, grouped by their registration. The statements of the groups share one round trip. */
export async function findObjects(
  db: Db,
  caller: Caller,
  groups: ReadonlyMap<BusinessObjectTypes | undefined, readonly BusinessObjectReference[]>,
): Promise<ObjectStates> {
  const found = await Promise.all(
    [...groups].map(([types, references]) =>
      types === undefined ? [] : findGroup(db, caller, { types, references: distinct(references) }),
    ),
  )
  const states = new Map(found.flat())
  return (reference) => states.get(keyOf(reference)) ?? hidden
}

interface Group {
  readonly types: BusinessObjectTypes
  readonly references: readonly BusinessObjectReference[]
}

type Entry = readonly [string, ObjectState]

async function findGroup(db: Db, caller: Caller, group: Group): Promise<readonly Entry[]> {
  const { types, references } = group
  if (types.findAll === undefined) return findEach(db, caller, group)
  const found = new Map(
    (await types.findAll(db, caller, references)).map((object) => [
      keyOf({ kind: types.kind, typeCode: object.typeCode, id: object.id }),
      object,
    ]),
  )
  return references.map((reference): Entry => {
    const key = keyOf(reference)
    const object = found.get(key)
    if (object === undefined) return [key, types.exists === undefined ? hidden : deleted]
    const { isReadable, display, target } = object
    return [key, isReadable ? { is: 'readable', name: { display, target } } : hidden]
  })
}

/** Asks for the access to the objects, because their type cannot name several in one statement. */
async function findEach(db: Db, caller: Caller, { types, references }: Group): Promise<readonly Entry[]> {
  const { areReadable, isReadable, exists } = types
  const readable =
    areReadable === undefined
      ? await Promise.all(references.map((reference) => isReadable(db, caller, reference)))
      : await areReadable(
          db,
          references.map((reference) => ({ caller, reference })),
        )
  return Promise.all(
    references.map(async (reference, index): Promise<Entry> => {
      const key = keyOf(reference)
      if (readable[index] === true) return [key, { is: 'readable', name: null }]
      const isDeleted = exists !== undefined && !(await exists(db, reference))
      return [key, isDeleted ? deleted : hidden]
    }),
  )
}

const keyOf = ({ kind, typeCode, id }: BusinessObjectReference): string => `${kind}/${typeCode}/${id}`

const distinct = (references: readonly BusinessObjectReference[]): readonly BusinessObjectReference[] => [
  ...new Map(references.map((reference) => [keyOf(reference), reference])).values(),
]
