import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { done, type InboxHost, idsOf, openInboxHost, refusalOf, send, summary } from '../harness.ts'
import { addNotification, addTask, entriesOf, longAgo, versions } from '../items.ts'
import { addPerson, type Person } from '../people.ts'

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

const versionOf = async ({ userId }: Person) => (await versions(host.database)).get(userId)

describe.each(['tasks', 'notifications'] as const)('marking one of the %s as unread', (kind) => {
  const add = () =>
    kind === 'tasks'
      ? addTask(host.database, { assignedTo: { userId: clerk.userId } })
      : addNotification(host.database, { to: [clerk.userId] })

  test('undoes reading it, and raises the version once', async () => {
    const id = await add()
    const before = await summary(clerk.request)
    await done(clerk.request, kind, id, 'read')
    expect(await done(clerk.request, kind, id, 'unread')).toMatchObject({ id, isRead: false })
    expect(await summary(clerk.request)).toEqual({ ...before, version: before.version + 2 })
    expect(await idsOf(clerk.request)).toEqual([id])
  })

  test('again changes nothing', async () => {
    const id = await add()
    const before = await versionOf(clerk)
    expect(await done(clerk.request, kind, id, 'unread')).toMatchObject({ isRead: false })
    expect(await versionOf(clerk)).toBe(before)
    expect(host.announced).toEqual([])
  })
})

describe('restoring a notification', () => {
  test('undoes dismissing it: lists, counts and its next change are as before', async () => {
    const id = await addNotification(host.database, { to: [clerk.userId] })
    const [before, stored] = [await summary(clerk.request), await entriesOf(host.database, id)]
    await done(clerk.request, 'notifications', id, 'dismiss')
    expect(await done(clerk.request, 'notifications', id, 'restore')).toMatchObject({ isDismissed: false })
    expect(await summary(clerk.request)).toEqual({ ...before, version: before.version + 2 })
    expect(await entriesOf(host.database, id)).toEqual(stored)
    for (const tab of ['attention', 'notifications']) {
      expect(await idsOf(clerk.request, `tab=${tab}`)).toEqual([id])
    }
  })

  test('again, or without a dismissal, changes nothing', async () => {
    const id = await addNotification(host.database, { to: [clerk.userId] })
    const before = await versionOf(clerk)
    expect(await done(clerk.request, 'notifications', id, 'restore')).toMatchObject({ isDismissed: false })
    expect(await versionOf(clerk)).toBe(before)
  })

  test('is refused with 404 after its expiry, for other users, and for tasks', async () => {
    const other = await addPerson(host, ['trade.clerk'])
    const expired = await addNotification(host.database, { to: [clerk.userId], expiresAtUtc: longAgo })
    const theirs = await addNotification(host.database, { to: [other.userId] })
    const task = await addTask(host.database, { assignedTo: { userId: clerk.userId } })
    for (const id of [expired, theirs, task]) {
      expect(await refusalOf(await send(clerk.request, 'notifications', id, 'restore'))).toMatchObject({
        status: 404,
        code: 'work_center.item_not_found',
      })
    }
    expect((await send(clerk.request, 'tasks', task, 'restore')).status).toBe(404)
  })
})
