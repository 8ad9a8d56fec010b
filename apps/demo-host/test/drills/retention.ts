import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { KitModule } from '@vertical-kit/core-audit'
import { createDatabase, databaseDefaults, migrate } from '@vertical-kit/core-audit/database'
import { createLogger, type RunningBackgroundHost, startBackgroundHost } from '@vertical-kit/core-audit/host'
import { createOutbox, outboxDefaults } from '@vertical-kit/core-audit/outbox'
import { startPostgres } from '@vertical-kit/dev-services'
import { createWorkCenter, defineNotification, defineTask, on } from '@vertical-kit/work-center'
import postgres from 'postgres'
import * as v from 'valibot'
import { hostMigrations } from '../../src/migrations.ts'
import { dataFolder } from '../demo-process.ts'
import type { Counts } from './drill.ts'

const eventsPerSecond = 1_000
/** How long finished events, closed tasks and notifications are kept, instead of days. */
const retentionMs = 60_000
/** The pause between two cycles of a retention worker, instead of an hour. */
const pruneIntervalMs = 5_000
/** The minute in which every table has its full size: retention, a cycle, and a visit of autovacuum have passed. */
const settledAfterMs = 240_000
const leastMinutes = 6
/** A table may grow by this factor from then on. */
const tolerance = 1.2
/** At the end, the consumer may be behind by the events of this many seconds. */
const maxBacklogSeconds = 10

const changed = { type: 'drill.changed', schema: v.object({ key: v.string(), isOpen: v.boolean() }) }
const shared = { category: 'Drill', description: '', roleCodes: ['drill'] }
const work = defineTask({ ...shared, code: 'drill.work', displayName: 'Work' })
const done = defineNotification({ ...shared, code: 'drill.done', displayName: 'Done', severity: 'Success' })

/**
 * Appends 1,000 events per second. Half of them create a task for two users, and the others complete it and notify the users.
 * All of this is deleted after a minute. Checks that the consumer keeps up, and that no table or index grows once the first
 * rows have been deleted.
 */
export async function drillRetention(minutes: number, report: (line: string) => void): Promise<Counts> {
  if (minutes < leastMinutes)
    throw new Error(`The drill needs ${leastMinutes} minutes or more, until tables have their full size`)
  const closing: (() => Promise<unknown>)[] = []
  try {
    const folder = await dataFolder()
    closing.push(() => folder.remove())
    const server = await startPostgres({ directory: join(folder.path, 'postgres') })
    closing.push(() => server.stop('immediate'))
    await server.createDatabase('drill')
    const url = server.url('drill')
    await migrate({ databaseUrl: url, packs: hostMigrations })
    const sql = postgres(url, { max: 2, onnotice: () => {} })
    closing.push(() => sql.end({ timeout: 5 }))
    await addUsers(sql)
    const host = await startConsumer(url)
    closing.push(() => host.close())

    const startedMs = performance.now()
    const endMs = startedMs + minutes * 60_000
    const largest = { settled: new Map<string, number>(), last: new Map<string, number>() }
    const half = { startsMs: startedMs + settledAfterMs, endsMs: (startedMs + settledAfterMs + endMs) / 2 }
    let appended = 0
    let sampledMs = startedMs
    let [mostBacklog, lastBacklog] = [0, 0]
    while (performance.now() < endMs) {
      const target = Math.floor(((performance.now() - startedMs) / 1_000) * eventsPerSecond)
      if (target - appended >= eventsPerSecond / 10) appended += await append(sql, appended, target)
      else await delay(20)
      if (performance.now() - sampledMs < 10_000) continue
      sampledMs = performance.now()
      const backlog = await backlogOf(sql)
      lastBacklog = backlog
      mostBacklog = Math.max(mostBacklog, backlog)
      const sizes = await sizesOf(sql)
      const period = sampledMs < half.startsMs ? undefined : sampledMs < half.endsMs ? 'settled' : 'last'
      if (period !== undefined)
        for (const { name, bytes } of sizes)
          largest[period].set(name, Math.max(largest[period].get(name) ?? 0, bytes))
      const megabytes = sizes.reduce((sum, { bytes }) => sum + bytes, 0) / 1_048_576
      const seconds = Math.round((sampledMs - startedMs) / 1_000)
      report(`${seconds} s: ${appended} events, ${backlog} waiting, ${megabytes.toFixed(0)} MB`)
    }
    if (lastBacklog > maxBacklogSeconds * eventsPerSecond)
      throw new Error(`At the end, the consumer was ${lastBacklog} events behind`)
    for (const [name, bytes] of largest.last) {
      const before = largest.settled.get(name) ?? 0
      // Some pages more or less say nothing about a small table.
      if (bytes > before * tolerance && bytes > 1_048_576) {
        throw new Error(`${name} has grown from ${before} to ${bytes} bytes`)
      }
    }
    const hot = await hotShares(sql)
    return {
      'events appended': appended,
      'events waiting at most': mostBacklog,
      'MB of all tables and indexes, first half': total(largest.settled),
      'MB of all tables and indexes, second half': total(largest.last),
      ...Object.fromEntries(hot.map(({ name, percent }) => [`% of updates of ${name} are HOT`, percent])),
    }
  } finally {
    for (const end of closing.toReversed()) await end()
  }
}

const total = (sizes: ReadonlyMap<string, number>): number =>
  Math.round([...sizes.values()].reduce((sum, bytes) => sum + bytes, 0) / 1_048_576)

async function addUsers(sql: postgres.Sql): Promise<void> {
  await sql`
    with role as (
      insert into core_audit.roles (id, code, name, permissions)
      values (gen_random_uuid(), 'drill', 'Drill', '{document.drill.view}')
      returning id
    ), users as (
      insert into core_audit.users (id, subject, email, display_name)
      select gen_random_uuid(), 'drill-' || g, 'drill@example.com', 'Drill' from generate_series(1, 2) g
      returning id
    )
    insert into core_audit.user_roles (user_id, role_id) select users.id, role.id from users cross join role`
}

/** Starts a background host with short retentions. */
async function startConsumer(url: string): Promise<RunningBackgroundHost> {
  const database = createDatabase({ ...databaseDefaults, url })
  const outbox = createOutbox({ database, config: { ...outboxDefaults, retentionMs } })
  const workCenter = createWorkCenter({
    database,
    outbox,
    config: { terminalTaskRetentionMs: retentionMs, notificationRetentionMs: retentionMs },
    definitions: [work, done],
    identity: { administratorRoleCodes: [] },
    eventHandlers: [
      on(changed, (inbox, { data: { key, isOpen } }) => {
        const source = {
          resourceKind: 'document',
          resourceCode: 'drill',
          entityId: key,
          title: key,
          subtitle: null,
        }
        const item = { deduplicationKey: key, title: 'Drill', source }
        if (isOpen) inbox.createTask(work, { ...item, assignedTo: { roleCode: 'drill' } })
        else {
          inbox.completeTask(work, key)
          inbox.createNotification(done, item)
        }
      }),
    ],
  })
  const modules: readonly KitModule[] = [prunesOften(outbox), prunesOften(workCenter), outbox.processing]
  return startBackgroundHost({ database, logger: createLogger({ level: 'error' }), modules })
}

const prunesOften = (module: KitModule): KitModule => ({
  ...module,
  workers: (module.workers ?? []).map((worker) =>
    worker.name.endsWith('retention') ? { ...worker, intervalMs: pruneIntervalMs } : worker,
  ),
})

/** Appends the events with the numbers from `first` to `end`. A pair of events opens and closes one task. */
async function append(sql: postgres.Sql, first: number, end: number): Promise<number> {
  await sql`
    insert into core_audit.outbox_events (id, type, source, subject, schema_version, data)
    select uuidv7(), ${changed.type}, 'drill', 'drill/' || key, 1,
      jsonb_build_object('key', key, 'isOpen', number % 2 = 0)
    from generate_series(${first}::int, ${end - 1}::int) number
    cross join lateral (select lpad(to_hex(number / 2), 32, '0')::uuid::text as key) pair
    order by number`
  return end - first
}

async function backlogOf(sql: postgres.Sql): Promise<number> {
  const [row] = await sql<[{ count: number }]>`
    select count(*)::int as count from core_audit.outbox_deliveries where state = 'pending'`
  return row.count
}

/** Returns the size of each table that events touch, with its indexes. */
function sizesOf(sql: postgres.Sql) {
  return sql<{ name: string; bytes: number }[]>`
    select relid::regclass::text as name, pg_total_relation_size(relid)::float8 as bytes
    from pg_stat_user_tables
    where (schemaname = 'core_audit' and relname like 'outbox%') or schemaname = 'work_center'`
}

/** Returns the share of updates that changed no index. */
function hotShares(sql: postgres.Sql) {
  return sql<{ name: string; percent: number }[]>`
    select relid::regclass::text as name, round(100.0 * n_tup_hot_upd / n_tup_upd)::int as percent
    from pg_stat_user_tables
    where n_tup_upd > 1000
    order by 1`
}
