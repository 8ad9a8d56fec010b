import { coreMigrations, migrate } from '@vertical-kit/core-audit/database'
import postgres from 'postgres'
import type { Plan } from '../compare.ts'
import { type Finding, toFigure } from '../finding.ts'
import { type Bench, openBench } from '../hosts.ts'
import { startServer } from '../server-process.ts'

const noOpEvents = 'outbox events without work'

/** The amount of jobs or events of one run. */
export const noOpCount = 20_000

/** Measures how many events per second a consumer handles that does nothing. */
export async function measureNoOpEvents(plan: Plan): Promise<readonly Finding[]> {
  if (!plan.isChosen(noOpEvents)) return []
  const bench = await openBench({ isOnDisk: false })
  try {
    const outbox = await openNoOpOutbox(bench)
    await outbox.drain()
    const rates: number[] = []
    for (let round = 0; round < plan.rounds; round += 1) rates.push(await outbox.drain())
    await outbox.stop()
    return [toFigure(noOpEvents, rates, { unit: 'events/s', bound: { least: 10_000 } })]
  } finally {
    await bench.close()
  }
}

/** A queue that is filled and then drained by a process of its own. */
export interface Queue {
  /** Resolves with the number of jobs or events per second. */
  drain(): Promise<number>
  stop(): Promise<void>
}

/** Opens an outbox in a new database of the bench, with a consumer that does nothing. */
export async function openNoOpOutbox(bench: Bench): Promise<Queue> {
  await bench.postgres.createDatabase('bench_no_op')
  const databaseUrl = bench.postgres.url('bench_no_op')
  await migrate({ databaseUrl, packs: [coreMigrations] })
  const sql = postgres(databaseUrl, { max: 1, onnotice: () => {} })
  await sql`select core_audit.register_outbox_consumer('no-op')`
  return {
    async drain() {
      await sql`
        insert into core_audit.outbox_events (id, type, source, subject, schema_version, data)
        select id, 'bench.no_op', 'bench', 'bench/' || id, 1, '{}'
        from (select uuidv7() as id from generate_series(1, ${noOpCount}::int)) new`
      await sql`analyze core_audit.outbox_deliveries`
      const consumer = await startServer(new URL('./no-op-consumer.ts', import.meta.url), {
        DATABASE_URL: databaseUrl,
        COUNT: String(noOpCount),
      })
      const { spanMs } = (await consumer.ask('start')) as { readonly spanMs: number }
      await consumer.stop()
      return noOpCount / (spanMs / 1_000)
    },
    stop: () => sql.end({ timeout: 5 }),
  }
}
