import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { done, type InboxHost, idsOf, openInboxHost, refusalOf, send, summary } from '../harness.ts'
import { addNotification, addTask, entriesOf, longAgo } from '../items.ts'
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

test('a dismissed notification disappears from all lists and counts of its user', async () => {
  const id = await notifyBoth()
  const { version } = await summary(clerk.request)
  expect(await done(clerk.request, 'notifications', id, 'dismiss')).toMatchObject({
    id,
    isDismissed: true,
    isRead: false,
  })
  for (const tab of ['attention', 'notifications', 'tasks', 'completed']) {
    expect(await idsOf(clerk.request, `tab=${tab}`)).toEqual([])
  }
  expect(await summary(clerk.request)).toEqual({
    attentionCount: 0,
    openTaskCount: 0,
    overdueTaskCount: 0,
    notificationCount: 0,
    unreadNotificationCount: 0,
    version: version + 1,
  })
  expect(host.announced).toEqual([new Map([[clerk.userId, version + 1]])])
})

test('other recipients keep a notification that one user dismisses', async () => {
  const id = await notifyBoth()
  const before = await summary(colleague.request)
  await done(clerk.request, 'notifications', id, 'dismiss')
  expect(await idsOf(colleague.request)).toEqual([id])
  expect(await summary(colleague.request)).toEqual(before)
})

test('a dismissed notification has no next change', async () => {
  const id = await notifyBoth()
  await done(clerk.request, 'notifications', id, 'dismiss')
  const entries = await entriesOf(host.database, id)
  expect(entries.find((entry) => entry.user_id === clerk.userId)).toMatchObject({ changes_at: null })
  expect(entries.find((entry) => entry.user_id === colleague.userId)?.changes_at).not.toBeNull()
})

test('a repeated request, concurrent or later, returns the same item and raises no version', async () => {
  const id = await notifyBoth()
  const { version } = await summary(clerk.request)
  const answers = await Promise.all(
    Array.from({ length: 10 }, () => done(clerk.request, 'notifications', id, 'dismiss')),
  )
  answers.push(await done(clerk.request, 'notifications', id, 'dismiss'))
  for (const answer of answers) expect(answer).toEqual(answers[0])
  expect((await summary(clerk.request)).version).toBe(version + 1)
  expect(host.announced).toHaveLength(1)
})

test('a task cannot be dismissed', async () => {
  const id = await addTask(host.database)
  expect(await refusalOf(await send(clerk.request, 'notifications', id, 'dismiss'))).toMatchObject({
    status: 404,
    code: 'work_center.item_not_found',
  })
  expect(await idsOf(clerk.request, 'tab=tasks')).toEqual([id])
})

test('an expired notification cannot be dismissed', async () => {
  const id = await addNotification(host.database, { to: [clerk.userId], expiresAtUtc: longAgo })
  expect(await refusalOf(await send(clerk.request, 'notifications', id, 'dismiss'))).toMatchObject({
    status: 404,
    code: 'work_center.item_not_found',
  })
})
