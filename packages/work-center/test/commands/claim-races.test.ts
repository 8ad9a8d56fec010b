import { newId } from '@vertical-kit/core-audit'
import { sql } from 'drizzle-orm/sql'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Item } from '../../src/contract.ts'
import { batch, type InboxHost, idsOf, openInboxHost, page, patient, send } from '../harness.ts'
import { addTask, closeTask, entriesOf, versions } from '../items.ts'
import { addPerson, type Person } from '../people.ts'

const peopleCount = 20
const tasksCount = 10

let host: InboxHost
let people: readonly Person[]
beforeAll(async () => {
  host = await openInboxHost({ database: patient })
  people = await Promise.all(Array.from({ length: peopleCount }, () => addPerson(host, ['trade.clerk'])))
})
afterAll(() => host.close())

const claim = ({ request }: Person, id: string, expectedVersion = 1) =>
  send(request, 'tasks', id, 'claim', { expectedVersion })

const taskRow = async (id: string) => {
  const [row] = await host.database.read((db) =>
    db.execute<{ status: string; version: number; claimed_by_user_id: string | null }>(
      sql`select status, version, claimed_by_user_id from work_center.tasks where id = ${id}::uuid`,
    ),
  )
  return row
}

test('of 200 concurrent claims for 10 tasks, 10 succeed, and only the claimers see their tasks', async () => {
  const ids: string[] = []
  for (let n = 0; n < tasksCount; n += 1) ids.push(await addTask(host.database))
  const before = await versions(host.database)
  host.announced.length = 0
  const attempts = people.flatMap((person) => ids.map((id) => ({ person, id })))
  const outcomes = await Promise.all(
    fc
      .sample(fc.shuffledSubarray(attempts, { minLength: attempts.length }), 1)
      .flat()
      .map(async ({ person, id }) => ({ person, id, status: (await claim(person, id)).status })),
  )
  expect(outcomes).toHaveLength(200)
  const winners = outcomes.filter(({ status }) => status === 200)
  expect(winners.map(({ id }) => id).toSorted()).toEqual(ids.toSorted())
  expect(new Set(outcomes.map(({ status }) => status))).toEqual(new Set([200, 409]))

  for (const { person, id } of winners) {
    expect(await taskRow(id)).toEqual({
      status: 'InProgress',
      version: 2,
      claimed_by_user_id: person.userId,
    })
    const visible = (await entriesOf(host.database, id)).filter((entry) => entry.is_visible)
    expect(visible).toMatchObject([{ user_id: person.userId, role_id: null }])
  }
  for (const person of people) {
    const won = winners.filter((winner) => winner.person === person).map(({ id }) => id)
    for (const tab of ['attention', 'tasks', 'completed']) {
      const listed = await idsOf(person.request, `tab=${tab}&limit=100`)
      expect(listed.toSorted()).toEqual(tab === 'completed' ? [] : won.toSorted())
    }
  }
  const after = await versions(host.database)
  for (const { userId } of people) expect(after.get(userId)).toBe((before.get(userId) ?? 0) + tasksCount)
  expect(host.announced).toHaveLength(tasksCount)
  for (const announced of host.announced) expect(announced.size).toBe(peopleCount)
  await Promise.all(ids.map((id) => closeTask(host.database, id)))
}, 90_000)

test('of 30 concurrent releases of a task, one succeeds, and all members see the task again', async () => {
  const [claimer] = people as [Person]
  const id = await addTask(host.database)
  await claim(claimer, id)
  const before = await versions(host.database)
  const answers = await Promise.all(
    Array.from({ length: 30 }, (_, index) =>
      index % 3 === 0
        ? batch(claimer.request, { verb: 'release', items: [{ kind: 'Task', id, expectedVersion: 2 }] }).then(
            ([result]) => result?.status,
          )
        : send(claimer.request, 'tasks', id, 'release', { expectedVersion: 2 }).then(({ status }) => status),
    ),
  )
  expect(answers.toSorted()).toEqual([200, ...Array(29).fill(409)])
  expect(await taskRow(id)).toEqual({ status: 'Open', version: 3, claimed_by_user_id: null })
  const entries = await entriesOf(host.database, id)
  expect(entries.filter((entry) => entry.is_visible && entry.role_id !== null)).toHaveLength(peopleCount)
  const after = await versions(host.database)
  for (const { userId } of people) expect(after.get(userId)).toBe((before.get(userId) ?? 0) + 1)
  await closeTask(host.database, id)
})

test('after 30 concurrent claims and releases of a task, it has the claimer that its entries show', async () => {
  const id = await addTask(host.database)
  const answers = await Promise.all(
    people.concat(people.slice(0, 10)).map(async (person, index) => {
      const verb = index % 2 === 0 ? 'claim' : 'release'
      return send(person.request, 'tasks', id, verb, { expectedVersion: (index % 3) + 1 })
    }),
  )
  expect(answers.filter(({ status }) => ![200, 404, 409].includes(status))).toEqual([])
  const claimer = (await taskRow(id))?.claimed_by_user_id ?? null
  const visible = (await entriesOf(host.database, id)).filter((entry) => entry.is_visible)
  expect(visible.map(({ user_id }) => user_id).toSorted()).toEqual(
    claimer === null ? people.map(({ userId }) => userId).toSorted() : [claimer],
  )
  await closeTask(host.database, id)
})

test('30 concurrent marks of all items as read and batches of one user never deadlock', async () => {
  const [person] = people as [Person]
  const ids: string[] = []
  for (let n = 0; n < 20; n += 1) ids.push(await addTask(host.database))
  const { readThrough: through } = await page(person.request)
  const answers = await Promise.all([
    ...Array.from({ length: 30 }, (_, index) => {
      const body = { verb: index % 2 === 0 ? 'unread' : 'read', items: [] as object[] }
      body.items = (index % 4 === 0 ? ids : ids.toReversed()).map((id) => ({ kind: 'Task', id }))
      return index % 3 === 0
        ? person.request('POST', '/api/work-center/read-all', { body: { filters: {}, through } })
        : person.request('POST', '/api/work-center/batch', { body })
    }),
    ...people.slice(1, 6).map((other) => claim(other, ids[3] ?? '')),
  ])
  expect(answers.filter(({ status }) => ![200, 409].includes(status))).toEqual([])
  await Promise.all(ids.map((id) => closeTask(host.database, id)))
})

test('concurrent claims by one user all return the same task, and only one claim changes the task', async () => {
  const [person] = people as [Person]
  const id = await addTask(host.database)
  const before = (await versions(host.database)).get(person.userId) ?? 0
  const answers = await Promise.all(Array.from({ length: 20 }, () => claim(person, id)))
  const items = (await Promise.all(answers.map((answer) => answer.json()))) as Item[]
  for (const item of items) expect(item).toEqual(items[0])
  expect(items[0]).toMatchObject({ version: 2, assignment: { claimedByUserId: person.userId } })
  expect((await versions(host.database)).get(person.userId)).toBe(before + 1)
  await closeTask(host.database, id)
})

test('concurrent claims, reads, snoozes and completions of the same tasks never deadlock', async () => {
  for (let round = 0; round < 5; round += 1) {
    const ids = await Promise.all(Array.from({ length: 4 }, () => addTask(host.database)))
    const answers = await Promise.all([
      ...people
        .slice(0, 8)
        .flatMap((person, index) =>
          (index % 2 === 0 ? ids : ids.toReversed()).flatMap((id) => [
            claim(person, id),
            send(person.request, 'tasks', id, 'read'),
            send(person.request, 'tasks', id, 'snooze', { snoozedUntilUtc: '2999-01-01T00:00:00Z' }),
          ]),
        ),
      ...ids.slice(0, 2).map(async (id) => {
        await closeTask(host.database, id)
        return { status: 200 }
      }),
    ])
    expect(answers.filter(({ status }) => status >= 500)).toEqual([])
    for (const id of ids.slice(2)) {
      const row = await taskRow(id)
      expect(row).toMatchObject({ status: 'InProgress', version: 2 })
      await closeTask(host.database, id)
    }
  }
  expect(
    (await Promise.all(people.map(({ request }) => page(request)))).flatMap(({ items }) => items),
  ).toEqual([])
})

test('a concurrent claim and reopening leave a task with at most one claimer', async () => {
  const [one, other] = people as [Person, Person]
  for (let round = 0; round < 10; round += 1) {
    const deduplicationKey = newId()
    const id = await addTask(host.database, { deduplicationKey })
    await closeTask(host.database, id)
    const answers = await Promise.all([
      claim(one, id, 3),
      addTask(host.database, { deduplicationKey }),
      claim(other, id, 3),
    ])
    const won = [answers[0], answers[2]].filter((answer) => answer.status === 200)
    expect(won.length).toBeLessThanOrEqual(1)
    expect(await taskRow(id)).toMatchObject(
      won.length === 1 ? { status: 'InProgress', version: 4 } : { status: 'Open', version: 3 },
    )
    const visibleCount = (await entriesOf(host.database, id)).filter((entry) => entry.is_visible).length
    expect(visibleCount).toBe(won.length === 1 ? 1 : peopleCount)
    await closeTask(host.database, id)
  }
})
