import type { Column } from 'drizzle-orm'
import { is } from 'drizzle-orm/entity'
import {
  type getMaterializedViewConfig,
  type getTableConfig,
  type getViewConfig,
  type Index,
  IndexedColumn,
  type PgColumn,
  PgDialect,
} from 'drizzle-orm/pg-core'
import { SQL, sql } from '../../database/sql.ts'

export type TableConfig = ReturnType<typeof getTableConfig>
export type ViewConfig = ReturnType<typeof getViewConfig> | ReturnType<typeof getMaterializedViewConfig>

/** Returns the statements that create a declared table, without foreign keys, as a temporary table. */
export function tableDdl(config: TableConfig): string {
  const { columns, uniqueConstraints, checks, indexes } = config
  const [composite] = config.primaryKeys
  const primaryKey = composite?.columns ?? columns.filter((column) => column.primary)
  const parts = [
    ...columns.map(columnDdl),
    ...(primaryKey.length > 0 ? [`primary key ${list(primaryKey)}`] : []),
    ...columns
      .filter((column) => column.isUnique)
      .map((column) =>
        uniqueDdl({
          name: column.uniqueName,
          columns: [column],
          nullsNotDistinct: column.uniqueType === 'not distinct',
        }),
      ),
    ...uniqueConstraints.map((key) =>
      uniqueDdl({ name: key.getName(), columns: key.columns, nullsNotDistinct: key.nullsNotDistinct }),
    ),
    ...checks.map((check) => `constraint ${quote(check.name)} check (${render(check.value)})`),
  ]
  const table = `create temporary table ${quote(config.name)} (${parts.join(', ')})`
  return [table, ...indexes.map(({ config: index }) => indexDdl(config.name, index))].join(';\n')
}

/** Returns the statement that creates a declared view as a temporary view, from its columns or its query. */
export function viewDdl({ name, query, selectedFields }: ViewConfig): string {
  const columns = Object.values(selectedFields as Record<string, PgColumn>)
  const nulls = () => columns.map((column) => `null::${column.getSQLType()} as ${quote(column.name)}`)
  const select = query === undefined ? `select ${nulls().join(', ')}` : inlined(query)
  return `create temporary view ${quote(name)} as ${select}`
}

function columnDdl(column: PgColumn): string {
  const nullability = column.notNull ? ' not null' : ''
  return `${quote(column.name)} ${column.getSQLType()}${valueDdl(column)}${nullability}`
}

/** Returns the default, identity or generation of a column. `$default` is not included: it exists only in Drizzle. */
function valueDdl(column: PgColumn): string {
  const { generatedIdentity: identity, generated, default: value } = column
  if (identity !== undefined) {
    return ` generated ${identity.type === 'byDefault' ? 'by default' : 'always'} as identity`
  }
  if (generated !== undefined) {
    const expression = typeof generated.as === 'function' ? generated.as() : generated.as
    return ` generated always as (${render(sql`${expression}`)}) stored`
  }
  if (value === undefined) return ''
  return ` default ${is(value, SQL) ? render(value) : literal(column.mapToDriverValue(value))}`
}

interface Unique {
  readonly name: string | undefined
  readonly columns: readonly Column[]
  readonly nullsNotDistinct: boolean | undefined
}

function uniqueDdl({ name, columns, nullsNotDistinct }: Unique): string {
  const nulls = nullsNotDistinct === true ? ' nulls not distinct' : ''
  return `constraint ${quote(name ?? '')} unique${nulls} ${list(columns)}`
}

function indexDdl(table: string, index: Index['config']): string {
  const unique = index.unique ? 'unique ' : ''
  const columns = index.columns.map((column) =>
    is(column, IndexedColumn) ? indexedColumnDdl(column) : render(column as SQL),
  )
  const options = Object.entries(index.with ?? {}).map(([name, value]) => `${name} = ${value}`)
  return [
    `create ${unique}index ${quote(index.name ?? '')} on pg_temp.${quote(table)}`,
    `using ${index.method ?? 'btree'} (${columns.join(', ')})`,
    ...(options.length > 0 ? [`with (${options.join(', ')})`] : []),
    ...(index.where === undefined ? [] : [`where ${render(index.where)}`]),
  ].join(' ')
}

/**
 * Drizzle sets `asc nulls last` for every column. Leave it out: it is PostgreSQL's default, and only a b-tree has an order.
 */
function indexedColumnDdl({ name, indexConfig }: IndexedColumn): string {
  const { opClass, order, nulls } = indexConfig
  return [quote(name ?? ''), opClass, order === 'desc' ? `desc nulls ${nulls}` : nullsOfAscending(nulls)]
    .filter((word) => word !== undefined)
    .join(' ')
}

const nullsOfAscending = (nulls: 'first' | 'last' | undefined) =>
  nulls === 'first' ? 'nulls first' : undefined

const dialect = new PgDialect()

const inlined = (expression: SQL): string => dialect.sqlToQuery(sql`${expression}`.inlineParams()).sql

/** Renders an expression like Drizzle does for indexes: columns without their table, parameters as literals. */
const render = (expression: SQL): string =>
  dialect.sqlToQuery(sql`${expression}`.inlineParams(), 'indexes').sql

const quote = (name: string): string => dialect.escapeName(name)
const literal = (value: unknown): string => (value === null ? 'null' : dialect.escapeString(String(value)))
const list = (columns: readonly Column[]): string => `(${columns.map(({ name }) => quote(name)).join(', ')})`
