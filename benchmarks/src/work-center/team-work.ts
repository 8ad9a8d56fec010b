import { Agent } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import postgres from 'postgres'
import type { Plan } from '../compare.ts'
import { exchange } from '../converse.ts'
import { type Finding, toFigure } from '../finding.ts'
import { type Bench, openBench, type Setup } from '../hosts.ts'
import { addUsers } from './add-users.ts'
import { handleOrders } from './deliveries.ts'
import { fillInboxes, readersOf } from './fill-inboxes.ts'

const readAll = 'marking 1,000 items as read'
const joining = 'joining of 5,000 users to 100 open tasks'

/** Measures changes of very many entries: all unread items of one user, and the open tasks of users who gain a role. */
export async function measureTeamWork(plan: Plan): Promise<readonly Finding[]> {
  if (![readAll, joining].some(plan.isChosen)) return []
  const bench = await openBench({ isOnDisk: false })
  const setup = await bench.setUp('bench_team', {
    documents: 1,
    notesPerDocument: 0,
    attachmentsPerDocument: 0,
  })
  const sql = postgres(setup.databaseUrl, { max: 1, onnotice: () => {} })
  try {
    return [
      ...(plan.isChosen(readAll) ? [await measureReadAll(bench, setup, sql)] : []),
      ...(plan.isChosen(joining) ? [await measureJoining(sql)] : []),
    ]
  } finally {
    await sql.end({ timeout: 5 })
    await bench.close()
  }
}

/** Returns the time of the whole request, beside 100,000 entries of other users. */
async function measureReadAll(bench: Bench, setup: Setup, sql: postgres.Sql): Promise<Finding> {
  const readers = await fillInboxes(setup.databaseUrl, { readers: readersOf(100_000), veteranTasks: 1_000 })
  const veteran = readers.find(({ subject }) => subject === 'veteran')
  if (veteran === undefined) throw new Error('The veteran is missing')
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const headers = { authorization: `Bearer ${await bench.token(veteran.subject)}` }
  const list = '/api/work-center/items?tab=completed&unread=true&limit=1'
  await sql`update work_center.entries set read_at = sort_at where user_id = ${veteran.id}::uuid and read_at is null`
  const samples: number[] = []
  for (let turn = 0; turn < 15; turn += 1) {
    await sql`
      update work_center.entries e
      set read_at = null
      from (
        select item_id from work_center.entries
        where user_id = ${veteran.id}::uuid and kind = 'Task' and not is_open
        order by sort_at desc
        limit 1000
      ) newest
      where e.user_id = ${veteran.id}::uuid and e.item_id = newest.item_id`
    const page = (await exchange(setup.host, agent, { method: 'GET', path: list, headers })) as {
      readonly readThrough: string
    }
    const body = { tab: 'completed', filters: { unread: 'true' }, through: page.readThrough }
    const startedMs = performance.now()
    const answer = await exchange(setup.host, agent, {
      ...{ method: 'POST', path: '/api/work-center/read-all', headers, body },
    })
    samples.push(performance.now() - startedMs)
    const { changedCount } = answer as { readonly changedCount: number }
    if (changedCount !== 1_000) throw new Error(`${changedCount} items were marked as read`)
  }
  agent.destroy()
  return toFigure(readAll, samples, { unit: 'ms', bound: { most: 50 } })
}

/** Returns the time in which the event of the role is handled. Each turn has other users, who gain the role together. */
async function measureJoining(sql: postgres.Sql): Promise<Finding> {
  await handleOrders(sql, 100)
  const samples: number[] = []
  for (let turn = 0; turn < 3; turn += 1) {
    await addUsers(sql, { prefix: `joiner-${turn}`, count: 5_000, roleCode: 'trade.clerk' })
    samples.push(await handleChangeOfRole(sql, 'trade.clerk'))
    const [row] = await sql<[{ count: number }]>`
      select count(*)::int as count
      from work_center.entries e join core_audit.users u on u.id = e.user_id
      where u.subject like ${`joiner-${turn}-%`}`
    if (row.count !== 500_000) throw new Error(`${row.count} entries were created`)
  }
  return toFigure(joining, samples, { unit: 'ms', bound: { most: 3_000 } })
}

/** Commits the event of a changed role, and waits until it and the events that continue it are handled. Returns their time. */
async function handleChangeOfRole(sql: postgres.Sql, roleCode: string): Promise<number> {
  const [event] = await sql<[{ id: string; subject: string }]>`
    insert into core_audit.outbox_events (id, type, source, subject, causation_id, schema_version, data)
    select uuidv7(), 'security.access.changed', 'bench', 'security/role/' || id, null, 1,
      jsonb_build_object('roleId', id)
    from core_audit.roles
    where code = ${roleCode}
    returning id, subject`
  for (;;) {
    await delay(100)
    const [row] = await sql<[{ left: number; failures: object[] | null; span_ms: number }]>`
      select count(*) filter (where d.state <> 'completed' or a.id is null)::int as left,
        jsonb_agg(a.error) filter (where a.outcome <> 'completed') as failures,
        (extract(epoch from max(a.ended_at) - min(a.started_at)) * 1000)::float8 as span_ms
      from core_audit.outbox_events e
      left join core_audit.outbox_deliveries d on d.event_id = e.id and d.consumer = 'work-center'
      left join core_audit.outbox_attempts a on a.event_id = e.id and a.consumer = 'work-center'
      where e.subject = ${event.subject} and e.id >= ${event.id}::uuid`
    if (row.failures !== null) throw new Error(`Events failed: ${JSON.stringify(row.failures)}`)
    if (row.left === 0) return row.span_ms
  }
}
