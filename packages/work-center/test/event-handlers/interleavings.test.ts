import type { Database } from '@vertical-kit/core-audit/database'
import { accessChanged } from '@vertical-kit/core-audit/identity'
import { sql } from 'drizzle-orm/sql'
import fc from 'fast-check'
import * as v from 'valibot'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { BatchVerb } from '../../src/contract.ts'
import { on } from '../../src/event-handlers/event-handler.ts'
import { collectPayment } from '../definitions.ts'
import { append, clear, event, makeProcessor, outboxOf, tasksOf } from '../desk.ts'
import { batch, type InboxHost, openInboxHost, page, patient, send } from '../harness.ts'
import { sourceOf, versions } from '../items.ts'
import { addPerson, type Person } from '../people.ts'

let host: InboxHost
let database: Database
let people: readonly Person[]
beforeAll(async () => {
  host = await openInboxHost({ database: patient })
  database = host.database
  people = await Promise.all(Array.from({ length: 4 }, () => addPerson(host, ['trade.clerk'])))
})
afterAll(() => host.close())

const verbs = ['create', 'complete', 'cancel'] as const
const source = sourceOf()

/** The event handler. The data of an event lists tasks in any order, with one operation for each task. */
const handler = on(
  { type: 'trade.happened', schema: v.object({ steps: v.array(v.tuple([v.picklist(verbs), v.string()])) }) },
  (inbox, { data }) => {
    for (const [verb, deduplicationKey] of data.steps) {
      if (verb === 'complete') inbox.completeTask(collectPayment, deduplicationKey)
      else if (verb === 'cancel') inbox.cancelTask(collectPayment, deduplicationKey)
      else
        inbox.createTask(collectPayment, {
          ...{ deduplicationKey, title: deduplicationKey, source },
          assignedTo: { roleCode: 'trade.clerk' },
        })
    }
  },
)

const key = fc.constantFrom('a', 'b', 'c')
const step = fc.tuple(fc.constantFrom(...verbs, 'create' as const), key)
/**
 * The moves of one run: events of three subjects, claims and releases of all tasks, one by one or in one batch, marks as read, and
 * grants or revocations of the role.
 */
const moves = fc.array(
  fc.oneof(
    fc.record({
      move: fc.constant('event' as const),
      subject: fc.constantFrom('thing/1', 'thing/2', 'thing/3'),
      steps: fc.array(step, { minLength: 1, maxLength: 3 }),
    }),
    fc.record({ move: fc.constant('access' as const), person: fc.nat({ max: 3 }) }),
    fc.record({
      move: fc.constantFrom(
        'claim' as const,
        'release' as const,
        'claim together' as const,
        'release together' as const,
      ),
      person: fc.nat({ max: 3 }),
      expectedVersion: fc.integer({ min: 1, max: 4 }),
    }),
    fc.record({
      move: fc.constant('forward' as const),
      person: fc.nat({ max: 3 }),
      // 4 forwards to the role.
      to: fc.nat({ max: 4 }),
      expectedVersion: fc.integer({ min: 1, max: 4 }),
    }),
    fc.record({
      move: fc.constant('substitute' as const),
      person: fc.nat({ max: 3 }),
      // 4 ends the substitution.
      to: fc.nat({ max: 4 }),
    }),
    fc.record({
      move: fc.constantFrom('read together' as const, 'read all' as const),
      person: fc.nat({ max: 3 }),
    }),
  ),
  { minLength: 4, maxLength: 24 },
)

/** Claims or releases each task with this expected version. */
async function changeEach(
  { request }: Person,
  verb: 'claim' | 'release',
  expectedVersion: number,
): Promise<readonly number[]> {
  const tasks = await tasksOf(database)
  const responses = await Promise.all(
    tasks.map(({ id }) => send(request, 'tasks', id, verb, { expectedVersion })),
  )
  return responses.map(({ status }) => status)
}

/** Changes all tasks with one request, in the reverse order of their ids. */
async function changeTogether(
  { request }: Person,
  verb: BatchVerb,
  expectedVersion = 1,
): Promise<readonly number[]> {
  const tasks = await tasksOf(database)
  if (tasks.length === 0) return []
  const items = tasks.map(({ id }) => ({ kind: 'Task', id, expectedVersion })).toReversed()
  return (await batch(request, { verb, items })).map(({ status }) => status)
}

/** Marks all open tasks as read. */
async function readAll({ request }: Person): Promise<readonly number[]> {
  const { readThrough: through } = await page(request, 'tab=tasks')
  const { status } = await request('POST', '/api/work-center/read-all', { body: { tab: 'tasks', through } })
  return [status]
}

/** Forwards all tasks with this expected version to a user or the role. */
async function forwardAll({ request }: Person, to: Person | undefined, expectedVersion: number) {
  const tasks = await tasksOf(database)
  const body = {
    expectedVersion,
    to: to === undefined ? { roleCode: 'trade.clerk' } : { userId: to.userId },
    comment: null,
  }
  const responses = await Promise.all(tasks.map(({ id }) => send(request, 'tasks', id, 'forward', body)))
  return responses.map(({ status }) => status)
}

/** Names a substitute, or ends the substitution. */
async function substitute({ request }: Person, by: Person | undefined): Promise<readonly number[]> {
  const path = '/api/me/substitution'
  const body = { userId: by?.userId, fromUtc: aWeekAgo, untilUtc: inAMonth }
  const { status } = await (by === undefined ? request('DELETE', path) : request('PUT', path, { body }))
  return [status]
}
const inAMonth = new Date(Date.now() + 30 * 86_400_000).toISOString()
const aWeekAgo = new Date(Date.now() - 7 * 86_400_000).toISOString()

/** Revokes the role of a user, or grants it if the user does not have it. */
const turnAccess = ({ userId }: Person) =>
  database.transaction(async (tx) => {
    const rows = await tx.execute(
      sql`delete from core_audit.user_roles where user_id = ${userId}::uuid returning role_id`,
    )
    if (rows.length === 0) await tx.execute(giveRoleTo([userId]))
    await outboxOf(host.database).append(
      tx,
      event({ type: accessChanged.type, subject: `security/user/${userId}`, data: { userId } }),
    )
  })
const giveRoleTo = (userIds: readonly string[]) => sql`
  insert into core_audit.user_roles (user_id, role_id)
  select u.id, r.id
  from unnest(${sql.param(userIds)}::uuid[]) u (id)
  join core_audit.roles r on r.code = 'trade.clerk'
  on conflict do nothing`

/** Lists the tasks with a claimer that does not have the role of the task. */
const lostClaims = () =>
  database.read((db) =>
    db.execute(sql`
      select t.id from work_center.tasks t
      where t.closed_at is null and t.claimed_by_user_id is not null and not exists (
        select from core_audit.active_role_members m
        where m.user_id = t.claimed_by_user_id and m.role_id = t.assigned_role_id
      )`),
  )

/** Lists the entries that contradict the state of their task. */
const contradictions = () =>
  database.read((db) =>
    db.execute(sql`
      select t.status, t.claimed_by_user_id, e.*
      from work_center.tasks t
      join work_center.entries e on e.item_id = t.id
      where e.is_open <> (t.closed_at is null)
        or e.sort_at <> t.sort_at
        or e.is_visible <> (t.claimed_by_user_id is null or t.claimed_by_user_id = e.user_id)
        or (e.role_id is null) <> (t.claimed_by_user_id is not distinct from e.user_id)
        or (t.status = 'InProgress') <> (t.claimed_by_user_id is not null and t.closed_at is null)
        or e.changes_at is not null`),
  )

test.each([
  ['one by one', 1],
  ['together', 25],
])(
  'entries match their tasks, and versions grow by one per commit, for all interleavings of claims, releases, forwards, substitutions, batches, access changes and events handled %s',
  async (_how, batchSize) => {
    await fc.assert(
      fc.asyncProperty(moves, async (plan) => {
        await clear(database)
        await database.statement((tx) => tx.execute(giveRoleTo(people.map(({ userId }) => userId))))
        host.announced.length = 0
        const processors = Array.from({ length: 3 }, () => makeProcessor(database, [handler], { batchSize }))
        const running = plan.map(async (move, index) => {
          if (move.move === 'event') {
            await append(database, { subject: move.subject, data: { steps: move.steps } })
            await processors[index % 3]?.run()
            return []
          }
          const person = people[move.person] as Person
          if (move.move === 'forward') return forwardAll(person, people[move.to], move.expectedVersion)
          if (move.move === 'substitute') return substitute(person, people[move.to])
          if (move.move === 'claim' || move.move === 'release') {
            return changeEach(person, move.move, move.expectedVersion)
          }
          if (move.move === 'claim together') return changeTogether(person, 'claim', move.expectedVersion)
          if (move.move === 'release together') return changeTogether(person, 'release', move.expectedVersion)
          if (move.move === 'read together') return changeTogether(person, 'read')
          if (move.move === 'read all') return readAll(person)
          await turnAccess(person)
          await processors[index % 3]?.run()
          return []
        })
        const statuses = (await Promise.all(running)).flat()
        expect(statuses.filter((status) => ![200, 204, 404, 409].includes(status))).toEqual([])
        for (const processor of processors) await processor.run()
        const failures = processors.flatMap(({ logged }) => logged).filter(({ level }) => level !== 'info')
        expect(failures).toEqual([])

        expect([...(await contradictions())]).toEqual([])
        expect([...(await lostClaims())]).toEqual([])
        const announced = [...processors.flatMap((processor) => processor.announced), ...host.announced]
        for (const [user, version] of await versions(database)) {
          const sent = announced.flatMap((changes) => changes.get(user) ?? []).toSorted((a, b) => a - b)
          expect(sent).toEqual(Array.from({ length: version }, (_, n) => n + 1))
        }
      }),
      { numRuns: 40 },
    )
  },
  120_000,
)
