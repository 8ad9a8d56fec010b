import { newId } from '@vertical-kit/core-audit'
import { writeCursor } from '@vertical-kit/core-audit/http'
import { expectJson, holdTransaction, untilBlocked } from '@vertical-kit/core-audit/testing'
import { sql } from 'drizzle-orm/sql'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { closeTasks } from '../../src/commands/close-tasks.ts'
import { createNotifications } from '../../src/commands/create-notifications.ts'
import { openInbox } from '../../src/inbox/inbox.ts'
import { collectPayment, definitions, settled } from '../definitions.ts'
import { administratorRoleCodes, config } from '../desk.ts'
import { done, type InboxHost, idsOf, openInboxHost, page, refusalOf, send, summary } from '../harness.ts'
import { addNotification, addTask, closeTask, sourceOf, versions } from '../items.ts'
import { addPerson, giveRole, type Person, takeRole } from '../people.ts'

let host: InboxHost
let clerk: Person
beforeAll(async () => {
  host = await openInboxHost()
})
afterAll(() => host.close())
beforeEach(async () => {
  clerk = await addPerson(host, ['trade.clerk'])
  host.announced.length = 0
})

const notify = (person = clerk) => addNotification(host.database, { to: [person.userId] })
const ownTask = (priority: 'Low' | 'High' = 'Low') =>
  addTask(host.database, { assignedTo: { userId: clerk.userId }, priority })

const ask = (body: object, person = clerk) => person.request('POST', '/api/work-center/read-all', { body })

/** Marks a list as read, up to a page that is read now unless it is given. */
async function readAll(list: { tab?: string; filters?: object } = {}, through?: string): Promise<number> {
  const { tab = 'attention', filters = {} } = list
  const query = new URLSearchParams({ tab, ...filters })
  const seen = through ?? (await page(clerk.request, String(query))).readThrough
  return (await expectJson<{ changedCount: number }>(await ask({ tab, filters, through: seen }))).changedCount
}

const unreadIds = async (tab: string) => idsOf(clerk.request, `tab=${tab}&unread=true`)

describe('marking all items as read', () => {
  test('changes the unread items of the list, and raises the version once', async () => {
    const [task, first, second] = [await ownTask(), await notify(), await notify()]
    await done(clerk.request, 'notifications', first, 'read')
    const { version } = await summary(clerk.request)
    expect(await readAll()).toBe(2)
    expect(await unreadIds('notifications')).toEqual([])
    expect(await idsOf(clerk.request)).toEqual([task])
    expect((await summary(clerk.request)).version).toBe(version + 1)
    expect(host.announced.at(-1)).toEqual(new Map([[clerk.userId, version + 1]]))
    expect(await readAll()).toBe(0)
    expect((await summary(clerk.request)).version).toBe(version + 1)
    expect(await idsOf(clerk.request, 'tab=notifications')).toEqual([second, first])
  })

  test('keeps to the tab and to the filters', async () => {
    const [low, high] = [await ownTask('Low'), await ownTask('High')]
    const notification = await notify()
    expect(await readAll({ tab: 'tasks', filters: { priority: 'High' } })).toBe(1)
    expect(await unreadIds('attention')).toEqual([notification, low])
    expect(
      await readAll({ tab: 'tasks', filters: { q: 'PAYMENT', definition: 'trade.collect_payment' } }),
    ).toBe(1)
    expect(await readAll({ tab: 'notifications', filters: { definition: 'trade.other' } })).toBe(0)
    expect(await unreadIds('attention')).toEqual([notification])
    expect(await idsOf(clerk.request, 'tab=tasks')).toEqual([high, low])
  })

  test('changes nothing for other users', async () => {
    const colleague = await addPerson(host, ['trade.clerk'])
    const id = await addNotification(host.database, { to: [clerk.userId, colleague.userId] })
    const before = (await versions(host.database)).get(colleague.userId)
    expect(await readAll()).toBe(1)
    expect(await idsOf(colleague.request)).toEqual([id])
    expect((await versions(host.database)).get(colleague.userId)).toBe(before)
  })

  test('responds with 0 to a caller whose first request read the page', async () => {
    const request = await host.as({ subject: 'a-stranger' })
    const { readThrough: through } = await page(request)
    const response = await request('POST', '/api/work-center/read-all', {
      body: { tab: 'attention', filters: {}, through },
    })
    expect(await expectJson(response)).toEqual({ changedCount: 0 })
  })
})

describe('items stay unread', () => {
  test('that arrived after the page', async () => {
    const seen = await notify()
    const { readThrough } = await page(clerk.request)
    const later = await notify()
    expect(await readAll({}, readThrough)).toBe(1)
    expect(await idsOf(clerk.request)).toEqual([later])
    expect(await readAll()).toBe(1)
    expect(await idsOf(clerk.request, 'tab=notifications')).toEqual([later, seen])
  })

  test('whose transaction had begun before the page, and committed after it', async () => {
    const held = await holdTransaction(host.database, (tx) =>
      createNotifications(tx, { definition: settled, retentionMs: 60_000 }, [
        {
          deduplicationKey: clerk.userId,
          title: 'Late',
          source: sourceOf(),
          to: { userIds: [clerk.userId] },
        },
      ]),
    )
    // The held item is older than this one.
    await notify()
    const { readThrough, items } = await page(clerk.request)
    expect(items).toHaveLength(1)
    await held.commit()
    expect(await readAll({}, readThrough)).toBe(1)
    expect((await page(clerk.request)).items.map(({ title }) => title)).toEqual(['Late'])
  })

  test('of a role that the user has gained after the page, although the tasks are older', async () => {
    const task = await addTask(host.database)
    const joiner = await addPerson(host, ['trade.auditor'])
    await addNotification(host.database, { to: [joiner.userId] })
    const { readThrough: through } = await page(joiner.request)
    await giveRole(host.database, joiner, 'trade.clerk')
    await host.database.transaction(async (tx) => {
      const inbox = openInbox(tx, { definitions, config, administratorRoleCodes })
      inbox.changeAccess({ userId: joiner.userId })
      await inbox.finish()
    })
    expect(await idsOf(joiner.request, 'tab=tasks')).toContain(task)
    await ask({ tab: 'attention', filters: {}, through }, joiner)
    expect(await idsOf(joiner.request, 'tab=tasks&unread=true')).toContain(task)
  })

  test('in the list of completed tasks, if they were completed after the page', async () => {
    const [earlier, later] = [newId(), newId()]
    const complete = (deduplicationKey: string) =>
      host.database.transaction((tx) =>
        closeTasks(tx, 'Completed', [{ code: collectPayment.code, deduplicationKey }]),
      )
    const id = await addTask(host.database, { deduplicationKey: later })
    await addTask(host.database, { deduplicationKey: earlier })
    await complete(earlier)
    const { readThrough } = await page(clerk.request, 'tab=completed')
    await complete(later)
    expect(await readAll({ tab: 'completed' }, readThrough)).toBe(1)
    expect(await unreadIds('completed')).toEqual([id])
    expect(await readAll({ tab: 'completed' })).toBe(1)
  })

  test('that a colleague has released after the page', async () => {
    const colleague = await addPerson(host, ['trade.clerk'])
    const id = await addTask(host.database)
    await done(colleague.request, 'tasks', id, 'claim', { expectedVersion: 1 })
    await notify()
    const { readThrough } = await page(clerk.request)
    await done(colleague.request, 'tasks', id, 'release', { expectedVersion: 2 })
    await readAll({}, readThrough)
    expect(await unreadIds('tasks')).toContain(id)
    await readAll()
    expect(await unreadIds('tasks')).not.toContain(id)
  })

  test('that a colleague has claimed, and forwarded to the user after the page', async () => {
    const colleague = await addPerson(host, ['trade.clerk'])
    const id = await addTask(host.database)
    await done(colleague.request, 'tasks', id, 'claim', { expectedVersion: 1 })
    await notify()
    const { readThrough } = await page(clerk.request)
    const to = { userId: clerk.userId }
    await send(colleague.request, 'tasks', id, 'forward', { expectedVersion: 2, to, comment: null })
    await readAll({}, readThrough)
    expect(await unreadIds('tasks')).toContain(id)
  })

  test('that were reopened after the page', async () => {
    const deduplicationKey = newId()
    const id = await addTask(host.database, { deduplicationKey })
    await closeTask(host.database, id)
    await notify()
    const { readThrough } = await page(clerk.request)
    await addTask(host.database, { deduplicationKey })
    await readAll({}, readThrough)
    expect(await unreadIds('tasks')).toContain(id)
  })
})

test('a task that the user has released after the page is marked, because the page contained it', async () => {
  const id = await addTask(host.database)
  await done(clerk.request, 'tasks', id, 'claim', { expectedVersion: 1 })
  const { readThrough } = await page(clerk.request)
  await done(clerk.request, 'tasks', id, 'release', { expectedVersion: 2 })
  await readAll({}, readThrough)
  expect(await unreadIds('tasks')).not.toContain(id)
})

test('items of a database that was restored on a new server are marked', async () => {
  const id = await notify()
  await host.database.statement((tx) =>
    tx.execute(
      sql`update work_center.entries set arrived_in = '9000000000000000000' where item_id = ${id}::uuid`,
    ),
  )
  expect(await readAll()).toBe(1)
})

test('items without an arrival, which an older release has stored, are marked', async () => {
  const id = await notify()
  await host.database.statement((tx) =>
    tx.execute(sql`update work_center.entries set arrived_in = null where item_id = ${id}::uuid`),
  )
  expect(await readAll()).toBe(1)
})

test('rights that were revoked during a wait for a lock are respected', async () => {
  const id = await addTask(host.database)
  const { readThrough: through } = await page(clerk.request)
  const held = await holdTransaction(host.database, (tx) =>
    tx.execute(sql`select from work_center.tasks where id = ${id}::uuid for update`),
  )
  const answer = ask({ tab: 'attention', filters: {}, through })
  await untilBlocked(host.database)
  await takeRole(host.database, clerk, 'trade.clerk')
  await held.commit()
  expect(await expectJson(await answer)).toEqual({ changedCount: 0 })
})

describe('`through` is refused with 400 work_center.cursor_invalid', () => {
  const expectInvalid = async (body: object, person = clerk) =>
    expect(await refusalOf(await ask(body, person))).toMatchObject({
      status: 400,
      code: 'work_center.cursor_invalid',
    })

  test('if any bit is flipped', async () => {
    const bytes = Buffer.from((await page(clerk.request)).readThrough, 'base64url')
    for (let bit = 0; bit < bytes.length * 8; bit += 3) {
      const flipped = Buffer.from(bytes)
      flipped[bit >> 3] = (flipped[bit >> 3] ?? 0) ^ (1 << (bit & 7))
      await expectInvalid({ tab: 'attention', filters: {}, through: flipped.toString('base64url') })
    }
  })

  test('if it is of another user, tab or set of filters, or a cursor', async () => {
    const colleague = await addPerson(host, ['trade.clerk'])
    await Promise.all([notify(), notify()])
    const { readThrough: through, nextCursor } = await page(clerk.request, 'limit=1')
    await expectInvalid({ tab: 'attention', filters: {}, through }, colleague)
    await expectInvalid({ tab: 'tasks', filters: {}, through })
    await expectInvalid({ tab: 'attention', filters: { priority: 'High' }, through })
    await expectInvalid({ tab: 'attention', filters: {}, through: nextCursor ?? '' })
    expect((await ask({ tab: 'attention', filters: { priority: null, q: '' }, through })).status).toBe(200)
  })

  test.each([[['x']], [['1:99999999999999999999:']], [[1]], ['1:2:'], [['-1:2:']], [['1:2']], [['1:2:3,']]])(
    'if a client forges the snapshot %j with a valid digest',
    async (forged) => {
      const filters = { vertical: null, priority: null, severity: null, overdue: null, unread: null }
      const list = JSON.stringify([
        ...['work-center', clerk.userId, 'attention'],
        { ...filters, q: null, definition: null, source: null },
      ])
      const write = writeCursor as (list: string, position: unknown) => string
      await expectInvalid({ tab: 'attention', filters: {}, through: write(list, forged) })
      const fine = write(list, ['7:3:5,9999999999999999999'])
      expect((await ask({ tab: 'attention', filters: {}, through: fine })).status).toBe(200)
    },
  )
})

test.each([{}, { through: 1 }, { tab: 'x', through: '' }, { filters: { priority: 'x' }, through: '' }])(
  'the body %j is refused with 400 request.invalid',
  async (body) => {
    expect(await refusalOf(await ask(body))).toMatchObject({ status: 400, code: 'request.invalid' })
  },
)
