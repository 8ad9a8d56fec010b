import { newId } from '@vertical-kit/core-audit'
import type { Tx } from '@vertical-kit/core-audit/database'
import { sql } from 'drizzle-orm/sql'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Item, type Summary, type Tab, tabs } from '../../src/contract.ts'
import { createInboxWriter, type WriteInbox } from '../../src/inbox/inbox.ts'
import { toFilters } from '../../src/queries/entry-filters.ts'
import { listItems } from '../../src/queries/list-items.ts'
import { loadSummary } from '../../src/queries/load-summary.ts'
import type { Viewer } from '../../src/queries/viewer.ts'
import { collectPayment, definitions, settled } from '../definitions.ts'
import { administratorRoleCodes, config } from '../desk.ts'
import { batch, type InboxHost, openInboxHost, page, patient, send, summary } from '../harness.ts'
import { farAhead, longAgo, sourceOf } from '../items.ts'
import { addPerson, type Person, viewInvoices, viewOrders, viewTickets } from '../people.ts'

let host: InboxHost
let inbox: WriteInbox
beforeAll(async () => {
  host = await openInboxHost({ database: patient })
  inbox = createInboxWriter({
    ...{ database: host.database, definitions, config, administratorRoleCodes },
    announce: () => {},
  })
})
afterAll(() => host.close())

const noFilters = toFilters({})

/** The lists and counts that one user sees. */
interface Sight {
  readonly counts: Summary
  readonly lists: Readonly<Record<Tab, readonly Item[]>>
}

/** Reads all lists and counts of a viewer in one snapshot. */
const look = (viewer: Viewer, vertical: string | null = null): Promise<Sight> =>
  host.database.transaction(async (tx) => {
    await tx.execute(sql`set transaction isolation level repeatable read`)
    const lists = await Promise.all(tabs.map((tab) => listOf(tx, viewer, tab, vertical)))
    return {
      counts: await loadSummary(tx, viewer, { vertical }),
      lists: Object.fromEntries(tabs.map((tab, index) => [tab, lists[index] ?? []])) as Sight['lists'],
    }
  })

async function listOf(tx: Tx, viewer: Viewer, tab: Tab, vertical: string | null): Promise<readonly Item[]> {
  const query = {
    tab,
    sort: 'newest' as const,
    limit: 1_000,
    cursor: null,
    filters: { ...noFilters, vertical },
  }
  return (await listItems(tx, viewer, query)).items
}

/** Computes the counts from the lists. */
const countsOf = ({ attention, tasks, notifications }: Sight['lists']): Omit<Summary, 'version'> => ({
  attentionCount: attention.length,
  openTaskCount: tasks.length,
  overdueTaskCount: attention.filter(({ isOverdue }) => isOverdue).length,
  notificationCount: notifications.length,
  unreadNotificationCount: notifications.filter(({ isRead }) => !isRead).length,
})

const steps = fc.array(
  fc.record({
    deed: fc.constantFrom(
      ...['task', 'own', 'notify', 'read', 'dismiss', 'snooze', 'wake', 'claim', 'close', 'reopen'],
      ...['release', 'restore', 'read together', 'unread together', 'read all'],
      ...['forward', 'assign', 'substitute', 'return'],
    ),
    at: fc.nat({ max: 15 }),
    by: fc.nat({ max: 2 }),
  }),
  { minLength: 3, maxLength: 12 },
)
type Step = { readonly deed: string; readonly at: number; readonly by: number }

/** Creates users with different views. One of them is an auditor without permission to view the sources of tickets. */
async function openScene() {
  const people = await Promise.all([
    addPerson(host, ['trade.clerk']),
    addPerson(host, ['trade.clerk', 'trade.manager']),
    addPerson(host, ['trade.auditor']),
  ])
  const roles = await host.database.read((db) =>
    db.execute<{ user_id: string; role_id: string }>(sql`
      select user_id, role_id from core_audit.user_roles
      where user_id = any(${sql.param(people.map(({ userId }) => userId))}::uuid[])`),
  )
  const viewers = people.map(({ userId }, index) => ({
    userId,
    roleIds: roles.filter((row) => row.user_id === userId).map((row) => row.role_id),
    viewPermissions: index === 2 ? [viewInvoices] : [viewInvoices, viewOrders, viewTickets],
    isSupervisor: false,
  }))
  return { people, viewers }
}

/** An item. Writers use its deduplication key, and readers use its id. */
interface Made {
  readonly key: string
  readonly id: string
}

/** Creates or reopens a task, or creates a notification, in the same way as an event handler. */
async function make(
  key: string,
  { deed, at, by }: Step,
  people: readonly Person[],
): Promise<readonly Made[]> {
  const about = {
    deduplicationKey: key,
    title: key,
    source: at % 3 === 0 ? sourceOf('crm.ticket') : sourceOf(),
  }
  const to = { userIds: people.map(({ userId }) => userId).slice(at % 3) }
  const assignedTo = deed === 'own' ? { userId: people[by]?.userId ?? '' } : { roleCode: 'trade.clerk' }
  await inbox(async (writing) => {
    if (deed === 'notify') writing.createNotification(settled, { ...about, to })
    else
      writing.createTask(collectPayment, {
        ...{ ...about, assignedTo, dueAtUtc: at % 2 === 0 ? longAgo : farAhead },
      })
  })
  return host.database.read((db) =>
    db.execute<{ key: string; id: string }>(sql`
      select deduplication_key as key, id from work_center.tasks where deduplication_key = ${key}
      union all
      select deduplication_key, id from work_center.notifications where deduplication_key = ${key}`),
  )
}

const close = (key: string): Promise<void> =>
  inbox(async (writing) => writing.completeTask(collectPayment, key))

/** Runs the steps of one writer in their order. Other writers run concurrently, so refusals are expected and ignored. */
async function write(people: readonly Person[], script: readonly Step[], made: Made[]): Promise<void> {
  for (const step of script) {
    const { deed, at, by } = step
    const { request } = people[by] as Person
    const { id, key } = made[at % Math.max(made.length, 1)] ?? { id: noId, key: noId }
    if (deed === 'task' || deed === 'own' || deed === 'notify') {
      made.push(...(await make(newId(), step, people)))
    } else if (deed === 'reopen') await make(key, step, people)
    else if (deed === 'close') await close(key)
    else if (deed === 'forward' || deed === 'assign') {
      const to = deed === 'assign' ? { roleCode: 'trade.clerk' } : { userId: people[at % 2]?.userId }
      for (const expectedVersion of [1, 2, 3]) {
        await send(request, 'tasks', id, 'forward', { expectedVersion, to, comment: null })
      }
    } else if (deed === 'substitute') {
      const body = { ...aMonth, userId: people[at % 3]?.userId }
      await request('PUT', '/api/me/substitution', { body })
    } else if (deed === 'return') await request('DELETE', '/api/me/substitution')
    else if (deed === 'read') {
      await send(request, 'tasks', id, 'read')
      await send(request, 'notifications', id, 'read')
    } else if (deed === 'dismiss' || deed === 'restore') await send(request, 'notifications', id, deed)
    else if (deed === 'release') await send(request, 'tasks', id, 'release', { expectedVersion: 2 })
    else if (deed === 'read together' || deed === 'unread together') {
      const items = made.flatMap((one) =>
        (['Task', 'Notification'] as const).map((kind) => ({ kind, id: one.id, expectedVersion: 1 })),
      )
      const verb = deed === 'read together' ? 'read' : 'unread'
      if (items.length > 0) await batch(request, { verb, items: items.slice(0, 100) })
    } else if (deed === 'read all') {
      const { readThrough: through } = await page(request, 'tab=attention')
      await request('POST', '/api/work-center/read-all', { body: { tab: 'attention', through } })
    } else if (deed === 'claim') {
      for (const expectedVersion of [1, 3]) await send(request, 'tasks', id, 'claim', { expectedVersion })
    } else {
      const body = { snoozedUntilUtc: deed === 'snooze' ? farAhead : null }
      await send(request, 'tasks', id, 'snooze', body)
    }
  }
}

const aMonth = {
  fromUtc: new Date(Date.now() - 86_400_000).toISOString(),
  untilUtc: new Date(Date.now() + 30 * 86_400_000).toISOString(),
}

const noId = '00000000-0000-7000-8000-000000000000'

test('counts always match the lists, and equal versions mean equal views', async () => {
  let sightCount = 0
  await fc.assert(
    fc.asyncProperty(fc.array(steps, { minLength: 3, maxLength: 4 }), async (scripts) => {
      const { people, viewers } = await openScene()
      const made: Made[] = []
      let isWriting = true
      const writing = Promise.all(scripts.map((script) => write(people, script, made))).finally(() => {
        isWriting = false
      })
      const watch = async (viewer: Viewer): Promise<void> => {
        const sights = new Map<number, Sight>()
        let version = 0
        for (let isLast = false; !isLast; ) {
          isLast = !isWriting
          const sight = await look(viewer)
          const { version: now, ...counts } = sight.counts
          expect(counts).toEqual(countsOf(sight.lists))
          expect(now).toBeGreaterThanOrEqual(version)
          expect(sight).toEqual(sights.get(now) ?? sight)
          sights.set(now, sight)
          version = now
          sightCount += 1
        }
        for (const vertical of ['trade', 'crm']) {
          const { counts, lists } = await look(viewer, vertical)
          expect(counts).toEqual({ ...countsOf(lists), version })
        }
      }
      await Promise.all([writing, ...viewers.map(watch)])
      for (const { key } of made) await close(key)
    }),
    { numRuns: 15 },
  )
  expect(sightCount).toBeGreaterThan(100)
}, 90_000)

const listed = async ({ request }: Person, tab: Tab): Promise<readonly Item[]> =>
  (await page(request, `tab=${tab}&limit=100`)).items

test('lists that are read over HTTP match the counts if the version is the same before and after', async () => {
  const { people } = await openScene()
  const person = people[0] as Person
  const made: Made[] = []
  const scripts = fc.sample(fc.array(steps, { minLength: 3, maxLength: 3 }), 4)
  let matchCount = 0
  const compare = async (): Promise<void> => {
    const before = await summary(person.request)
    const [attention, tasks, notifications, completed] = await Promise.all([
      listed(person, 'attention'),
      listed(person, 'tasks'),
      listed(person, 'notifications'),
      listed(person, 'completed'),
    ])
    const { version, ...counts } = await summary(person.request)
    if (version !== before.version) return
    expect(counts).toEqual(countsOf({ attention, tasks, notifications, completed }))
    matchCount += 1
  }
  for (const round of scripts) {
    let isWriting = true
    const writing = Promise.all(round.map((script) => write(people, script, made))).finally(() => {
      isWriting = false
    })
    while (isWriting) await compare()
    await writing
    await compare()
  }
  expect(matchCount).toBeGreaterThanOrEqual(scripts.length)
}, 90_000)
