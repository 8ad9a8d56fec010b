import { newId } from '@vertical-kit/core-audit'
import { parse } from 'valibot'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { ItemPage } from '../../src/contract.ts'
import { collectPayment } from '../definitions.ts'
import { done, type InboxHost, idsOf, openInboxHost, page, refusalOf } from '../harness.ts'
import { addNotification, addTask, closeTask, farAhead, longAgo, sourceOf, storeSnooze } from '../items.ts'
import { addPerson, type Person } from '../people.ts'

let host: InboxHost
let clerk: Person
beforeAll(async () => {
  host = await openInboxHost()
})
afterAll(() => host.close())
beforeEach(async () => {
  clerk = await addPerson(host, ['trade.clerk'])
})

/** Creates a task that is assigned to the clerk of these tests. */
const own = (task: Parameters<typeof addTask>[1] = {}) =>
  addTask(host.database, { assignedTo: { userId: clerk.userId }, ...task })

const notify = (notification: Partial<Parameters<typeof addNotification>[1]> = {}) =>
  addNotification(host.database, { to: [clerk.userId], ...notification })

describe('a list responds with 200 and', () => {
  test('a task with all its fields', async () => {
    const source = { ...sourceOf(), title: 'SI-7', subtitle: 'Miller' }
    const id = await own({
      title: 'Collect',
      description: 'By phone',
      titleText: { key: 'trade.collect', parameters: { number: 'SI-7' } },
      source,
      priority: 'High',
      dueAtUtc: longAgo,
      primaryActionCode: 'trade.write_off',
      target: { code: 'trade.sales_invoice', parameters: { id: source.entityId } },
    })
    const response = await clerk.request('GET', '/api/work-center/items')
    expect(response.headers.get('cache-control')).toBe('no-store')
    const body = (await response.json()) as ItemPage
    expect(parse(ItemPage, body)).toEqual(body)
    expect(body).toEqual({
      items: [
        {
          id,
          kind: 'Task',
          code: collectPayment.code,
          title: 'Collect',
          description: 'By phone',
          titleText: { key: 'trade.collect', parameters: { number: 'SI-7' } },
          descriptionText: null,
          source,
          priority: 'High',
          severity: null,
          taskStatus: 'Open',
          sortAtUtc: expect.any(String),
          dueAtUtc: longAgo,
          dueOn: null,
          isOverdue: true,
          isRead: false,
          isDismissed: false,
          snoozedUntilUtc: null,
          assignment: {
            assignedUserId: clerk.userId,
            assignedRoleId: null,
            claimedByUserId: null,
            isRoleAssigned: false,
          },
          primaryActionCode: 'trade.write_off',
          primaryAction: {
            documentType: 'trade.sales_invoice',
            documentId: source.entityId,
            actionCode: 'trade.write_off',
          },
          target: { code: 'trade.sales_invoice', parameters: { id: source.entityId } },
          version: 1,
          onBehalfOf: null,
        },
      ],
      nextCursor: null,
      limit: 30,
      readThrough: expect.any(String),
    })
  })

  test('a notification with all its fields', async () => {
    const id = await notify({ severity: 'Warning' })
    expect((await page(clerk.request)).items).toMatchObject([
      {
        id,
        kind: 'Notification',
        priority: null,
        severity: 'Warning',
        taskStatus: null,
        dueAtUtc: null,
        isOverdue: false,
        assignment: null,
        version: 1,
      },
    ])
  })

  test('an empty page for a caller without a user record, and creates no record', async () => {
    const stranger = await host.as({ subject: `stranger-${newId()}` })
    expect(await page(stranger, 'tab=completed&limit=7')).toEqual({
      items: [],
      nextCursor: null,
      limit: 7,
      readThrough: expect.any(String),
    })
  })

  test('ignores unknown parameters', async () => {
    const id = await own()
    expect(await idsOf(clerk.request, 'offset=5&search=x')).toEqual([id])
  })
})

describe('the response to a list request is 401', () => {
  test('without a token', async () => {
    const response = await host.app.request('/api/work-center/items')
    expect(await refusalOf(response)).toMatchObject({ status: 401, code: 'auth.required' })
  })
})

describe('the four tabs', () => {
  test('each list their own items, sorted from newest to oldest', async () => {
    const plain = await own()
    const snoozed = await own()
    const awake = await own()
    const finished = await own()
    const given = await own()
    const unread = await notify()
    const read = await notify()
    const dismissed = await notify()
    const expired = await notify({ expiresAtUtc: longAgo })
    await storeSnooze(host.database, snoozed, farAhead)
    await storeSnooze(host.database, awake, longAgo)
    await closeTask(host.database, finished)
    await closeTask(host.database, given, 'Cancelled')
    await done(clerk.request, 'notifications', read, 'read')
    await done(clerk.request, 'tasks', plain, 'read')
    await done(clerk.request, 'notifications', dismissed, 'dismiss')
    expect(await idsOf(clerk.request)).toEqual([unread, awake, plain])
    expect(await idsOf(clerk.request, 'tab=attention')).toEqual([unread, awake, plain])
    expect(await idsOf(clerk.request, 'tab=tasks')).toEqual([awake, snoozed, plain])
    expect(await idsOf(clerk.request, 'tab=notifications')).toEqual([read, unread])
    expect(await idsOf(clerk.request, 'tab=completed')).toEqual([given, finished])
    for (const tab of ['attention', 'tasks', 'notifications', 'completed']) {
      expect(await idsOf(clerk.request, `tab=${tab}`)).not.toContain(expired)
    }
  })
})

describe('the limit', () => {
  test.each([
    ['', 30],
    ['limit=1', 1],
    ['limit=100', 100],
    ['limit=0', 1],
    ['limit=-1', 1],
    ['limit=101', 100],
    ['limit=007', 7],
    ['limit=-0', 1],
    [`limit=${'9'.repeat(400)}`, 100],
    [`limit=-${'9'.repeat(400)}`, 1],
  ])('of the query "%s" is %i', async (query, limit) => {
    expect((await page(clerk.request, query)).limit).toBe(limit)
  })

  test('is the maximum number of items on a page', async () => {
    for (let n = 0; n < 3; n += 1) await own()
    expect((await page(clerk.request, 'limit=2')).items).toHaveLength(2)
    expect((await page(clerk.request, 'limit=0')).items).toHaveLength(1)
  })
})

describe('the response to a list request is 400 request.invalid', () => {
  test.each([
    ['limit=ten', 'limit'],
    ['limit=1.5', 'limit'],
    ['limit=1e1', 'limit'],
    ['limit=+5', 'limit'],
    ['limit=--5', 'limit'],
    ['tab=Attention', 'tab'],
    ['tab=all', 'tab'],
    ['priority=high', 'priority'],
    ['severity=Low', 'severity'],
    ['overdue=1', 'overdue'],
    ['overdue=TRUE', 'overdue'],
    ['unread=yes', 'unread'],
    ['vertical=%00', 'vertical'],
  ])('for the query %s', async (query, path) => {
    expect(await refusalOf(await clerk.request('GET', `/api/work-center/items?${query}`))).toMatchObject({
      status: 400,
      code: 'request.invalid',
      errors: [{ path }],
    })
  })
})
