import { type SQL, sql } from '@vertical-kit/core-audit'
import { codePointCount, Id, PageLimit, StorableText } from '@vertical-kit/core-audit/contract'
import { readCursor, writeCursor } from '@vertical-kit/core-audit/http'
import * as v from 'valibot'

/** The largest number that a list counts to. A page shows a larger number as "999+". */
export const maxCount = 1_000

/** Maximum length of a search text. */
const maxSearchChars = 100

/** A search text. White space alone counts as absent. */
const SearchText = v.pipe(
  StorableText,
  v.trim(),
  v.normalize('NFC'),
  v.check((text) => codePointCount(text) <= maxSearchChars, `expected at most ${maxSearchChars} characters`),
  v.transform((text) => (text === '' ? undefined : text)),
)

/** Up to 100 ids, separated by commas. */
const Ids = v.pipe(
  v.string(),
  v.transform((text) => text.split(',')),
  v.array(Id),
  v.maxLength(100, 'expected at most 100 ids'),
)

/** Returns the query of a list with these sort keys. `-` before a key reverses the order. */
export const listQuery = <Key extends string>(keys: readonly Key[]) =>
  v.object({
    limit: PageLimit,
    /** The `nextCursor` of the previous page of the same list. */
    cursor: v.optional(v.string()),
    /** The beginnings of words, or the beginning of a number. */
    q: v.optional(SearchText),
    /** Only the objects with these ids. */
    ids: v.optional(Ids),
    sort: v.optional(
      v.picklist(['created', '-created', ...keys.flatMap((key) => [key, `-${key}` as const])]),
    ),
    /** With `true`, the answer also has `counts`. */
    counts: v.optional(v.literal('true')),
  })

/** A key by which a list can be sorted, besides the time of creation. */
export interface SortKey {
  readonly expression: SQL
  readonly sqlType: SQL
  /** The key in a cursor. */
  readonly schema: v.GenericSchema<string>
}

/** One page of a list. `list` identifies the list with its filters, because a cursor belongs to one list only. */
interface PageRequest {
  readonly list: string
  readonly sort: string | undefined
  readonly cursor: string | undefined
}

/** A row that {@link PagePlan.key} is selected for. */
export type KeyedRow = { id: string; order_key: string }

/** The parts of a statement that select one page of a list after a cursor. */
export interface PagePlan {
  /** The column `order_key`. */
  readonly key: SQL
  /** The condition that a row is behind the cursor. It begins with `and`, or is empty. */
  readonly after: SQL
  readonly orderBy: SQL
  /** Returns the cursor behind a row. */
  readonly cursorAfter: (row: KeyedRow) => string
}

/**
 * Plans one page. The default is newest first: ids are in order of creation.
 *
 * @throws {CoreError} request.invalid for a cursor of another list, order or filter
 */
export function planPage(
  { list, sort = '-created', cursor }: PageRequest,
  keys: Readonly<Record<string, SortKey>>,
): PagePlan {
  const isDescending = sort.startsWith('-')
  const [direction, than] = isDescending ? [sql`desc`, sql`<`] : [sql`asc`, sql`>`]
  const name = `${list}/${sort}`
  const read = <Position>(
    schema: v.GenericSchema<unknown, Position>,
    condition: (at: Position) => SQL,
  ): SQL => (cursor === undefined ? sql`` : sql`and ${condition(readCursor(name, cursor, schema))}`)
  const key = keys[sort.replace('-', '')]
  if (key === undefined) {
    return {
      key: sql`''`,
      after: read(v.tuple([Id]), ([id]) => sql`id ${than} ${id}::uuid`),
      orderBy: sql`id ${direction}`,
      cursorAfter: ({ id }) => writeCursor(name, [id]),
    }
  }
  const { expression, sqlType, schema } = key
  return {
    key: sql`(${expression})::text`,
    after: read(
      v.tuple([schema, Id]),
      ([text, id]) => sql`(${expression}, id) ${than} (${text}::${sqlType}, ${id}::uuid)`,
    ),
    orderBy: sql`${expression} ${direction}, id ${direction}`,
    cursorAfter: (row) => writeCursor(name, [row.order_key, row.id]),
  }
}

/**
 * Returns the condition that `words` contains a word with each of the beginnings in a search text. PostgreSQL's parser keeps
 * combining marks and joiners in words, for example the vowels of Hindi. `words` are in lower case, with one form
 * of the Greek letter sigma: PostgreSQL itself may lower only ASCII letters.
 */
export function hasWords(words: SQL, q: string): SQL {
  const starts =
    q
      .normalize()
      .toLowerCase()
      .replaceAll('ς', 'σ')
      .match(/[\p{L}\p{N}][\p{L}\p{N}\p{M}\p{Join_Control}]*/gu) ?? []
  if (starts.length === 0) return sql`false`
  const query = starts.map((start) => `'${start}':*`).join(' & ')
  return sql`${words} @@ to_tsquery('pg_catalog.simple', ${query})`
}
