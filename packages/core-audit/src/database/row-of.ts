import type { Column } from 'drizzle-orm'

/** The parts of a Drizzle table or view that {@link RowOf} reads. */
type Relation = { readonly _: { readonly columns: Columns } | { readonly selectedFields: Columns } }

type Columns = Readonly<Record<string, unknown>>

type ColumnsOf<Source extends Relation> = Source['_'] extends { readonly columns: infer Found }
  ? Found
  : Source['_'] extends { readonly selectedFields: infer Found }
    ? Found
    : never

/** Column types that `execute` returns as text, whatever the mode of the Drizzle column. */
type ReturnedAsText =
  | 'PgBigInt53'
  | 'PgBigInt64'
  | 'PgBigSerial53'
  | 'PgBigSerial64'
  | 'PgDate'
  | 'PgDateString'
  | 'PgNumeric'
  | 'PgNumericBigInt'
  | 'PgNumericNumber'
  | 'PgTimestamp'
  | 'PgTimestampString'

type ReturnedValue<Shape extends Column['_']> =
  | (Shape['columnType'] extends ReturnedAsText ? string : Shape['data'])
  | (Shape['notNull'] extends true ? never : null)

type NameOf<Found> = Found extends Column ? Found['_']['name'] : never

/**
 * The row that `Db.execute` returns for these columns of a Drizzle table or view:
 * `RowOf<typeof notes, 'id' | 'targetKind'>` is `{ id: string; target_kind: … }`. Select columns by their property in the
 * Drizzle table; the row has their names in the database. Without a second argument, the row has every column.
 *
 * Values have the types of the driver, not of Drizzle's builder: instants, `bigint` and `numeric` are text, `jsonb` is its
 * `$type`, and a column without `notNull` includes null. Intersect it with computed columns:
 * `RowOf<typeof notes, 'id'> & { is_deleted: boolean }`.
 */
export type RowOf<
  Source extends Relation,
  Property extends keyof ColumnsOf<Source> = keyof ColumnsOf<Source>,
> = {
  [Name in Property as NameOf<ColumnsOf<Source>[Name]>]: ColumnsOf<Source>[Name] extends Column
    ? ReturnedValue<ColumnsOf<Source>[Name]['_']>
    : never
}
