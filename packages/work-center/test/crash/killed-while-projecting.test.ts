import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { isDeepStrictEqual } from 'node:util'
import type { Database } from '@vertical-kit/core-audit/database'
import { sql } from 'drizzle-orm/sql'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { collectPayment } from '../definitions.ts'
import { append, clear, type Desk, letTimePass, makeProcessor, openDesk } from '../desk.ts'
import { addTask, closeTask, versions } from '../items.ts'
import { addUser } from '../people.ts'
import { eventHandlers, source } from './event-handlers.ts'
import { observeMoments } from './moments.ts'

let desk: Desk
let database: Database
beforeAll(async () => {
  desk = await openDesk()
  database = desk.database
  for (const [name, role] of [
    ['one', 'trade.clerk'],
    ['two', 'trade.clerk'],
    ['manager', 'trade.manager'],
    ['auditor', 'trade.auditor'],
  ] as const) {
    await addUser(database, name, [role])
  }
})
afterAll(() => desk.close())

/** Creates an open task, a completed task, and an event that changes both. */
async function prepare(): Promise<void> {
  await clear(database)
  await addTask(database, { definition: collectPayment, deduplicationKey: 'done', source })
  await closeTask(database, await addTask(database, { deduplicationKey: 'again', source }))
  await append(database, { subject: 'thing/1' })
}

/** Returns the stored state that the test compares, without ids and instants. */
async function stored() {
  const [tasks, entries, notifications, states] = await database.read((db) =>
    Promise.all([
      db.execute(sql`
        select code, deduplication_key, status, version from work_center.tasks order by code, deduplication_key`),
      db.execute(sql`
        select n.display_name, coalesce(t.deduplication_key, o.deduplication_key) as item, e.is_open, e.is_visible
        from work_center.entries e
        join core_audit.user_names n on n.id = e.user_id
        left join work_center.tasks t on t.id = e.item_id
        left join work_center.notifications o on o.id = e.item_id
        order by 1, 2`),
      db.execute(sql`select deduplication_key from work_center.notifications`),
      db.execute(sql`select state from core_audit.outbox_deliveries`),
    ]),
  )
  const raised = [...(await versions(database)).values()].toSorted()
  return {
    tasks: [...tasks],
    entries: [...entries],
    notifications: [...notifications],
    states: [...states],
    raised,
  }
}

/** Runs a processor without a crash. Returns the moments of this run, and the stored state after it. */
async function rehearse() {
  await prepare()
  const before = await stored()
  const moments: string[] = []
  await makeProcessor(
    observeMoments(database, (name) => moments.push(name)),
    eventHandlers,
  ).run()
  return { before, after: await stored(), moments }
}

async function die(moment: number, how: 'now' | 'in flight'): Promise<void> {
  const script = fileURLToPath(new URL('./dying-processor.ts', import.meta.url))
  const command = ['--conditions=@vertical-kit/source', script, desk.url, String(moment), how]
  const child = spawn(process.execPath, command, { stdio: ['ignore', 'ignore', 'inherit'] })
  const [code, signal] = (await once(child, 'exit')) as [number | null, string | null]
  expect({ moment, code, signal }).toEqual({ moment, code: null, signal: 'SIGKILL' })
}

/** Resolves after the server has detected the dead process and rolled back its open transaction. */
async function untilGone(): Promise<void> {
  for (;;) {
    const [row] = await database.read((db) =>
      db.execute<{ count: number }>(sql`
        select count(*)::int from pg_catalog.pg_stat_activity
        where datname = current_database() and pid <> pg_backend_pid() and state <> 'idle'`),
    )
    if (row?.count === 0) return
  }
}

test('an event takes effect exactly once, regardless of the moment at which its processor is killed', async () => {
  const { before, after, moments } = await rehearse()
  expect(after).not.toEqual(before)
  const committedAt = moments.indexOf('after commit')
  expect(moments[committedAt - 1]).toBe('before commit')
  // The event takes 11 statements. Two claim the delivery, three acquire locks, one writes the notification, three write
  // tasks, one raises versions, and one completes the delivery.
  expect(moments.slice(0, committedAt - 1)).toEqual(Array.from({ length: 11 }, () => 'statement'))

  const deaths = [
    ...[...moments.keys()].slice(0, committedAt + 1).map((moment) => ({ moment, how: 'now' as const })),
    ...[committedAt - 2, committedAt - 1].map((moment) => ({ moment, how: 'in flight' as const })),
  ]
  for (const { moment, how } of deaths) {
    await prepare()
    await die(moment, how)
    await untilGone()
    const found = await stored()
    const isCommitted = isDeepStrictEqual(found, after)
    if (how === 'now') {
      expect({ moment, isCommitted }).toEqual({ moment, isCommitted: moment === committedAt })
    }
    // If the transaction did not commit, the clerks still have the versions that they had before the event.
    expect({ moment, raised: found.raised }).toEqual({
      moment,
      raised: (isCommitted ? after : before).raised,
    })
    await letTimePass(database)
    await makeProcessor(database, eventHandlers).run()
    expect({ moment, how, stored: await stored() }).toEqual({ moment, how, stored: after })
  }
}, 180_000)
