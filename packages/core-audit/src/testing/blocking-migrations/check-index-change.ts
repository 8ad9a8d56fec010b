import { applyMigration } from '../../database/apply-migration.ts'
import { openPostgresClient } from '../../database/client.ts'
import type { IndexChange } from '../../database/index-change.ts'
import type { MigrationFile } from '../../database/migration-files.ts'
import type { Check } from './check-migrations.ts'

/**
 * Applies a file that runs outside a transaction, and sends traffic from its start to its end. Two older transactions hold
 * it: it cannot start before a writer of the table ends, and it cannot complete before a reader ends. So there is traffic
 * in its first phase, in its last phase, and between them.
 */
export async function checkIndexChange(
  check: Check,
  file: MigrationFile,
  change: IndexChange,
): Promise<readonly string[]> {
  const { databaseUrl, connection, traffic, fill } = check
  const limits = { lockTimeoutMs: 0, lockAttempts: 1, indexWaitMs: 0, onRetry: () => {} }
  const apply = () => applyMigration(connection, file, limits)
  const table = await traffic.tableOf(change)
  if (table === undefined) {
    await apply()
    return [`drops the index ${change.index}, which does not exist`]
  }
  await fill(table)
  const [migrator] = await connection.statement<{ pid: number }>('select pg_backend_pid() as pid')
  const writer = await hold(databaseUrl, `lock table ${table} in row exclusive mode`)
  const reader = await hold(databaseUrl, `select from ${table} limit 1`)
  let isDone = false
  const run = apply().finally(() => {
    isDone = true
  })
  const isHeldBy = (...holders: readonly Holder[]) =>
    traffic.waitsFor(
      migrator?.pid ?? 0,
      holders.map(({ pid }) => pid),
    )
  let [blockedCount, sentCount] = [0, 0]
  const send = async () => {
    blockedCount += (await traffic.send([table])).length
    sentCount += 2
  }
  try {
    while (!isDone && !(await isHeldBy(writer, reader)));
    await send()
    await writer.end()
    do await send()
    while (!isDone && !(await isHeldBy(reader)))
  } finally {
    await writer.end()
    await reader.end()
    await run
  }
  return blockedCount === 0 ? [] : [`blocks ${blockedCount} of ${sentCount} statements on ${table}`]
}

/** An open transaction. */
interface Holder {
  readonly pid: number
  end(): Promise<void>
}

/** Runs a statement in a transaction that keeps its locks and its snapshot until `end`. */
async function hold(databaseUrl: string, statement: string): Promise<Holder> {
  const { sql, end } = openPostgresClient(databaseUrl)
  await sql.unsafe(`begin isolation level repeatable read; ${statement}`)
  const [session] = await sql<{ pid: number }[]>`select pg_backend_pid() as pid`
  return { pid: session?.pid ?? 0, end: () => end(0) }
}
