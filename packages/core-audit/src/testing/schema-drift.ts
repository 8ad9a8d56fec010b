import type postgres from 'postgres'
import type { RelationFacts, SchemaFacts } from './schema-drift/relation-facts.ts'
import { storedFacts } from './schema-drift/stored-facts.ts'

/** The migrator's own table. It is not compared, because no schema declares it. */
const ledger = 'core_audit.migrations'

/**
 * Compares a module's Drizzle tables and views with a migrated database and returns one line for each difference. It
 * compares: which tables and views exist in these PostgreSQL schemas; columns (type, nullability, default, identity,
 * generation); primary keys; unique and check constraints; indexes (method, columns, order, nulls, operator classes,
 * predicate); foreign keys; the columns of views.
 *
 * It does not compare names of primary and foreign keys, collations, and included columns of indexes, because Drizzle
 * cannot declare them. PostgreSQL itself normalizes both sides: each declaration is created as a temporary table, in a
 * transaction that is rolled back.
 *
 * Pass the complete module as `schemaModule`: `import * as schema from '../src/schema.ts'`. Spread several modules into one
 * object.
 *
 * @throws {TypeError} when the module has no table or view, because nothing would be compared
 */
export async function schemaDrift(
  databaseUrl: string,
  schemaModule: Readonly<Record<string, unknown>>,
): Promise<readonly string[]> {
  // Loaded lazily: only this function needs Drizzle's tables and a client, but every test file imports this module.
  const { declaredFacts, relationsOf } = await import('./schema-drift/declared-facts.ts')
  const { openPostgresClient } = await import('../database/client.ts')
  const relations = relationsOf(schemaModule)
  if (relations.length === 0) throw new TypeError('schemaDrift: the module exports no Drizzle table or view')
  const schemaNames = [...new Set(relations.map(({ schemaName }) => schemaName))]
  const { sql, end } = openPostgresClient(databaseUrl)
  try {
    return await rolledBack(sql, async (tx) => {
      await tx`select set_config('search_path', ${[...schemaNames, 'public'].join()}, true)`
      return differences(await declaredFacts(tx, relations), await storedFacts(tx, schemaNames))
    })
  } finally {
    await end(5)
  }
}

async function rolledBack<T>(sql: postgres.Sql, work: (tx: postgres.ISql) => Promise<T>): Promise<T> {
  const done = new Error('rolled back')
  const result = Promise.withResolvers<T>()
  await sql
    .begin(async (tx) => {
      result.resolve(await work(tx))
      throw done
    })
    .catch((error: unknown) => {
      if (error !== done) throw error
    })
  return result.promise
}

function differences(declared: SchemaFacts, stored: SchemaFacts): readonly string[] {
  const names = [...new Set([...declared.keys(), ...stored.keys()])].filter((name) => name !== ledger)
  return names.sort().flatMap((name) => {
    const [inSchema, inDatabase] = [declared.get(name), stored.get(name)]
    if (inDatabase === undefined) return [`${name}: not in the database`]
    if (inSchema === undefined) return [`${name}: not in the Drizzle schema`]
    return relationDifferences(inSchema, inDatabase).map((difference) => `${name}: ${difference}`)
  })
}

function relationDifferences(declared: RelationFacts, stored: RelationFacts): readonly string[] {
  const aspects = [...new Set([...declared.keys(), ...stored.keys()])].sort()
  return aspects.flatMap((aspect) => {
    const [inSchema, inDatabase] = [declared.get(aspect), stored.get(aspect)]
    if (inSchema === inDatabase) return []
    if (inDatabase === undefined) return [`${aspect} is not in the database`]
    if (inSchema === undefined) return [`${aspect} is not in the Drizzle schema`]
    return [`${aspect} is [${inDatabase}] in the database, [${inSchema}] in the Drizzle schema`]
  })
}
