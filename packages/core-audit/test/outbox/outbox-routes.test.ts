import { newId } from '@vertical-kit/core-audit'
import {
  openTestHost,
  refusalOf,
  type TestHost,
  type TestRequest,
  untilBlocked,
} from '@vertical-kit/core-audit/testing'
import { sql } from 'drizzle-orm/sql'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { appendToOutbox } from '../../src/outbox/commands/append-to-outbox.ts'
import { openConnection, runSql } from '../harness.ts'
import { event } from './events.ts'
import { makeConsumer, type Outbox, openOutbox } from './harness.ts'

const permission = 'system.outbox.manage'
const reason = 'the mail server was down'
let outbox: Outbox
let host: TestHost
let ada: TestRequest
let clerk: TestRequest

beforeAll(async () => {
  outbox = await openOutbox(['mail', 'other'])
  host = await openTestHost({ databaseUrl: outbox.url, modules: (_database, own) => [own] })
  ada = await host.as({ subject: 'ada', permissions: [permission] })
  clerk = await host.as({ subject: 'clerk', permissions: [] })
})
afterAll(async () => {
  await host.close()
  await outbox.close()
})
beforeEach(() => outbox.clear())

let handled: string[] = []
/** A consumer whose handler fails for poison until the fault is repaired. */
const consumer = ({ isRepaired = false, name = 'mail' } = {}) =>
  makeConsumer(
    outbox.database,
    async (_tx, { id, data }) => {
      if (data['isPoison'] === true && !isRepaired) throw new RangeError('canary')
      handled.push(id)
    },
    { name, config: { maxAttempts: 1 } },
  )

/** Appends events of one subject, of which the first fails, and returns their ids in order. */
async function makeDeadLetter(subject = `thing/${newId()}`): Promise<readonly string[]> {
  handled = []
  await outbox.database.transaction((tx) =>
    appendToOutbox(
      tx,
      event({ subject, data: { isPoison: true, iban: 'canary' } }),
      event({ subject }),
      event({ subject }),
    ),
  )
  await consumer().run()
  return (await outbox.deliveries())
    .filter((delivery) => delivery.subject === subject && delivery.consumer === 'mail')
    .map(({ eventId }) => eventId)
}

const path = (id: string | undefined, verb: string) => `/api/system/outbox/events/${id}/${verb}`
const change = (request: TestRequest, id: string | undefined, verb: string, body: object = { reason }) =>
  request('POST', path(id, verb), { body })
const statesOf = async (id: string | undefined) =>
  (await outbox.deliveries()).filter(({ eventId }) => eventId === id).map(({ state }) => state)
const events = () =>
  outbox.database.read((db) =>
    db.execute<{ action_code: string; actor: string | null; metadata: unknown }>(sql`
      select e.action_code, u.subject as actor, e.metadata
      from core_audit.audit_events e
      left join core_audit.users u on u.id = e.actor_user_id
      where e.target_kind = 'OutboxEvent'
      order by e.occurred_at, e.id`),
  )
const auditedCount = async () => (await events()).length

test('the state counts pending deliveries and dead letters of each consumer', async () => {
  await makeDeadLetter()
  const response = await ada('GET', '/api/system/outbox')
  expect([response.status, await response.json()]).toEqual([
    200,
    {
      consumers: [
        { consumer: 'mail', pendingCount: 2, deadCount: 1, oldestPendingAgeSeconds: null },
        { consumer: 'other', pendingCount: 3, deadCount: 0, oldestPendingAgeSeconds: expect.any(Number) },
      ],
    },
  ])
})

test('a dead letter is listed with its attempts and its last error, without the data of the event', async () => {
  const [id] = await makeDeadLetter('thing/1')
  const response = await ada('GET', '/api/system/outbox/dead-letters')
  const text = await response.text()
  expect(JSON.parse(text)).toEqual({
    items: [
      {
        eventId: id,
        consumer: 'mail',
        type: 'thing.changed',
        subject: 'thing/1',
        attempts: 1,
        deadSinceUtc: expect.stringMatching(/Z$/),
        heldBackCount: 2,
        lastError: expect.stringContaining('RangeError at '),
      },
    ],
    nextCursor: null,
  })
  expect(text).not.toContain('canary')
})

test('pages contain each dead letter once, even if all died in the same instant', async () => {
  for (let index = 0; index < 5; index += 1) await makeDeadLetter()
  await consumer({ name: 'other' }).run()
  await outbox.database.statement((tx) =>
    tx.execute(sql`update core_audit.outbox_deliveries set state_since = now() where state = 'dead'`),
  )
  const seen: string[] = []
  let cursor: string | null = ''
  while (cursor !== null) {
    const query: string = cursor === '' ? '' : `&cursor=${cursor}`
    const response = await ada('GET', `/api/system/outbox/dead-letters?limit=3${query}`)
    const page = (await response.json()) as {
      items: { eventId: string; consumer: string }[]
      nextCursor: string | null
    }
    seen.push(...page.items.map((letter) => `${letter.eventId} ${letter.consumer}`))
    cursor = page.nextCursor
  }
  expect(seen).toHaveLength(10)
  expect(new Set(seen).size).toBe(10)
  const mails = await ada('GET', '/api/system/outbox/dead-letters?consumer=mail')
  expect(((await mails.json()) as { items: object[] }).items).toHaveLength(5)
  expect((await ada('GET', '/api/system/outbox/dead-letters?cursor=x')).status).toBe(400)
})

test('an event shows its deliveries and attempts', async () => {
  const [id] = await makeDeadLetter()
  expect(await (await ada('GET', `/api/system/outbox/events/${id}`)).json()).toMatchObject({
    id,
    type: 'thing.changed',
    deliveries: [
      { consumer: 'mail', state: 'dead' },
      { consumer: 'other', state: 'pending' },
    ],
    attempts: [
      { consumer: 'mail', attempt: 1, outcome: 'failed', error: expect.stringContaining('RangeError') },
    ],
  })
})

test('after a retry, the events of the subject are handled once and in order, and the user is audited', async () => {
  const before = await auditedCount()
  const ids = await makeDeadLetter()
  const response = await change(ada, ids[0], 'retry')
  expect([response.status, await response.json()]).toEqual([200, { consumers: ['mail'] }])
  await consumer({ isRepaired: true }).run()
  await consumer({ isRepaired: true }).run()
  expect(handled).toEqual(ids)
  expect((await events()).slice(before)).toEqual([
    { action_code: 'outbox.retried', actor: 'ada', metadata: { consumer: 'mail', attempts: 1, reason } },
  ])
})

test('after a discard, the later events of the subject are handled in order', async () => {
  const ids = await makeDeadLetter()
  expect((await change(ada, ids[0], 'discard', { reason, consumer: 'mail' })).status).toBe(200)
  await consumer().run()
  expect(handled).toEqual(ids.slice(1))
  expect(await statesOf(ids[0])).toEqual(['discarded', 'pending'])
})

test('if 30 callers retry and discard at once, one succeeds, and one audit event is written', async () => {
  const before = await auditedCount()
  const ids = await makeDeadLetter()
  const responses = await Promise.all(
    Array.from({ length: 30 }, (_, index) => change(ada, ids[0], index % 2 === 0 ? 'retry' : 'discard')),
  )
  const succeeded = responses.flatMap(({ status }, index) => (status === 200 ? [index] : []))
  expect(succeeded).toHaveLength(1)
  const refused = await Promise.all(responses.filter(({ status }) => status !== 200).map(refusalOf))
  expect(new Set(refused.map(({ status, code }) => `${status} ${code}`))).toEqual(
    new Set(['409 outbox.not_dead']),
  )
  expect(await auditedCount()).toBe(before + 1)
  await consumer({ isRepaired: true }).run()
  const isRetried = (succeeded[0] ?? 0) % 2 === 0
  expect(handled).toEqual(isRetried ? ids : ids.slice(1))
})

test('after the commit, a retry wakes the consumers of this process', async () => {
  const [id] = await makeDeadLetter()
  const { worker } = host.outbox.consume({ name: 'mail', healthName: 'mailOutbox', handle: async () => {} })
  const woken = new Promise<void>((resolve) => worker.bell?.listen(resolve))
  await change(ada, id, 'retry')
  await woken
  expect(await statesOf(id)).toEqual(['pending', 'pending'])
})

test('a user who loses the permission while the request waits for the lock changes nothing', async () => {
  const [id = ''] = await makeDeadLetter()
  const guest = await host.as({ subject: 'guest', permissions: [permission] })
  const { pending } = await openConnection(outbox.url).begin(async (tx) => {
    await tx`select from core_audit.outbox_deliveries where event_id = ${id} for update`
    const request = change(guest, id, 'retry')
    await untilBlocked(outbox.database, 1)
    await runSql(outbox.url, `update core_audit.users set is_active = false where subject = 'guest'`)
    return { pending: request }
  })
  expect(await refusalOf(await pending)).toMatchObject({ status: 403, code: 'auth.inactive' })
  expect(await statesOf(id)).toEqual(['dead', 'pending'])
})

test.each(['retry', 'discard'])('%s is refused with a stable code', async (verb) => {
  const [id, held] = await makeDeadLetter()
  const refused = async (...args: Parameters<typeof change>) => {
    const { status, code } = await refusalOf(await change(...args))
    return `${status} ${code}`
  }
  expect(await refused(ada, newId(), verb)).toBe('404 outbox.event_not_found')
  expect(await refused(ada, 'nothing', verb)).toBe('404 outbox.event_not_found')
  expect(await refused(ada, id, verb, { reason, consumer: 'none' })).toBe('404 outbox.delivery_not_found')
  expect(await refused(ada, held, verb)).toBe('409 outbox.not_dead')
  expect(await refused(ada, id, verb, { reason: ' ' })).toBe('400 request.invalid')
  expect(await refused(ada, id, verb, { reason: 'x'.repeat(1_001) })).toBe('400 request.invalid')
  expect(await refused(clerk, id, verb)).toBe('403 permission.denied')
  expect(await statesOf(id)).toEqual(['dead', 'pending'])
})

test.each(['', '/dead-letters', `/events/${newId()}`])('reading %s requires the permission', async (rest) => {
  expect(await refusalOf(await clerk('GET', `/api/system/outbox${rest}`))).toMatchObject({
    status: 403,
    context: { permission },
  })
})

test('the event of an unknown id is not found', async () => {
  expect(await refusalOf(await ada('GET', `/api/system/outbox/events/${newId()}`))).toMatchObject({
    code: 'outbox.event_not_found',
  })
})
