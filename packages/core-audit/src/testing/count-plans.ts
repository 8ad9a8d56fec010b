import type { Database, Db } from '../database/database.ts'
import { type SQL, sql } from '../database/sql.ts'
import { rolledBack } from './rolled-back.ts'

const executionCount = 20

/**
 * Executes a statement 20 times on one connection, rolls its changes back, and returns how many plans PostgreSQL made. It
 * makes at most 6 for a statement that it plans once: 5 for the values, and then the general one. It makes 20 if it plans the
 * statement at each execution; `planOnce` prevents that. Returns 0 if the connections do not prepare statements.
 */
export async function countPlans(database: Database, statement: SQL): Promise<number> {
  let planCount = 0
  await rolledBack(database, async (tx) => {
    const before = await preparedOn(tx)
    for (let n = 0; n < executionCount; n += 1) await tx.execute(statement)
    const executed = [...(await preparedOn(tx))].map(([name, after]) => {
      const { forValues = 0, general = 0 } = before.get(name) ?? {}
      return { forValues: after.forValues - forValues, general: after.general - general }
    })
    const found = executed.find(({ forValues, general }) => forValues + general >= executionCount)
    if (found !== undefined) planCount = found.forValues + Math.min(found.general, 1)
  })
  return planCount
}

/** How often each statement of the connection was executed, by its name. */
async function preparedOn(db: Db) {
  const rows = await db.execute<{ name: string; for_values: number; general: number }>(sql`
    select name, custom_plans::int as for_values, generic_plans::int as general from pg_prepared_statements`)
  return new Map(rows.map((row) => [row.name, { forValues: row.for_values, general: row.general }]))
}
