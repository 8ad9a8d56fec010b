import type { Column } from 'drizzle-orm'

/** The parts of a Drizzle table or view that {@link RowOf} reads. */
type Relation = { readonly _: { readonly columns: Columns } | { readonly selectedFields: Columns } }

type Columns = Readonly<Record<string, unknown>>

type ColumnsOf<Source extends Relation> = Source['_'] extends { readonly columns: infer Found }
  ? Found
  : Source['_'] extends { readonly selectedFields: infer Found }
    ? Found
    : never

/** The Drizzle column types that `execute` returns as text, regardless of the column's mode. */
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
 * The type of a row that `Db.execute` returns for a Drizzle table or view. For example,
 * `RowOf<typeof notes, 'id' | 'targetKind'>` is `{ id: string; target_kind: … }`. The second argument selects properties of
 * the Drizzle table; the keys of the row are the column names in the database. By default, the row contains every column.
 *
 * The values have the driver's types, not the types of Drizzle's builder. Instants, `bigint` and `numeric` are text.
 * `jsonb` has the column's `$type`. A column without `notNull` can be null. For computed columns, use an intersection type:
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
