import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { TaskHolders, TeamTask } from '../../src/contract.ts'
import { supervise } from '../../src/permissions.ts'
import { clear } from '../desk.ts'
import { done, expectJson, type InboxHost, openInboxHost, refusalOf } from '../harness.ts'
import { addNotification, addTask, closeTask, sourceOf } from '../items.ts'
import { addPerson, addRole, type Person, viewInvoices } from '../people.ts'

let host: InboxHost
let clerk: Person
let colleague: Person
let supervisor: Person
beforeAll(async () => {
  host = await openInboxHost()
  await addRole(host.database, 'trade.supervisor', [viewInvoices, supervise])
  clerk = await addPerson(host, ['trade.clerk'])
  colleague = await addPerson(host, ['trade.clerk'])
  supervisor = await addPerson(host, ['trade.supervisor'])
})
afterAll(() => host.close())
beforeEach(() => clear(host.database))

const holders = async (query = ''): Promise<TaskHolders['users']> =>
  (await expectJson<TaskHolders>(await supervisor.request('GET', `/api/work-center/team/users${query}`)))
    .users

const holder = ({ userId, subject }: Person, taskCount: number) => ({
  userId,
  displayName: subject,
  taskCount,
})

test('contains the users who have claimed a task or are its only assignee, with the number of their tasks', async () => {
  expect(await holders()).toEqual([])
  // All clerks see an unclaimed task, but nobody has it.
  const claimed = await addTask(host.database)
  expect(await holders()).toEqual([])
  await done(clerk.request, 'tasks', claimed, 'claim', { expectedVersion: 1 })
  await addTask(host.database, { assignedTo: { userId: clerk.userId } })
  await addTask(host.database, { assignedTo: { userId: colleague.userId } })
  expect(await holders()).toEqual([holder(clerk, 2), holder(colleague, 1)])

  await done(clerk.request, 'tasks', claimed, 'release', { expectedVersion: 2 })
  expect(await holders()).toEqual([holder(clerk, 1), holder(colleague, 1)])
})

test('counts the tasks that the team’s list shows for the user', async () => {
  await closeTask(host.database, await addTask(host.database, { assignedTo: { userId: clerk.userId } }))
  await addTask(host.database, { assignedTo: { userId: clerk.userId }, source: sourceOf('crm.ticket') })
  await addNotification(host.database, { to: [clerk.userId] })
  expect(await holders()).toEqual([])

  const id = await addTask(host.database)
  const assigned = await expectJson<TeamTask>(
    await supervisor.request('POST', `/api/work-center/team/tasks/${id}/assign`, {
      body: { expectedVersion: 1, to: { userId: colleague.userId } },
    }),
  )
  expect(assigned.claimedBy).toMatchObject({ userId: colleague.userId })
  expect(await holders()).toEqual([holder(colleague, 1)])
  const query = `?claimedBy=${colleague.userId}`
  expect(await expectJson(await supervisor.request('GET', `/api/work-center/team${query}`))).toMatchObject({
    items: [{ id }],
  })
})

test('finds users by a part of their names, in upper or lower case', async () => {
  for (const { userId } of [clerk, colleague]) await addTask(host.database, { assignedTo: { userId } })
  expect(await holders(`?q=${clerk.subject.toUpperCase()}`)).toEqual([holder(clerk, 1)])
  expect(await holders('?q=nobody')).toEqual([])
  expect(await holders('?q=%25')).toEqual([])
})

test('is refused without the permission to supervise', async () => {
  const response = await clerk.request('GET', '/api/work-center/team/users')
  expect(await refusalOf(response)).toMatchObject({ status: 403, code: 'permission.denied' })
})
