import { newId } from '@vertical-kit/core-audit'
import { sql } from 'drizzle-orm/sql'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { approve } from '../definitions.ts'
import { done, type InboxHost, idsOf, openInboxHost, refusalOf, send, summary } from '../harness.ts'
import { addNotification, addTask, closeTask, entriesOf, farAhead, sourceOf, versions } from '../items.ts'
import {
  addPerson,
  addRole,
  giveRole,
  type Person,
  setRoleActivity,
  takeRole,
  viewInvoices,
  viewOrders,
  viewTickets,
} from '../people.ts'

const everything = [viewInvoices, viewOrders, viewTickets]

let host: InboxHost
let clerk: Person
let colleague: Person
beforeAll(async () => {
  host = await openInboxHost()
})
afterAll(() => host.close())
beforeEach(async () => {
  clerk = await addPerson(host, ['trade.clerk'])
  colleague = await addPerson(host, ['trade.clerk'])
})
afterEach(() => addRole(host.database, 'trade.clerk', everything))

const allTabs = ['attention', 'tasks', 'notifications', 'completed'] as const

/** Returns the ids of the items in all tabs. */
async function everyId({ request }: Person): Promise<ReadonlySet<string>> {
  const pages = await Promise.all(allTabs.map((tab) => idsOf(request, `tab=${tab}&limit=100`)))
  return new Set(pages.flat())
}

/** All requests of the API that change an item. */
const attempts = [
  ['notifications', 'read', undefined],
  ['notifications', 'dismiss', undefined],
  ['tasks', 'read', undefined],
  ['tasks', 'claim', { expectedVersion: 1 }],
  ['tasks', 'snooze', { snoozedUntilUtc: farAhead }],
] as const

async function expectAllNotFound({ request }: Person, id: string): Promise<void> {
  for (const [kind, action, body] of attempts) {
    expect(await refusalOf(await send(request, kind, id, action, body))).toEqual({
      status: 404,
      code: 'work_center.item_not_found',
      type: 'urn:vertical-kit:problem:work_center.item_not_found',
      title: 'Not Found',
      detail: 'The item does not exist or is no longer in your Work Center.',
    })
  }
}

const stored = () =>
  host.database.read((db) =>
    db.execute(sql`select e.*, e.ctid from work_center.entries e order by user_id, item_id`),
  )

describe('items of other users', () => {
  test('have the same response as unknown items in every request', async () => {
    const task = await addTask(host.database, { assignedTo: { userId: colleague.userId } })
    const notification = await addNotification(host.database, { to: [colleague.userId] })
    const before = [await stored(), await versions(host.database)]
    for (const id of [task, notification, newId()]) await expectAllNotFound(clerk, id)
    expect([await stored(), await versions(host.database)]).toEqual(before)
    expect(await everyId(clerk)).toEqual(new Set())
  })

  test.each(['1', 'x', '%00', `{${newId()}}`, newId().slice(1), `${newId()}0`, "'", '..%2f..'])(
    'with the malformed id %s are refused with 404 before the body is read',
    async (id) => {
      for (const [kind, action] of attempts) {
        expect(await refusalOf(await send(clerk.request, kind, id, action, '{'))).toMatchObject({
          status: 404,
          code: 'work_center.item_not_found',
        })
      }
    },
  )

  test('are unknown to a caller without a user record, and the refusal creates no record', async () => {
    const subject = `stranger-${newId()}`
    const request = await host.as({ subject })
    for (const id of [await addTask(host.database), newId()]) {
      await expectAllNotFound({ ...clerk, request }, id)
    }
    const records = await host.database.read((db) =>
      db.execute(sql`select id from core_audit.users where subject = ${subject}`),
    )
    expect([...records]).toEqual([])
    expect(await summary(request)).toMatchObject({ openTaskCount: 0, version: 0 })
  })

  test('have the response 401 to every request without a token', async () => {
    const id = await addTask(host.database)
    for (const [kind, action] of attempts) {
      const response = await host.app.request(`/api/work-center/${kind}/${id}/${action}`, { method: 'POST' })
      expect(await refusalOf(response)).toMatchObject({ status: 401, code: 'auth.required' })
    }
  })

  test('are not found if a task id is used for a notification, or a notification id for a task', async () => {
    const task = await addTask(host.database)
    const notification = await addNotification(host.database, { to: [clerk.userId] })
    for (const [kind, action, body] of attempts) {
      const id = kind === 'tasks' ? notification : task
      expect((await send(clerk.request, kind, id, action, body)).status).toBe(404)
    }
  })
})

describe('a user that has lost the permission to view the source', () => {
  test('sees no items or counts of the source until the permission is restored', async () => {
    const kept = await addTask(host.database, { source: sourceOf('trade.sales_order') })
    const open = await addTask(host.database)
    const own = await addTask(host.database, { assignedTo: { userId: clerk.userId } })
    const claimed = await addTask(host.database)
    await done(clerk.request, 'tasks', claimed, 'claim', { expectedVersion: 1 })
    const closed = await addTask(host.database)
    await closeTask(host.database, closed)
    const notification = await addNotification(host.database, { to: [clerk.userId] })
    const all = new Set([kept, open, own, claimed, closed, notification])
    expect(await everyId(clerk)).toEqual(all)
    const counts = await summary(clerk.request)

    await addRole(host.database, 'trade.clerk', [viewOrders])
    expect(await everyId(clerk)).toEqual(new Set([kept]))
    expect(await summary(clerk.request)).toMatchObject({
      attentionCount: 1,
      openTaskCount: 1,
      overdueTaskCount: 0,
      notificationCount: 0,
      unreadNotificationCount: 0,
    })
    for (const id of [open, own, claimed, closed, notification]) await expectAllNotFound(clerk, id)

    await addRole(host.database, 'trade.clerk', everything)
    expect(await everyId(clerk)).toEqual(all)
    expect(await summary(clerk.request)).toEqual(counts)
  })

  test('does not see the item with a similar permission of another kind or code', async () => {
    const id = await addTask(host.database)
    const lookalikes = [
      'catalog.trade.sales_invoice.view',
      'document.trade.sales_invoice.view_audit',
      'document.trade.sales_invoice.edit',
      'document.trade.sales.view',
      'document.trade.sales_invoice_line.view',
      'system.audit.view',
    ]
    await addRole(host.database, 'trade.clerk', lookalikes)
    expect(await everyId(clerk)).toEqual(new Set())
    await addRole(host.database, 'trade.clerk', [viewInvoices])
    expect(await everyId(clerk)).toContain(id)
  })
})

describe('a user that has lost a role', () => {
  test('no longer sees unclaimed tasks of the role, but still sees items assigned to them', async () => {
    const ofRole = await addTask(host.database)
    const closed = await addTask(host.database)
    await closeTask(host.database, closed)
    const own = await addTask(host.database, { assignedTo: { userId: clerk.userId } })
    const notification = await addNotification(host.database, { to: [clerk.userId] })
    await giveRole(host.database, clerk, 'trade.manager')
    await takeRole(host.database, clerk, 'trade.clerk')
    expect(await everyId(clerk)).toEqual(new Set([own, notification]))
    expect(await summary(clerk.request)).toMatchObject({ attentionCount: 2, openTaskCount: 1 })
    for (const id of [ofRole, closed]) await expectAllNotFound(clerk, id)
    expect(await everyId(colleague)).toContain(ofRole)
  })

  test('because the role was switched off sees its tasks again after the role is switched on', async () => {
    const id = await addTask(host.database)
    await giveRole(host.database, clerk, 'trade.manager')
    await setRoleActivity(host.database, 'trade.clerk', false)
    expect(await everyId(clerk)).toEqual(new Set())
    await setRoleActivity(host.database, 'trade.clerk', true)
    expect(await everyId(clerk)).toEqual(new Set([id]))
  })

  test('does not see tasks of the role through another role of the definition', async () => {
    const id = await addTask(host.database, { definition: approve, assignedTo: { roleCode: 'trade.clerk' } })
    await giveRole(host.database, clerk, 'trade.manager')
    await takeRole(host.database, clerk, 'trade.clerk')
    expect(await everyId(clerk)).not.toContain(id)
  })
})

describe('after a task is created', () => {
  test('new members of the role do not receive it', async () => {
    const id = await addTask(host.database)
    const late = await addPerson(host, ['trade.clerk'])
    expect(await everyId(late)).toEqual(new Set())
    await expectAllNotFound(late, id)
  })
})

describe('administrators', () => {
  test('with an administrator role see all items that they have received, regardless of the source', async () => {
    const administrator = await addPerson(host, ['trade.administrator'])
    const others = await addTask(host.database)
    const id = await addNotification(host.database, { to: [administrator.userId] })
    expect(await everyId(administrator)).toEqual(new Set([id]))
    await expectAllNotFound(administrator, others)
  })

  test('with rights from their token see the items that they have received, and their versions grow', async () => {
    const { subject, userId } = await addPerson(host, ['trade.auditor'])
    const request = await host.as({ subject, roles: ['platform-admin'] })
    const source = sourceOf('crm.ticket')
    const id = await addNotification(host.database, { to: [userId], source })
    const { version } = await summary(request)
    expect(await done(request, 'notifications', id, 'read')).toMatchObject({ isRead: true })
    expect((await summary(request)).version).toBe(version + 1)
    expect(host.announced.at(-1)).toEqual(new Map([[userId, version + 1]]))
  })
})

describe('the filter by vertical', () => {
  test('selects items by the first part of their resource code, in lists and counts', async () => {
    const assignedTo = { userId: clerk.userId }
    const invoice = await addTask(host.database, { assignedTo })
    const ticket = await addTask(host.database, { assignedTo, source: sourceOf('crm.ticket') })
    for (const [vertical, ids] of [
      ['trade', [invoice]],
      ['crm', [ticket]],
      ['trade.sales_invoice', []],
      ['tra', []],
      ['TRADE', []],
      ['%25', []],
      ['tr_de', []],
    ] as const) {
      expect(await idsOf(clerk.request, `vertical=${vertical}`)).toEqual(ids)
      expect((await summary(clerk.request, `vertical=${vertical}`)).attentionCount).toBe(ids.length)
    }
  })

  test('does not affect the version', async () => {
    await addTask(host.database)
    const { version } = await summary(clerk.request)
    expect((await summary(clerk.request, 'vertical=crm')).version).toBe(version)
  })
})

test('a user can no longer access a task that another user has claimed', async () => {
  const id = await addTask(host.database)
  await done(colleague.request, 'tasks', id, 'claim', { expectedVersion: 1 })
  expect((await entriesOf(host.database, id)).map((entry) => entry.is_visible).toSorted()).toContain(false)
  for (const action of ['read', 'snooze'] as const) {
    const response = await send(clerk.request, 'tasks', id, action, { snoozedUntilUtc: null })
    expect((await refusalOf(response)).status).toBe(404)
  }
})
