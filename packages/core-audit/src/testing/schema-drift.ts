import type postgres from 'postgres'
import { openPostgresClient } from '../database/client.ts'
import { storedFacts } from './schema-drift/stored-facts.ts'
import type { SchemaFacts, TableFacts } from './schema-drift/table-facts.ts'

/** The migrator's own table: made by it and read by nothing else. */
const ledger = 'core_audit.migrations'

/**
 * Compares a module's Drizzle tables with a migrated database, and tells every difference in one line each: tables of
 * the same PostgreSQL schemas that one side does not have, columns (type, nullability, whether there is a default),
 * primary keys, unique constraints, indexes (columns, order, whether partial) and foreign keys. Values of defaults,
 * predicates of indexes and check constraints are the migrations' alone, and so are the names of keys.
 *
 * `schemaModule` is the whole module: `import * as schema from '../src/schema.ts'`.
 *
 * @throws {TypeError} when the module has no table: nothing would be compared
 */
export async function schemaDrift(
  databaseUrl: string,
  schemaModule: Readonly<Record<string, unknown>>,
): Promise<readonly string[]> {
  // Loaded here: only this reads Drizzle's tables, and every test file imports what this is exported with.
  const declared = await import('./schema-drift/declared-facts.ts')
  const tables = declared.tablesOf(schemaModule)
  if (tables.length === 0) throw new TypeError('schemaDrift: the module exports no Drizzle table')
  const schemaNames = declared.schemaNamesOf(tables)
  const { sql, end } = openPostgresClient(databaseUrl)
  try {
    const types = await canonicalTypes(sql, declared.declaredTypes(tables), schemaNames)
    return differences(declared.declaredFacts(tables, types), await storedFacts(sql, schemaNames))
  } finally {
    await end(5)
  }
}

/**
 * PostgreSQL has several spellings of a type (`varchar(10)`, `character varying(10)`) and one it answers with: that of
 * a column made with it. The table is temporary, and the transaction is rolled back.
 */
async function canonicalTypes(
  sql: postgres.Sql,
  types: readonly string[],
  schemaNames: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>()
  const done = new Error('rolled back')
  await sql
    .begin(async (tx) => {
      await tx`select set_config('search_path', ${[...schemaNames, 'public'].join()}, true)`
      const columns = types.map((type, index) => `c${index} ${type}`)
      await tx.unsafe(`create temporary table declared_types (${columns.join(', ')})`)
      const rows = await tx<{ type: string }[]>`
        select format_type(atttypid, atttypmod) as type
        from pg_attribute
        where attrelid = 'pg_temp.declared_types'::regclass and attnum > 0
        order by attnum`
      for (const [index, type] of types.entries()) found.set(type, rows[index]?.type ?? type)
      throw done
    })
    .catch((error: unknown) => {
      if (error !== done) throw error
    })
  return found
}

function differences(declared: SchemaFacts, stored: SchemaFacts): readonly string[] {
  const names = [...new Set([...declared.keys(), ...stored.keys()])].filter((name) => name !== ledger)
  return names.sort().flatMap((name) => {
    const [inSchema, inDatabase] = [declared.get(name), stored.get(name)]
    if (inDatabase === undefined) return [`${name}: not in the database`]
    if (inSchema === undefined) return [`${name}: not in the Drizzle schema`]
    return tableDifferences(inSchema, inDatabase).map((difference) => `${name}: ${difference}`)
  })
}

function tableDifferences(declared: TableFacts, stored: TableFacts): readonly string[] {
  const aspects = [...new Set([...declared.keys(), ...stored.keys()])].sort()
  return aspects.flatMap((aspect) => {
    const [inSchema, inDatabase] = [declared.get(aspect), stored.get(aspect)]
    if (inSchema === inDatabase) return []
    if (inDatabase === undefined) return [`${aspect} is not in the database`]
    if (inSchema === undefined) return [`${aspect} is not in the Drizzle schema`]
    return [`${aspect} is [${inDatabase}] in the database, [${inSchema}] in the Drizzle schema`]
  })
}
