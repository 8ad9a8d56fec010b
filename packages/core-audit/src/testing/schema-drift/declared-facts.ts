import type { Column } from 'drizzle-orm'
import { is } from 'drizzle-orm/entity'
import { getTableConfig, type Index, type PgColumn, PgTable } from 'drizzle-orm/pg-core'
import { createTableFacts, type SchemaFacts, type TableFacts } from './table-facts.ts'

type TableConfig = ReturnType<typeof getTableConfig>

/** The Drizzle tables among a module's exports. */
export function tablesOf(schemaModule: Readonly<Record<string, unknown>>): readonly PgTable[] {
  return Object.values(schemaModule).filter((value) => is(value, PgTable))
}

/** `notes.notes`: the table's name with the PostgreSQL schema it is in. */
function qualifiedName({ schema, name }: Pick<TableConfig, 'schema' | 'name'>): string {
  return `${schema ?? 'public'}.${name}`
}

/** The PostgreSQL schemas the tables are in. */
export function schemaNamesOf(tables: readonly PgTable[]): readonly string[] {
  return [...new Set(tables.map((table) => getTableConfig(table).schema ?? 'public'))]
}

/** Every SQL type the tables name, as Drizzle writes it. */
export function declaredTypes(tables: readonly PgTable[]): readonly string[] {
  return [
    ...new Set(tables.flatMap((table) => getTableConfig(table).columns.map((column) => column.getSQLType()))),
  ]
}

/** What the Drizzle tables say. `canonicalTypes` maps a type as Drizzle writes it to PostgreSQL's own words. */
export function declaredFacts(
  tables: readonly PgTable[],
  canonicalTypes: ReadonlyMap<string, string>,
): SchemaFacts {
  return new Map(
    tables.map((table) => {
      const config = getTableConfig(table)
      return [qualifiedName(config), factsOf(config, canonicalTypes)]
    }),
  )
}

function factsOf(config: TableConfig, canonicalTypes: ReadonlyMap<string, string>): TableFacts {
  const table = createTableFacts()
  for (const column of config.columns) {
    const type = column.getSQLType()
    table.column(column.name, {
      type: canonicalTypes.get(type) ?? type,
      isNullable: !column.notNull,
      hasDefault: hasDatabaseDefault(column),
    })
    if (column.isUnique) table.unique(column.uniqueName ?? '', [column.name])
  }
  for (const constraint of config.uniqueConstraints) {
    table.unique(constraint.getName() ?? '', namesOf(constraint.columns))
  }
  const primaryKey = primaryKeyOf(config)
  if (primaryKey.length > 0) table.primaryKey(primaryKey)
  for (const { config: index } of config.indexes) describeIndex(table, index)
  for (const foreignKey of config.foreignKeys) {
    const { columns, foreignColumns, foreignTable } = foreignKey.reference()
    table.foreignKey(namesOf(columns), {
      table: qualifiedName(getTableConfig(foreignTable)),
      columns: namesOf(foreignColumns),
      onDelete: foreignKey.onDelete ?? 'no action',
      onUpdate: foreignKey.onUpdate ?? 'no action',
    })
  }
  return table.facts
}

/** A default that Drizzle fills in by itself (`$default`) is nothing the database knows of. */
function hasDatabaseDefault(column: PgColumn): boolean {
  return (
    column.default !== undefined ||
    column.generated !== undefined ||
    column.generatedIdentity !== undefined ||
    column.getSQLType().endsWith('serial')
  )
}

function primaryKeyOf(config: TableConfig): readonly string[] {
  const [composite] = config.primaryKeys
  return namesOf(composite?.columns ?? config.columns.filter((column) => column.primary))
}

function describeIndex(table: ReturnType<typeof createTableFacts>, index: Index['config']): void {
  table.index(index.name ?? '', {
    isUnique: index.unique,
    method: index.method ?? 'btree',
    columns: index.columns.map((column) =>
      'indexConfig' in column
        ? `${column.name}${column.indexConfig?.order === 'desc' ? ' desc' : ''}`
        : 'an expression',
    ),
    isPartial: index.where !== undefined,
  })
}

const namesOf = (columns: readonly Column[]): readonly string[] => columns.map((column) => column.name)
