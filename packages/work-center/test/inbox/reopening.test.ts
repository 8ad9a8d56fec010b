import { newId } from '@vertical-kit/core-audit'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { Item } from '../../src/contract.ts'
import { createInboxWriter, type WriteInbox } from '../../src/inbox/inbox.ts'
import { collectPayment, definitions } from '../definitions.ts'
import { administratorRoleCodes, config } from '../desk.ts'
import { done, type InboxHost, openInboxHost, page, summary } from '../harness.ts'
import { farAhead, sourceOf } from '../items.ts'
import { addPerson, type Person } from '../people.ts'
import { named } from '../routes/absence.ts'

let host: InboxHost
let write: WriteInbox
let clerk: Person
let colleague: Person
let key: string
beforeAll(async () => {
  host = await openInboxHost()
  write = createInboxWriter({
    ...{ database: host.database, definitions, config, administratorRoleCodes },
    announce: () => {},
  })
})
afterAll(() => host.close())
beforeEach(async () => {
  clerk = await addPerson(host, ['trade.clerk'])
  colleague = await addPerson(host, ['trade.clerk'])
  key = newId()
})

const create = (source = sourceOf()) =>
  write(async (inbox) =>
    inbox.createTask(collectPayment, {
      ...{ deduplicationKey: key, title: key, source },
      assignedTo: { roleCode: 'trade.clerk' },
    }),
  )
const complete = () => write(async (inbox) => inbox.completeTask(collectPayment, key))

/** Returns the task from a user's list, or `undefined`. */
const seenBy = async ({ request }: Person, tab = 'attention'): Promise<Item | undefined> =>
  (await page(request, `tab=${tab}&limit=100`)).items.find(({ title }) => title === key)

test('a reopened task has no claimer and is visible to all recipients', async () => {
  await create()
  const { id } = (await seenBy(clerk)) as Item
  await done(clerk.request, 'tasks', id, 'claim', { expectedVersion: 1 })
  await complete()
  expect(await seenBy(colleague, 'completed')).toBeUndefined()
  const before = [await summary(clerk.request), await summary(colleague.request)]
  await create()
  for (const [index, person] of [clerk, colleague].entries()) {
    expect(await seenBy(person)).toMatchObject({
      ...{ id, taskStatus: 'Open', version: 4 },
      assignment: { claimedByUserId: null, isRoleAssigned: true },
    })
    expect(await seenBy(person, 'completed')).toBeUndefined()
    expect((await summary(person.request)).version).toBe((before[index]?.version ?? 0) + 1)
  }
  expect(await done(colleague.request, 'tasks', id, 'claim', { expectedVersion: 4 })).toMatchObject({
    assignment: { claimedByUserId: colleague.userId },
  })
  expect(await seenBy(clerk)).toBeUndefined()
})

test('a reopened task is unread and no longer snoozed', async () => {
  await create()
  const { id } = (await seenBy(clerk)) as Item
  await done(clerk.request, 'tasks', id, 'read')
  await done(clerk.request, 'tasks', id, 'snooze', { snoozedUntilUtc: farAhead })
  expect(await seenBy(clerk)).toBeUndefined()
  await complete()
  await create()
  expect(await seenBy(clerk)).toMatchObject({ id, isRead: false, snoozedUntilUtc: null })
})

test('a reopened task raises the version of a user who can view its former source only', async () => {
  const auditor = await addPerson(host, ['trade.auditor'])
  await named(clerk, auditor)
  await create()
  await complete()
  expect(await seenBy(auditor, 'completed')).toMatchObject({ onBehalfOf: { userId: clerk.userId } })
  const before = await summary(auditor.request)
  await create(sourceOf('crm.ticket'))
  expect(await seenBy(clerk)).toMatchObject({ source: { resourceCode: 'crm.ticket' } })
  expect(await seenBy(auditor)).toBeUndefined()
  expect(await seenBy(auditor, 'completed')).toBeUndefined()
  expect((await summary(auditor.request)).version).toBe(before.version + 1)
  await complete()
  expect((await summary(auditor.request)).version).toBe(before.version + 1)
})
