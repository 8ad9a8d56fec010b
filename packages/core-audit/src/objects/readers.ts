import type { Caller } from '../access/caller.ts'
import type { Db } from '../database/database.ts'
import { loadCallers, type StoredRights, searchCallers } from '../identity/queries/load-callers.ts'
import type { BusinessObjects, ReadAttempt } from './business-objects.ts'
import type { BusinessObjectReference } from './contract.ts'

/** A search for users who may read an object. */
export interface SearchReaders {
  readonly reference: BusinessObjectReference
  /** A part of the name in any case. An empty text matches every name. */
  readonly text: string
  readonly limit: number
}

/**
 * Finds other users who may read an object. It knows assigned roles only: the rights of a role that only a token grants are
 * unknown until its user sends a request.
 */
export interface Readers {
  /**
   * Returns the active users among these ids who may read the object, as callers with their assigned roles. Runs one
   * statement, and the vertical's check.
   */
  readersAmong(
    db: Db,
    reference: BusinessObjectReference,
    userIds: readonly string[],
  ): Promise<readonly Caller[]>
  /** Returns active users as callers with their assigned roles, in one statement: to check several objects at once. */
  callersOf(db: Db, userIds: readonly string[]): Promise<readonly Caller[]>
  /**
   * Returns active users who may read the object and whose name contains the text. Runs one statement, and the vertical's
   * check of at most {@link maxCandidates} users: those with the type's `view` permission and matching names first.
   */
  searchReaders(db: Db, search: SearchReaders): Promise<readonly Caller[]>
}

/** Five pages of a list of 20: a check that refuses most users with the `view` permission is rare. */
const maxCandidates = 100

/** Creates the search over the checks of {@link BusinessObjects}. */
export function createReaders(areReadable: BusinessObjects['areReadable'], rights: StoredRights): Readers {
  const readable = async (
    db: Db,
    reference: BusinessObjectReference,
    callers: readonly Caller[],
  ): Promise<readonly Caller[]> => {
    const attempts = callers.map((caller): ReadAttempt => ({ caller, reference }))
    const answers = await areReadable(db, attempts)
    return callers.filter((_caller, index) => answers[index])
  }
  return {
    callersOf: (db, userIds) => loadCallers(db, rights, userIds),
    async readersAmong(db, reference, userIds) {
      if (userIds.length === 0) return []
      return readable(db, reference, await loadCallers(db, rights, userIds))
    },
    async searchReaders(db, { reference, text, limit }) {
      const candidates = { text, permission: viewPermission(reference), limit: maxCandidates }
      const found = await readable(db, reference, await searchCallers(db, rights, candidates))
      return found.slice(0, limit)
    },
  }
}

/** Returns `catalog.<typeCode>.view` or `document.<typeCode>.view`. */
const viewPermission = ({ kind, typeCode }: BusinessObjectReference): string =>
  `${kind === 'CatalogItem' ? 'catalog' : 'document'}.${typeCode}.view`
