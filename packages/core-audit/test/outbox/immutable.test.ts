import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { appendToOutbox } from '../../src/outbox/commands/append-to-outbox.ts'
import { openConnection, runSql } from '../harness.ts'
import { event } from './events.ts'
import { type Outbox, openOutbox } from './harness.ts'

// Roles belong to the whole server, which other test files also use, so their names must be unique.
const suffix = randomBytes(6).toString('hex')
const [owner, service] = [`outbox_owner_${suffix}`, `outbox_service_${suffix}`]
const tables = ['outbox_events', 'outbox_deliveries', 'outbox_attempts', 'users']

let outbox: Outbox
beforeAll(async () => {
  outbox = await openOutbox(['mail'])
  await runSql(
    outbox.url,
    `create role ${owner}; create role ${service};
     grant usage, create on schema core_audit to ${owner};
     grant usage on schema core_audit to ${service};
     grant all on all tables in schema core_audit to ${owner}, ${service};
     ${tables.map((table) => `alter table core_audit.${table} owner to ${owner};`).join('')}`,
  )
  await outbox.database.transaction((tx) => appendToOutbox(tx, event(), event()))
  await runSql(
    outbox.url,
    `update core_audit.outbox_deliveries set state = 'dead'
     where position = (select min(position) from core_audit.outbox_deliveries);
     insert into core_audit.outbox_attempts (event_id, consumer, attempt, started_at, outcome)
     select event_id, consumer, 1, clock_timestamp(), 'abandoned' from core_audit.outbox_deliveries;`,
  )
})
afterAll(async () => {
  await outbox.close()
  await runSql(inject('postgresUrl'), `drop role ${owner}; drop role ${service}`)
})

const ways = [
  ['change an event', `update core_audit.outbox_events set data = '{"forged":true}'`],
  [
    'change an event through a conflict',
    `insert into core_audit.outbox_events (id, type, source, subject, schema_version, data)
     select id, 'forged', source, subject, 1, data from core_audit.outbox_events
     on conflict (id) do update set type = 'forged'`,
  ],
  [
    'change an event by merge',
    `merge into core_audit.outbox_events e using core_audit.outbox_events s on e.id = s.id
     when matched then update set type = 'forged'`,
  ],
  ['truncate the events', 'truncate core_audit.outbox_events cascade'],
  ['delete an event that is pending or dead', 'delete from core_audit.outbox_events'],
  ['delete a delivery that is pending or dead', 'delete from core_audit.outbox_deliveries'],
  ['truncate the deliveries', 'truncate core_audit.outbox_deliveries cascade'],
  ['change the history', `update core_audit.outbox_attempts set outcome = 'completed'`],
  ['delete the history of an unfinished delivery', 'delete from core_audit.outbox_attempts'],
  ['truncate the history', 'truncate core_audit.outbox_attempts'],
] as const

describe.each([
  ['the service’s own role', `set role ${service}`],
  ['the role that owns the tables', `set role ${owner}`],
  ['a superuser', ''],
  ['a superuser in replica mode, which disables ordinary triggers', 'set session_replication_role = replica'],
])('%s', (_role, become) => {
  test.each(ways)('cannot %s', async (_way, statement) => {
    const session = openConnection(outbox.url)
    const read = () => session`
      select e.*, d.state, a.outcome
      from core_audit.outbox_events e
      join core_audit.outbox_deliveries d on d.event_id = e.id
      join core_audit.outbox_attempts a on a.event_id = e.id
      order by e.id`
    const before = [...(await read())]
    expect(before).toHaveLength(2)
    await session.unsafe(`${become};`)
    await expect(session.unsafe(statement)).rejects.toMatchObject({
      code: '42501',
      message: expect.stringMatching(/append-only|is kept/),
    })
    expect([...(await read())]).toEqual(before)
  })
})

test('an event can be deleted after its finished deliveries', async () => {
  await outbox.clear()
  await outbox.database.transaction((tx) => appendToOutbox(tx, event()))
  const session = openConnection(outbox.url)
  await session`update core_audit.outbox_deliveries set state = 'completed'`
  // A delivery must always have its event, so the deliveries must be deleted first.
  await expect(session`delete from core_audit.outbox_events`).rejects.toMatchObject({
    constraint_name: 'outbox_deliveries_event_id_fkey',
  })
  await session`delete from core_audit.outbox_deliveries`
  expect((await session`delete from core_audit.outbox_events`).count).toBe(1)
})

test('a delivery must have a valid state, and can have a lease only while it is pending', async () => {
  await outbox.clear()
  await outbox.database.transaction((tx) => appendToOutbox(tx, event()))
  const session = openConnection(outbox.url)
  const set = (assignment: string) => session.unsafe(`update core_audit.outbox_deliveries set ${assignment}`)
  const refusals: readonly (readonly [assignment: string, constraint: string])[] = [
    [`state = 'lost'`, 'outbox_deliveries_state_check'],
    ['attempts = -1', 'outbox_deliveries_attempts_check'],
    ['lease_token = gen_random_uuid(), claimed_at = now()', 'outbox_deliveries_lease_check'],
    ['lease_until = now(), claimed_at = now()', 'outbox_deliveries_lease_check'],
    ['lease_token = gen_random_uuid(), lease_until = now()', 'outbox_deliveries_lease_check'],
    [
      `lease_token = gen_random_uuid(), lease_until = now(), claimed_at = now(), state = 'dead'`,
      'outbox_deliveries_lease_check',
    ],
  ]
  for (const [assignment, constraint_name] of refusals) {
    await expect(set(assignment)).rejects.toMatchObject({ constraint_name })
  }
})
