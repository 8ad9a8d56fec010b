import type { Connection } from '../../database/connection.ts'
import { withPendingMigrations } from '../../database/migrate.ts'
import { createLedger } from '../../database/migration-ledger.ts'
import type { BlockingMigrationsOptions } from '../blocking-migrations.ts'
import { checkIndexChange } from './check-index-change.ts'
import { checkTransaction } from './check-transaction.ts'
import { openTraffic, type Traffic } from './traffic.ts'

/** The connections and the tables of one check. */
export interface Check {
  readonly databaseUrl: string
  /** The migrator's connection. */
  readonly connection: Connection
  readonly traffic: Traffic
  readonly isFilled: (table: string) => boolean
  /** Fills a table unless it is filled. */
  readonly fill: (table: string) => Promise<void>
}

export async function checkMigrations(options: BlockingMigrationsOptions): Promise<readonly string[]> {
  const { databaseUrl } = options
  const filled = new Set<string>()
  const fill = async (table: string) => {
    if (!filled.has(table)) await options.fill(table)
    filled.add(table)
  }
  const traffic = openTraffic(databaseUrl)
  try {
    return await withPendingMigrations(options, async (connection, pending) => {
      await connection.begin(createLedger)
      // PostgreSQL counts the rows of a parallel scan in its workers. Without workers, it counts all rows in this session.
      await connection.statement(`select set_config('max_parallel_workers_per_gather', '0', false)`)
      await connection.statement(`select set_config('max_parallel_maintenance_workers', '0', false)`)
      const check = { databaseUrl, connection, traffic, isFilled: (table: string) => filled.has(table), fill }
      const problems: string[] = []
      for (const { file } of pending) {
        const found =
          file.indexChange === null
            ? await checkTransaction(check, file)
            : await checkIndexChange(check, file, file.indexChange)
        problems.push(...found.map((problem) => `${file.pack}/${file.file} ${problem}`))
      }
      return problems
    })
  } finally {
    await traffic.end()
  }
}
