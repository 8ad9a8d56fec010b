import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { done, type InboxHost, idsOf, openInboxHost, refusalOf, send, summary } from '../harness.ts'
import { addNotification, addTask, closeTask, entriesOf, longAgo } from '../items.ts'
import { addPerson, type Person } from '../people.ts'

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
  host.announced.length = 0
})

const notifyBoth = () => addNotification(host.database, { to: [clerk.userId, colleague.userId] })

describe('reading a notification', () => {
  test('removes it from the attention tab, but not from the notifications tab', async () => {
    const id = await notifyBoth()
    expect(await done(clerk.request, 'notifications', id, 'read')).toMatchObject({
      id,
      kind: 'Notification',
      isRead: true,
      isDismissed: false,
    })
    expect(await idsOf(clerk.request)).toEqual([])
    expect(await idsOf(clerk.request, 'tab=notifications')).toEqual([id])
  })

  test('affects only its reader, and raises and announces only the version of this user', async () => {
    const id = await notifyBoth()
    const before = await summary(colleague.request)
    const version = (await summary(clerk.request)).version + 1
    await done(clerk.request, 'notifications', id, 'read')
    expect(await summary(colleague.request)).toEqual(before)
    expect(await idsOf(colleague.request)).toEqual([id])
    expect((await summary(clerk.request)).version).toBe(version)
    expect(host.announced).toEqual([new Map([[clerk.userId, version]])])
  })

  test('again returns the same item, keeps the first read time, and raises no version', async () => {
    const id = await notifyBoth()
    const first = await done(clerk.request, 'notifications', id, 'read')
    const [stored, counts] = [await entriesOf(host.database, id), await summary(clerk.request)]
    expect(await done(clerk.request, 'notifications', id, 'read')).toEqual(first)
    expect(await entriesOf(host.database, id)).toEqual(stored)
    expect(await summary(clerk.request)).toEqual(counts)
    expect(host.announced).toHaveLength(1)
  })

  test('takes effect once if several requests are concurrent', async () => {
    const id = await notifyBoth()
    const { version } = await summary(clerk.request)
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => done(clerk.request, 'notifications', id, 'read')),
    )
    expect(answers.every(({ isRead }) => isRead)).toBe(true)
    expect((await summary(clerk.request)).version).toBe(version + 1)
    expect(host.announced).toHaveLength(1)
  })

  test('works after the notification was dismissed', async () => {
    const id = await notifyBoth()
    await done(clerk.request, 'notifications', id, 'dismiss')
    expect(await done(clerk.request, 'notifications', id, 'read')).toMatchObject({
      isRead: true,
      isDismissed: true,
    })
  })
})

describe('reading a task', () => {
  test('affects only its reader, and keeps the task in the attention tab', async () => {
    const id = await addTask(host.database)
    expect(await done(clerk.request, 'tasks', id, 'read')).toMatchObject({ id, kind: 'Task', isRead: true })
    expect(await idsOf(clerk.request)).toEqual([id])
    expect(await idsOf(clerk.request, 'unread=true')).toEqual([])
    expect(await idsOf(colleague.request, 'unread=true')).toContain(id)
  })

  test('works after the task was completed', async () => {
    const id = await addTask(host.database)
    await closeTask(host.database, id)
    expect(await done(clerk.request, 'tasks', id, 'read')).toMatchObject({
      isRead: true,
      taskStatus: 'Completed',
    })
  })

  test('accepts the id of the task in upper or lower case', async () => {
    const id = await addTask(host.database)
    expect(await done(clerk.request, 'tasks', id.toUpperCase(), 'read')).toMatchObject({ id, isRead: true })
  })
})

test('a read request with an unexpected body ignores the body', async () => {
  const id = await notifyBoth()
  const response = await send(clerk.request, 'notifications', id, 'read', '{ not json')
  expect(response.status).toBe(200)
})

test('an expired notification cannot be read', async () => {
  const id = await addNotification(host.database, { to: [clerk.userId], expiresAtUtc: longAgo })
  expect(await refusalOf(await send(clerk.request, 'notifications', id, 'read'))).toMatchObject({
    status: 404,
    code: 'work_center.item_not_found',
  })
  expect(await entriesOf(host.database, id)).toMatchObject([{ read_at: null }])
})
