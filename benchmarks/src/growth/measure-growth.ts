import { setTimeout as delay } from 'node:timers/promises'
import postgres from 'postgres'
import type { Plan } from '../compare.ts'
import { fillExecutions } from '../fill-executions.ts'
import { type Bench, openBench, type SetUpOptions } from '../hosts.ts'
import type { GrowthPoint, GrowthResults } from '../report/results.ts'
import { percentile } from '../statistics.ts'
import { fillInboxes, type Reader, readersOf } from '../work-center/fill-inboxes.ts'
import { fillAudit, fillHandledEvents } from './fill-history.ts'
import { type Grown, type GrownSetup, type Operation, operations } from './operations.ts'

const perDocument = 50
/** Half of these documents are only read, and executions use the other half. Enough for 50 rows each at 10,000 rows. */
const leastDocuments = 200

/**
 * Measures the response times of each operation with different numbers of rows, on one connection. All sizes take turns in
 * each round, so that other work on the machine affects them equally. The databases are on a disk.
 */
export async function measureGrowth(
  plan: Plan,
  sizes: readonly number[],
): Promise<GrowthResults['operations']> {
  const chosen = operations.filter(({ name }) => plan.isChosen(name))
  if (chosen.length === 0) return []
  const grown = new Set(chosen.map((operation) => operation.grown))
  const bench = await openBench({ isOnDisk: true })
  try {
    const setups: GrownSetup[] = []
    for (const rows of sizes) setups.push(await setUpGrown(bench, { rows, grown }))
    // All hosts seal at the same time.
    if (grown.has('audit')) await Promise.all(setups.map(untilSealed))
    const results: { name: string; points: readonly GrowthPoint[] }[] = []
    for (const operation of chosen) {
      const points = await measureOperation(bench, operation, setups, plan)
      const shown = points.map(
        ({ rows, p50Ms }) => `${rows.toLocaleString('en')} rows ${p50Ms.toFixed(2)} ms`,
      )
      console.log(`${operation.name}: ${shown.join(', ')}`)
      results.push({ name: operation.name, points })
    }
    return results
  } finally {
    await bench.close()
  }
}

export interface GrownSize extends SetUpOptions {
  readonly rows: number
  /** The kinds of rows to fill. */
  readonly grown: ReadonlySet<Grown>
}

/** Starts a host with its own database and fills the database with a number of rows of each kind. */
export async function setUpGrown(bench: Bench, { rows, grown, ...options }: GrownSize): Promise<GrownSetup> {
  const startedMs = performance.now()
  const isContentChosen = grown.has('content')
  const documents = Math.max(leastDocuments, isContentChosen ? rows / perDocument : 0)
  const perEach = isContentChosen ? Math.ceil(rows / documents) : 0
  const size = { documents, notesPerDocument: perEach, attachmentsPerDocument: perEach }
  const setup = await bench.setUp(`bench_growth_${rows}`, size, options)
  const sql = postgres(setup.databaseUrl, { max: 1, onnotice: () => {} })
  let readers: readonly Reader[] = []
  if (grown.has('audit')) await fillAudit(sql, rows)
  if (grown.has('executions')) await fillExecutions(setup.databaseUrl, rows)
  if (grown.has('events')) await fillHandledEvents(sql, rows)
  if (grown.has('entries')) {
    const veteranTasks = Math.ceil(rows / 10)
    readers = await fillInboxes(setup.databaseUrl, {
      ...{ readers: readersOf(rows), veteranTasks },
      hasRolePerGroup: true,
    })
  }
  await sql.end({ timeout: 5 })
  const seconds = Math.round((performance.now() - startedMs) / 1_000)
  console.log(`filled ${rows.toLocaleString('en')} rows of ${[...grown].join(', ')} in ${seconds} s`)
  // Every size reads the same number of documents.
  const read = setup.documents.read.slice(0, leastDocuments / 2)
  return { ...setup, rows, readers, documents: { ...setup.documents, read } }
}

/** Waits until the host has sealed the added audit events, which takes a minute for each million. It would disturb the run. */
async function untilSealed({ databaseUrl }: GrownSetup): Promise<void> {
  const sql = postgres(databaseUrl, { max: 1, onnotice: () => {} })
  const count = async () => {
    const [row] = await sql`
      select (select count(*) from core_audit.audit_events) - (select coalesce(sum(event_count), 0) from core_audit.audit_seals)
        as unsealed`
    return Number(row?.['unsealed'])
  }
  while ((await count()) > 0) await delay(1_000)
  await sql.end({ timeout: 5 })
}

async function measureOperation(
  bench: Bench,
  operation: Operation,
  setups: readonly GrownSetup[],
  { rounds, load }: Plan,
): Promise<readonly GrowthPoint[]> {
  const sides: { rows: number; runOnce: () => Promise<number>; samples: number[] }[] = []
  for (const setup of setups) {
    sides.push({ rows: setup.rows, runOnce: await operation.open(bench, setup), samples: [] })
    await prewarm(setup.databaseUrl)
  }
  const limit = operation.limit ?? Number.POSITIVE_INFINITY
  // The first round only warms up.
  for (let round = 0; round <= rounds; round += 1) {
    for (const { runOnce, samples } of sides) {
      const untilMs = performance.now() + load.seconds * 1_000
      const times: number[] = []
      while (times.length < limit && performance.now() < untilMs) times.push(await runOnce())
      if (round > 0) samples.push(...times)
    }
  }
  return sides.map(({ rows, samples }) => ({
    rows,
    p50Ms: percentile(samples, 0.5),
    p95Ms: percentile(samples, 0.95),
  }))
}

/**
 * Reads a database into the shared buffers if it fits into three quarters of them. Otherwise, a run would measure the first access
 * to each page: PostgreSQL fills tables and indexes past its shared buffers.
 */
async function prewarm(databaseUrl: string): Promise<void> {
  const sql = postgres(databaseUrl, { max: 1, onnotice: () => {} })
  await sql`create extension if not exists pg_prewarm`
  await sql`
    select pg_prewarm(oid)
    from pg_class
    where relkind in ('r', 'i', 't') and relpersistence = 'p'
      and pg_database_size(current_database()) < pg_size_bytes(current_setting('shared_buffers')) * 3 / 4`
  await sql.end({ timeout: 5 })
}
