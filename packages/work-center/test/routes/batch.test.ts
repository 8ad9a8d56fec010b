import { newId } from '@vertical-kit/core-audit'
import { holdTransaction, untilBlocked } from '@vertical-kit/core-audit/testing'
import { sql } from 'drizzle-orm/sql'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { BatchVerb, ItemKind } from '../../src/contract.ts'
import { supervise } from '../../src/permissions.ts'
import { batch, done, type InboxHost, idsOf, openInboxHost, page, refusalOf, send } from '../harness.ts'
import { addNotification, addTask, closeTask, farAhead, sourceOf, versions } from '../items.ts'
import { addPerson, addRole, deactivate, type Person, takeRole, viewInvoices } from '../people.ts'

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

const notify = (person = clerk) => addNotification(host.database, { to: [person.userId] })
const itemOf = (kind: ItemKind, id: string, expectedVersion = 1) => ({ kind, id, expectedVersion })
const versionOf = async ({ userId }: Person) => (await versions(host.database)).get(userId) ?? 0

/** Returns the status and the code of each result. */
const outcomes = async (person: Person, body: object) =>
  (await batch(person.request, body)).map((result) =>
    'problem' in result ? `${result.status} ${result.problem.code}` : `${result.status}`,
  )

const notFound = '404 work_center.item_not_found'
const conflict = '409 work_center.task_claim_conflict'

describe('a batch', () => {
  test.each([[{ valueOf: 1, toString: 1 }], [[{ toString: 1 }]], ['1'], [null]])(
    'ignores the version %j where no version is compared',
    async (expectedVersion) => {
      const item = { kind: 'Notification', id: await notify(), expectedVersion }
      expect(await outcomes(clerk, { verb: 'read', items: [item] })).toEqual(['200'])
    },
  )

  test('changes tasks and notifications, with one result for each in the order of the request', async () => {
    const [task, notification] = [await addTask(host.database), await notify()]
    const before = await versionOf(clerk)
    const results = await batch(clerk.request, {
      verb: 'read',
      items: [itemOf('Notification', notification), itemOf('Task', newId()), itemOf('Task', task)],
    })
    expect(results).toMatchObject([
      { id: notification, status: 200, item: { id: notification, isRead: true } },
      { status: 404, problem: { code: 'work_center.item_not_found', requestId: expect.any(String) } },
      { id: task, status: 200, item: { id: task, isRead: true } },
    ])
    expect(await versionOf(clerk)).toBe(before + 1)
    expect(host.announced).toEqual([new Map([[clerk.userId, before + 1]])])
  })

  test('that changes nothing raises no version', async () => {
    const items = [itemOf('Notification', await notify())]
    await batch(clerk.request, { verb: 'read', items })
    host.announced.length = 0
    expect(await outcomes(clerk, { verb: 'read', items })).toEqual(['200'])
    expect(host.announced).toEqual([])
  })

  test.each<[BatchVerb, BatchVerb, ItemKind]>([
    ['read', 'unread', 'Notification'],
    ['read', 'unread', 'Task'],
    ['dismiss', 'restore', 'Notification'],
    ['claim', 'release', 'Task'],
    ['snooze', 'snooze', 'Task'],
  ])('with the verb %s is undone by one with the verb %s', async (verb, inverse, kind) => {
    const add = () => (kind === 'Task' ? addTask(host.database) : notify())
    const ids = [await add(), await add(), await add()]
    const tab = kind === 'Task' ? 'tasks' : 'notifications'
    const shown = async () =>
      (await page(clerk.request, `tab=${tab}&limit=100`)).items
        .filter(({ id }) => ids.includes(id))
        .map(({ version: _, ...item }) => item)
    const before = await shown()
    const run = (which: BatchVerb, expectedVersion: number, snoozedUntilUtc: string | null) =>
      outcomes(clerk, {
        verb: which,
        items: ids.map((id) => itemOf(kind, id, expectedVersion)),
        ...(verb === 'snooze' ? { snoozedUntilUtc } : {}),
      })
    expect(await run(verb, 1, farAhead)).toEqual(['200', '200', '200'])
    expect(await shown()).not.toEqual(before)
    expect(await run(inverse, 2, null)).toEqual(['200', '200', '200'])
    expect(await shown()).toEqual(before)
  })

  test('gives each item the status of a single request', async () => {
    const tasks = await Promise.all([1, 2, 3, 4].map(() => addTask(host.database)))
    const [open, taken, stale, closed] = tasks as [string, string, string, string]
    await done(colleague.request, 'tasks', taken, 'claim', { expectedVersion: 1 })
    await closeTask(host.database, closed)
    const own = await addTask(host.database, { assignedTo: { userId: clerk.userId } })
    const hidden = await addTask(host.database, { source: sourceOf('crm.secret') })
    const items = [
      itemOf('Task', open),
      itemOf('Task', taken),
      itemOf('Task', stale, 9),
      itemOf('Task', closed, 2),
      itemOf('Task', own),
      itemOf('Task', hidden),
      itemOf('Task', 'not-a-uuid'),
      itemOf('Notification', await notify()),
    ]
    const expected = ['200', conflict, conflict, conflict, conflict, notFound, notFound, notFound]
    expect(await outcomes(clerk, { verb: 'claim', items })).toEqual(expected)
    const released = ['200', notFound, '409 work_center.not_claimed', '409 work_center.not_claimed']
    expect(
      await outcomes(clerk, {
        verb: 'release',
        items: [
          itemOf('Task', open, 2),
          itemOf('Task', taken, 2),
          itemOf('Task', stale),
          itemOf('Task', own),
        ],
      }),
    ).toEqual(released)
    const dismissed = await outcomes(clerk, { verb: 'dismiss', items: [itemOf('Task', open)] })
    expect(dismissed).toEqual([notFound])
    const snoozed = await outcomes(clerk, {
      ...{ verb: 'snooze', snoozedUntilUtc: farAhead },
      items: [itemOf('Task', open), itemOf('Task', closed), itemOf('Notification', await notify())],
    })
    expect(snoozed).toEqual(['200', notFound, notFound])
  })

  test('returns the same result for an item that it lists twice', async () => {
    const id = await addTask(host.database)
    const items = [itemOf('Task', id), itemOf('Task', id.toUpperCase()), itemOf('Task', id, 7)]
    const results = await batch(clerk.request, { verb: 'claim', items })
    expect(results).toMatchObject([
      { id, status: 200, item: { version: 2 } },
      { id: id.toUpperCase(), status: 200, item: { id, version: 2 } },
      { id, status: 409 },
    ])
    const again = await outcomes(clerk, {
      verb: 'release',
      items: [itemOf('Task', id, 2), itemOf('Task', id, 2)],
    })
    expect(again).toEqual(['200', '200'])
  })

  test('of a supervisor releases tasks that they do not receive', async () => {
    await addRole(host.database, 'trade.supervisor', [supervise, viewInvoices])
    const supervisor = await addPerson(host, ['trade.supervisor'])
    const id = await addTask(host.database)
    await done(clerk.request, 'tasks', id, 'claim', { expectedVersion: 1 })
    const results = await batch(supervisor.request, { verb: 'release', items: [itemOf('Task', id, 2)] })
    expect(results).toMatchObject([{ id, status: 200, item: { id, taskStatus: 'Open', version: 3 } }])
    expect(await idsOf(colleague.request)).toContain(id)
  })

  test('of a caller without a user record responds with 404 for each item', async () => {
    const request = await host.as({ subject: 'another-stranger' })
    const results = await batch(request, {
      verb: 'read',
      items: [itemOf('Task', await addTask(host.database))],
    })
    expect(results).toMatchObject([{ status: 404 }])
  })
})

describe('a batch that waited for a lock', () => {
  const waiting = async (verb: BatchVerb, revoke: (person: Person) => Promise<unknown>) => {
    const [mine, shared] = [
      await addTask(host.database, { assignedTo: { userId: clerk.userId } }),
      await addTask(host.database),
    ]
    const held = await holdTransaction(host.database, (tx) =>
      tx.execute(sql`select from work_center.tasks where id = ${shared}::uuid for update`),
    )
    const answer = clerk.request('POST', '/api/work-center/batch', {
      body: { verb, items: [itemOf('Task', mine), itemOf('Task', shared)] },
    })
    await untilBlocked(host.database)
    await revoke(clerk)
    await held.commit()
    return answer
  }

  test('checks the rights for each item again', async () => {
    const response = await waiting('read', (person) => takeRole(host.database, person, 'trade.clerk'))
    // The user's own task is hidden, too: the role granted the permission to view its source.
    expect(await response.json()).toMatchObject({ results: [{ status: 404 }, { status: 404 }] })
    expect(host.announced).toEqual([])
  })

  test('is refused if the account was deactivated', async () => {
    const response = await waiting('claim', (person) => deactivate(host.database, person))
    expect(await refusalOf(response)).toMatchObject({ status: 403, code: 'auth.inactive' })
  })
})

test('a batch of one user and events of the same tasks never wait for each other in a cycle', async () => {
  const ids = await Promise.all(Array.from({ length: 10 }, () => addTask(host.database)))
  const answers = await Promise.all(
    Array.from({ length: 30 }, (_, index) => {
      const items = (index % 2 === 0 ? ids : ids.toReversed()).map((id) => itemOf('Task', id))
      const verb = (['read', 'claim', 'unread', 'release', 'read'] as const)[index % 5]
      return (index % 3 === 0 ? clerk : colleague).request('POST', '/api/work-center/batch', {
        body: { verb, items },
      })
    }),
  )
  expect(answers.map(({ status }) => status)).toEqual(Array(30).fill(200))
})

describe('a batch is refused with 400', () => {
  const item = itemOf('Task', newId())
  test.each<[string, object]>([
    ['without items', { verb: 'read', items: [] }],
    ['with 101 items', { verb: 'read', items: Array(101).fill(item) }],
    ['with an unknown verb', { verb: 'complete', items: [item] }],
    ['with an unknown kind', { verb: 'read', items: [{ ...item, kind: 'task' }] }],
    ['without an id', { verb: 'read', items: [{ kind: 'Task' }] }],
    ['without the version that a claim needs', { verb: 'claim', items: [{ kind: 'Task', id: newId() }] }],
    ['without the end of a snooze', { verb: 'snooze', items: [item] }],
    ['with an invalid end of a snooze', { verb: 'snooze', items: [item], snoozedUntilUtc: 'tomorrow' }],
  ])('%s', async (_what, body) => {
    const response = await clerk.request('POST', '/api/work-center/batch', { body })
    expect(await refusalOf(response)).toMatchObject({ status: 400, code: 'request.invalid' })
  })

  test.each(['a\0b', '\ud800'])('with the id %j, which the server cannot store', async (id) => {
    const items = [itemOf('Notification', await notify()), itemOf('Task', id)]
    for (const verb of ['read', 'claim', 'snooze']) {
      const body = { verb, items, snoozedUntilUtc: farAhead }
      const response = await clerk.request('POST', '/api/work-center/batch', { body })
      expect(response.status).toBe(400)
      expect(await response.json()).toMatchObject({
        code: 'request.invalid',
        errors: [{ path: 'items.1.id' }],
      })
    }
  })

  test('but not without versions that its verb ignores', async () => {
    const items = [{ kind: 'Notification', id: await notify() }]
    expect(await outcomes(clerk, { verb: 'read', items })).toEqual(['200'])
    expect((await send(clerk.request, 'notifications', items[0]?.id ?? '', 'read')).status).toBe(200)
  })
})
