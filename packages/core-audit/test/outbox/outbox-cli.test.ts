import { newId } from '@vertical-kit/core-audit'
import type { Database } from '@vertical-kit/core-audit/database'
import { untilBlocked } from '@vertical-kit/core-audit/testing'
import { sql } from 'drizzle-orm/sql'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { appendToOutbox } from '../../src/outbox/commands/append-to-outbox.ts'
import { openConnection } from '../harness.ts'
import { event } from './events.ts'
import { makeConsumer, type Outbox, openOutbox } from './harness.ts'
import { runCommand } from './run-command.ts'

let outbox: Outbox
let database: Database
beforeAll(async () => {
  outbox = await openOutbox(['mail', 'other'])
  database = outbox.database
})
afterAll(() => outbox.close())
beforeEach(() => outbox.clear())

const run = (argv: readonly string[]) => runCommand(outbox.url, argv)

const why = ['--reason', 'the mail server was down']
const failing = (name = 'mail') =>
  makeConsumer(
    database,
    async (_tx, { data }) => {
      if (data['isPoison'] === true) throw new RangeError('canary-free\nwords')
    },
    { name, config: { maxAttempts: 1 } },
  )

/** Creates a dead letter of `mail` with two later events of its subject, and returns its id. */
async function makeDeadLetter(subject = 'thing/1'): Promise<string> {
  await database.transaction((tx) =>
    appendToOutbox(
      tx,
      event({ subject, correlationId: 'request-1', data: { isPoison: true, iban: 'canary' } }),
      event({ subject }),
      event({ subject }),
    ),
  )
  await failing().run()
  const dead = (await outbox.deliveries()).find((delivery) => {
    return delivery.subject === subject && delivery.state === 'dead'
  })
  if (dead === undefined) throw new Error('no dead letter was created')
  return dead.eventId
}

const instant = String.raw`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z`
const audited = () =>
  database.read((db) =>
    db.execute(sql`
      select module, target_kind, target_type_code, target_id, action_code, actor_user_id, correlation_id, metadata
      from core_audit.audit_events
      order by occurred_at`),
  )
const stateOf = async (eventId: string, name = 'mail'): Promise<string | undefined> =>
  (await outbox.deliveries()).find(({ eventId: id, consumer }) => id === eventId && consumer === name)?.state

describe('list', () => {
  test('shows each dead letter with its reason, then the number of pending deliveries per consumer', async () => {
    const id = await makeDeadLetter()
    await database.transaction((tx) => appendToOutbox(tx, event({ subject: 'thing/2' })))
    const { exitCode, out, err } = await run(['list'])
    expect({ exitCode, err }).toEqual({ exitCode: 0, err: [] })
    expect(out).toEqual([
      expect.stringMatching(new RegExp(`^${id}  mail  dead since ${instant} after 1 attempt, holds back 2$`)),
      '  thing.changed  thing/1',
      expect.stringMatching(/^ {2}RangeError at .+outbox-cli\.test\.ts/),
      expect.stringMatching(/^mail: 3 pending, the oldest for \d+ s; 1 dead letter$/),
      expect.stringMatching(/^other: 4 pending, the oldest for \d+ s; 0 dead letters$/),
    ])
    expect(out.join()).not.toContain('"')
  })

  test('shows only the dead letters of a consumer if the arguments name this consumer', async () => {
    await makeDeadLetter()
    expect((await run(['list', '--consumer', 'other'])).out).toEqual([
      expect.stringMatching(/^other: 3 pending, the oldest for \d+ s; 0 dead letters$/),
    ])
    expect(await run(['list', '--consumer', 'nobody'])).toEqual({
      exitCode: 1,
      out: [],
      err: ['No consumer nobody is registered.'],
    })
  })

  test('shows the first 50 dead letters, or all dead letters with --all', async () => {
    await database.transaction((tx) =>
      appendToOutbox(tx, ...Array.from({ length: 52 }, () => event({ data: { isPoison: true } }))),
    )
    await failing().run()
    const idsIn = (lines: readonly string[]) => lines.filter((line) => /^[0-9a-f]{8}-/.test(line))
    const first = await run(['list'])
    expect(idsIn(first.out)).toHaveLength(50)
    expect(first.out).toContain('… the first 50 of 52 dead letters; --all lists every one.')
    expect(idsIn((await run(['list', '--all'])).out)).toHaveLength(52)
  })

  test('shows only one line for each consumer if the outbox is healthy', async () => {
    expect(await run(['list'])).toEqual({
      exitCode: 0,
      out: ['mail: 0 pending; 0 dead letters', 'other: 0 pending; 0 dead letters'],
      err: [],
    })
  })

  test('shows that the process ended or was too slow if a dead letter has no recorded failure', async () => {
    await database.transaction((tx) => appendToOutbox(tx, event()))
    await database.statement((tx) =>
      tx.execute(
        sql`update core_audit.outbox_deliveries set state = 'dead', attempts = 8 where consumer = 'mail'`,
      ),
    )
    expect((await run(['list'])).out[2]).toBe('  its process ended, or was too slow for its lease')
  })
})

describe('show', () => {
  test('shows the deliveries and attempts of an event, never its data', async () => {
    const id = await makeDeadLetter()
    await run(['retry', id, ...why])
    await failing().run()
    const { exitCode, out } = await run(['show', id])
    expect(exitCode).toBe(0)
    const attempt = new RegExp(`^  attempt 1  ${instant} – ${instant}  failed: RangeError at .+$`)
    expect(out).toEqual([
      `${id}  thing.changed`,
      '  subject      thing/1',
      '  source       things',
      expect.stringMatching(new RegExp(`^  appended     ${instant}$`)),
      '  correlation  request-1',
      expect.stringMatching(new RegExp(`^mail: dead since ${instant}$`)),
      expect.stringMatching(attempt),
      expect.stringMatching(attempt),
      expect.stringMatching(new RegExp(`^other: pending since ${instant}$`)),
    ])
    expect(out.join()).not.toMatch(/iban|canary"/)
  })
})

describe('retry', () => {
  test('makes a dead letter pending with all attempts available, and writes an audit event', async () => {
    const id = await makeDeadLetter()
    expect(await run(['retry', id, ...why])).toEqual({
      exitCode: 0,
      out: [`${id} will be retried by mail.`],
      err: [],
    })
    const [delivery] = await outbox.deliveries()
    expect(delivery).toMatchObject({ eventId: id, state: 'pending', attempts: 0 })
    expect((await audited()).at(-1)).toEqual({
      module: 'core-audit',
      target_kind: 'OutboxEvent',
      target_type_code: 'thing.changed',
      target_id: id,
      action_code: 'outbox.retried',
      actor_user_id: null,
      correlation_id: 'request-1',
      metadata: { consumer: 'mail', attempts: 1, reason: 'the mail server was down', operator: 'olga' },
    })
    await makeConsumer(database, async () => {}).run()
    expect(await stateOf(id)).toBe('completed')
    expect((await outbox.attempts(id)).map(({ outcome }) => outcome)).toEqual(['failed', 'completed'])
    const mine = (await outbox.deliveries()).filter(({ consumer }) => consumer === 'mail')
    expect(mine.map(({ state }) => state)).toEqual(['completed', 'completed', 'completed'])
  })

  test('with --all makes every dead letter of a consumer pending, with an audit event for each', async () => {
    const ids = [await makeDeadLetter('thing/1'), await makeDeadLetter('thing/2')]
    await failing('other').run()
    const all = ['retry', '--all', '--consumer', 'mail', ...why]
    expect(await run(all)).toEqual({ exitCode: 0, out: ['2 dead letters will be retried by mail.'], err: [] })
    for (const id of ids) expect([await stateOf(id), await stateOf(id, 'other')]).toEqual(['pending', 'dead'])
    expect((await audited()).slice(-2)).toMatchObject(
      ids.map((id) => ({ target_id: id, action_code: 'outbox.retried', metadata: { consumer: 'mail' } })),
    )
    expect((await run(all)).out).toEqual(['0 dead letters will be retried by mail.'])
  })

  test('with --all shows how many of many dead letters are left', async () => {
    const events = Array.from({ length: 501 }, (_, index) => event({ subject: `thing/${index}` }))
    await database.transaction((tx) => appendToOutbox(tx, ...events))
    await database.statement((tx) =>
      tx.execute(sql`update core_audit.outbox_deliveries set state = 'dead' where consumer = 'mail'`),
    )
    const { out } = await run(['retry', '--all', '--consumer', 'mail', ...why])
    expect(out).toEqual(['1 dead letter left', '501 dead letters will be retried by mail.'])
    expect((await outbox.deliveries()).every(({ state }) => state === 'pending')).toBe(true)
  })

  test('with --all rejects an unknown consumer', async () => {
    const { exitCode, err } = await run(['retry', '--all', '--consumer', 'mial', ...why])
    expect({ exitCode, err: err.join() }).toEqual({
      exitCode: 1,
      err: expect.stringContaining('No consumer mial is registered.'),
    })
  })
})

describe('discard', () => {
  test('discards a dead letter, unblocks the deliveries behind it, and writes an audit event', async () => {
    const id = await makeDeadLetter()
    expect(await run(['discard', id, '--consumer', 'mail', ...why])).toEqual({
      exitCode: 0,
      out: [`${id} is discarded for mail.`],
      err: [],
    })
    expect((await audited()).at(-1)).toMatchObject({
      target_id: id,
      action_code: 'outbox.discarded',
      metadata: { consumer: 'mail', operator: 'olga' },
    })
    await failing().run()
    const mine = (await outbox.deliveries()).filter(({ consumer }) => consumer === 'mail')
    expect(mine.map(({ state }) => state)).toEqual(['discarded', 'completed', 'completed'])
  })

  test('without a consumer discards every dead letter of the event, and writes an audit event for each', async () => {
    const id = await makeDeadLetter()
    await failing('other').run()
    expect((await run(['discard', id, ...why])).out).toEqual([`${id} is discarded for mail, other.`])
    expect(await stateOf(id, 'mail')).toBe('discarded')
    expect(await stateOf(id, 'other')).toBe('discarded')
    expect((await audited()).slice(-2).map(({ metadata }) => metadata)).toMatchObject([
      { consumer: 'mail' },
      { consumer: 'other' },
    ])
  })
})

describe.each(['retry', 'discard'])('%s', (command) => {
  test('rejects a delivery that is not a dead letter, and the error contains its state', async () => {
    const id = await makeDeadLetter()
    const before = [await outbox.deliveries(), await audited()]
    const completed = await database.transaction(async (tx) => {
      await appendToOutbox(tx, event({ subject: 'thing/2' }))
      const [row] = await tx.execute<{ id: string }>(sql`
        select id from core_audit.outbox_events where subject = 'thing/2'`)
      return row?.id ?? ''
    })
    await failing().run()
    const refused = async (...argv: readonly string[]) => {
      const { exitCode, out, err } = await run([command, ...argv, ...why])
      expect({ exitCode, out }).toEqual({ exitCode: 1, out: [] })
      return err
    }
    const only = 'Only a dead letter can be retried or discarded.'
    expect(await refused(completed)).toEqual([
      `Event ${completed} is not a dead letter: mail is completed, other is pending. ${only}`,
    ])
    expect(await refused(id, '--consumer', 'other')).toEqual([
      `Event ${id} is not a dead letter: other is pending. ${only}`,
    ])
    expect(await refused(id, '--consumer', 'nobody')).toEqual([`Event ${id} has no delivery to nobody.`])
    const unknown = newId()
    expect(await refused(unknown)).toEqual([`Event ${unknown} does not exist.`])
    expect(await refused('42')).toEqual(['Event 42 does not exist.'])
    expect([
      (await outbox.deliveries()).filter(({ subject }) => subject === 'thing/1'),
      await audited(),
    ]).toEqual(before)
  })

  test('changes the delivery and writes an audit event only once if it runs twice concurrently', async () => {
    const id = await makeDeadLetter()
    const before = (await audited()).length
    const holder = openConnection(outbox.url)
    const results = await holder.begin(async (tx) => {
      await tx`select from core_audit.outbox_deliveries where event_id = ${id} for update`
      const runs = [run([command, id, ...why]), run([command, id, ...why])]
      await untilBlocked(outbox.database, runs.length)
      // Return the promise in an object: otherwise the transaction would wait for the runs, which wait for the transaction.
      return { runs }
    })
    const exitCodes = (await Promise.all(results.runs)).map(({ exitCode }) => exitCode)
    expect(exitCodes.toSorted()).toEqual([0, 1])
    expect(await audited()).toHaveLength(before + 1)
  })

  test.each([[[]], [['--reason', '']], [['--reason', ' \n']]])(
    'is rejected without a reason (%j)',
    async (reason) => {
      const id = await makeDeadLetter()
      const { exitCode, out, err } = await run([command, id, ...reason])
      expect({ exitCode, out }).toEqual({ exitCode: 2, out: [] })
      expect(err[0]).toBe('--reason "…" is required. The audit log keeps it.\n')
      expect(await stateOf(id)).toBe('dead')
    },
  )
})
