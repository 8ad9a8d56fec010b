import type { Database, Db } from '@vertical-kit/core-audit/database'
import { sql } from 'drizzle-orm/sql'

export type Statement = Parameters<Db['execute']>[0]

/** Returns the tables that a statement scans completely even if PostgreSQL avoids such scans, because no index fits. */
export async function scannedWhole(database: Database, statement: Statement): Promise<readonly string[]> {
  return database.transaction(async (tx) => {
    await tx.execute(sql`set local enable_seqscan = off`)
    const [row] = await tx.execute<{ 'QUERY PLAN': unknown }>(sql`explain (format json) ${statement}`)
    return [...JSON.stringify(row).matchAll(/"Node Type":"Seq Scan".*?"Relation Name":"(\w+)"/g)].map(
      ([, table]) => table ?? '',
    )
  })
}
