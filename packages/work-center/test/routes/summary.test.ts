import { newId } from '@vertical-kit/core-audit'
import { parse } from 'valibot'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { Summary } from '../../src/contract.ts'
import { done, type InboxHost, openInboxHost, refusalOf, summary } from '../harness.ts'
import { addNotification, addTask, closeTask, farAhead, longAgo, storeSnooze } from '../items.ts'
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

const nothing = {
  attentionCount: 0,
  openTaskCount: 0,
  overdueTaskCount: 0,
  notificationCount: 0,
  unreadNotificationCount: 0,
  version: 0,
}

const own = (task: Parameters<typeof addTask>[1] = {}) =>
  addTask(host.database, { assignedTo: { userId: clerk.userId }, ...task })

describe('a summary', () => {
  test('of a user without items has zero counts and version 0', async () => {
    const response = await clerk.request('GET', '/api/work-center/summary')
    expect(response.headers.get('cache-control')).toBe('no-store')
    expect(await response.json()).toEqual(nothing)
  })

  test('of a caller without a user record has zero counts', async () => {
    const stranger = await host.as({ subject: `stranger-${newId()}` })
    expect(await summary(stranger)).toEqual(nothing)
  })

  test('counts each kind of item separately', async () => {
    await own()
    await own({ dueAtUtc: farAhead })
    await own({ dueAtUtc: longAgo })
    await storeSnooze(host.database, await own({ dueAtUtc: longAgo }), farAhead)
    await closeTask(host.database, await own({ dueAtUtc: longAgo }))
    const to = [clerk.userId]
    await addNotification(host.database, { to })
    await done(clerk.request, 'notifications', await addNotification(host.database, { to }), 'read')
    await done(clerk.request, 'notifications', await addNotification(host.database, { to }), 'dismiss')
    await addNotification(host.database, { to, expiresAtUtc: longAgo })
    const counts = await summary(clerk.request)
    expect(parse(Summary, counts)).toEqual(counts)
    expect(counts).toEqual({
      attentionCount: 4,
      openTaskCount: 4,
      overdueTaskCount: 1,
      notificationCount: 2,
      unreadNotificationCount: 1,
      // The changes are five created tasks, one closed task, four notifications, one read and one dismissal.
      version: 12,
    })
  })

  test('evaluates snoozes and due dates at the time of the request', async () => {
    await storeSnooze(host.database, await own({ dueAtUtc: longAgo }), longAgo)
    await own({ dueAtUtc: farAhead })
    expect(await summary(clerk.request)).toMatchObject({ attentionCount: 2, overdueTaskCount: 1 })
  })
})

describe('the response to a summary request', () => {
  test('is 401 without a token', async () => {
    const response = await host.app.request('/api/work-center/summary')
    expect(await refusalOf(response)).toMatchObject({ status: 401, code: 'auth.required' })
  })

  test('is 400 for a vertical that cannot be stored', async () => {
    const response = await clerk.request('GET', '/api/work-center/summary?vertical=%00')
    expect(await refusalOf(response)).toMatchObject({
      status: 400,
      code: 'request.invalid',
      errors: [{ path: 'vertical' }],
    })
  })
})
