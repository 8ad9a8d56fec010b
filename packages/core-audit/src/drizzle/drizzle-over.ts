import type { ExtractTablesWithRelations } from 'drizzle-orm'
import { PgDialect } from 'drizzle-orm/pg-core'
import { drizzle, PgProxyTransaction } from 'drizzle-orm/pg-proxy'
import type { DrizzleConfig } from 'drizzle-orm/utils'
import { runnerOfTx, type Tx } from '../database/tx.ts'
import { toParameter } from './conversions.ts'
import { identify } from './kit-tx.ts'

/** Drizzle's query builder in a transaction of the kit. */
export type KitDrizzle<Schema extends Record<string, unknown> = Record<string, never>> = PgProxyTransaction<
  Schema,
  ExtractTablesWithRelations<Schema>
>

/**
 * Returns Drizzle's typed query builder for a transaction of the kit. Writes of the builder commit or roll back together
 * with `tx`. The builder's `transaction` method opens a savepoint. `kitTx` accepts the builder and returns `tx`.
 *
 * The session's search path is `pg_catalog, pg_temp`. Therefore declare tables with a schema: `pgSchema('trade').table(…)`.
 * Before you use tables in `public`, run `set local search_path = public`.
 */
export function drizzleOver<Schema extends Record<string, unknown> = Record<string, never>>(
  tx: Tx,
  config: Pick<DrizzleConfig<Schema>, 'schema' | 'casing' | 'logger'> = {},
): KitDrizzle<Schema> {
  const runner = tx[runnerOfTx]
  const db = drizzle<Schema>(async (text, parameters, method) => {
    const shape = method === 'all' ? 'values' : 'objects'
    return { rows: [...(await runner.statement(text, parameters.map(toParameter), shape))] }
  }, config)
  const { session, schema, fullSchema, tableNamesMap } = db._
  const over: KitDrizzle<Schema> = new PgProxyTransaction(
    new PgDialect(config.casing === undefined ? {} : { casing: config.casing }),
    session,
    schema === undefined ? undefined : { schema, fullSchema, tableNamesMap },
  )
  over.transaction = (part) => tx.savepoint((inner) => part(drizzleOver(inner, config)))
  identify(over, tx)
  return over
}
