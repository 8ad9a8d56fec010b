import type { Caller } from '../access/caller.ts'
import type { Db } from '../database/database.ts'
import type { SQL } from '../database/sql.ts'
import type { BusinessObjectReference } from './contract.ts'

/** The types of entries in the activity of an object that other packages contribute. */
export type ContributedType = 'note' | 'file' | 'task'

/** The entries that a source selects: the newest ones of one object. */
export interface ActivityQuery {
  readonly caller: Caller
  readonly target: BusinessObjectReference
  /** Only entries of this user; null for entries of all users. */
  readonly actorUserId: string | null
  readonly limit: number
  /**
   * Returns the conditions of the page and of the time range, each with a leading `and`. `id` is the column of a UUIDv7, by
   * which the entries are ordered. `at` is the column with the time of an entry; without it, the id has the time.
   */
  within(columns: { readonly id: SQL; readonly at?: SQL }): SQL
}

/** One entry, with the content of its own list. */
export interface ActivityContent {
  readonly id: string
  readonly occurredAtUtc: string
  readonly actor: {
    readonly userId: string
    readonly displayName: string
    readonly email: string | null
  } | null
  /** The property of the entry that contains the item of its own list: `{ note: … }`. */
  readonly content: Readonly<Record<string, object>>
  /** Further ids in the content, which get names. */
  readonly userIds?: readonly string[]
  readonly roleIds?: readonly string[]
}

/** The contribution of a package to the activity of an object: its own list, as a part of one statement. */
export interface ActivitySource {
  readonly type: ContributedType
  /**
   * Checks the right that the package's own list requires, except for access to the object.
   * @throws {CoreError} feature.disabled · permission.denied
   */
  requireAccess(caller: Caller): void
  /** Selects at most `limit` rows, newest first, from a range of one index. All columns need different names. */
  select(query: ActivityQuery): SQL
  /** Converts a row. Its values passed through JSON, so `bigint` is a number; `toInstant` accepts its instants. */
  toContent(row: never): ActivityContent
  /**
   * Adds to the `content` of each entry of a page what the items of the package's own list also have, such as links. Returns the
   * contents in their order. The number of statements must not depend on that of the entries.
   */
  complete?(
    db: Db,
    caller: Caller,
    contents: readonly never[],
  ): Promise<readonly ActivityContent['content'][]>
}
