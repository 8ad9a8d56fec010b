import type { Database } from '@vertical-kit/core-audit/database'
import { sql } from 'drizzle-orm/sql'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { runMailCommand } from '../../src/mail/mail-cli.ts'
import { type Desk, openDesk } from '../desk.ts'
import { sourceOf } from '../items.ts'
import { addUser } from '../people.ts'
import { startMailServer } from './mail-server.ts'
import { mailConfig, mailsOf, makeMailer, settled, writerOf } from './mailer.ts'

let desk: Desk
let database: Database
let clerk: string
beforeAll(async () => {
  desk = await openDesk()
  database = desk.database
  clerk = await addUser(database, 'clerk', ['trade.clerk'])
})
afterAll(() => desk.close())

async function run(...argv: readonly string[]) {
  const lines: string[] = []
  const write = (line: string) => void lines.push(line)
  // Nothing listens on port 9: the command connects directly, and not with the settings of the pooler.
  const environment = {
    DATABASE_URL: 'postgres://host@127.0.0.1:9/host',
    DATABASE_POOLER: 'transaction',
    DATABASE_DIRECT_URL: desk.url,
  }
  return {
    code: await runMailCommand({ argv, environment, operator: 'olga', write, writeError: write }),
    text: lines.join('\n'),
  }
}

test('an operator lists dead letters without their content, and sends one or all of them again', async () => {
  expect(await run('list')).toEqual({ code: 0, text: 'There are no dead letters.' })
  await writerOf(database)(async (inbox) => {
    for (const deduplicationKey of ['one', 'two']) {
      inbox.createNotification(settled, {
        ...{ title: 'Canary', deduplicationKey, source: sourceOf(), to: { userIds: [clerk] } },
      })
    }
  })
  // Port 9 of this machine refuses connections.
  await makeMailer(database, mailConfig(9, { maxAttempts: 1 })).run()
  const { text } = await run('list')
  const [first] = await mailsOf(database)
  expect(text.split('\n')).toHaveLength(2)
  expect(text).toContain(`${first?.id}  for user ${clerk}  1 item(s)  since `)
  expect(text).toMatch(/Z {2}Error ESOCKET$/)
  for (const secret of ['Canary', 'clerk@example.com']) expect(text).not.toContain(secret)

  const server = await startMailServer()
  const mailer = makeMailer(database, mailConfig(server.port))
  expect(await run('retry', first?.id ?? '')).toEqual({ code: 0, text: '1 mail(s) will be sent again.' })
  await mailer.run()
  expect(server.received).toHaveLength(1)
  expect(await run('retry', '--all')).toEqual({ code: 0, text: '1 mail(s) will be sent again.' })
  await mailer.run()
  expect(server.received).toHaveLength(2)
  expect(await run('retry', '--all')).toEqual({ code: 0, text: 'There are no dead letters.' })
  expect(await run('retry', 'unknown')).toEqual({ code: 1, text: 'The dead letter does not exist.' })
  const audit = await database.read((db) =>
    db.execute<{ metadata: unknown }>(sql`
      select metadata from core_audit.audit_events where action_code = 'work_center.mail_retried'`),
  )
  expect(audit).toEqual([1, 2].map(() => ({ metadata: { userId: clerk, operator: 'olga' } })))
})

test('an operator discards one or all dead letters, and the audit log keeps the reason', async () => {
  await writerOf(database)(async (inbox) => {
    for (const deduplicationKey of ['three', 'four', 'five']) {
      inbox.createNotification(settled, {
        ...{ title: 'Canary', deduplicationKey, source: sourceOf(), to: { userIds: [clerk] } },
      })
    }
  })
  const mailer = makeMailer(database, mailConfig(9, { maxAttempts: 1 }))
  await mailer.run()
  const dead = (await mailsOf(database)).filter(({ state }) => state === 'dead')
  const discard = (which: string) => run('discard', which, '--reason', 'the address is gone')
  expect(await discard(dead[0]?.id ?? '')).toEqual({ code: 0, text: '1 mail(s) are discarded.' })
  expect(await discard('--all')).toEqual({ code: 0, text: '2 mail(s) are discarded.' })
  expect(await discard('--all')).toEqual({ code: 0, text: 'There are no dead letters.' })
  expect(await discard('unknown')).toEqual({ code: 1, text: 'The dead letter does not exist.' })
  // The limit counts code points.
  expect(await run('discard', 'unknown', '--reason', '👍'.repeat(1_000))).toMatchObject({ code: 1 })
  const [health] = mailer.module.health ?? []
  expect(await health?.check(new AbortController().signal)).toMatchObject({
    ...{ status: 'Healthy', failedCount: 0 },
  })
  const audit = await database.read((db) =>
    db.execute<{ target_id: string; metadata: unknown }>(sql`
      select target_id, metadata
      from core_audit.audit_events
      where action_code = 'work_center.mail_discarded'
      order by target_id`),
  )
  const metadata = { userId: clerk, attempts: 1, reason: 'the address is gone', operator: 'olga' }
  expect(audit).toEqual(dead.map(({ id }) => ({ target_id: id, metadata })))
})

test('list shows the newest 50 dead letters, and --all selects all of them in every command', async () => {
  await database.statement((tx) =>
    tx.execute(sql`
      insert into work_center.mails (id, user_id, item_ids, is_digest, state, state_since)
      select lpad(minute::text, 32, '0')::uuid, ${clerk}::uuid, '{}', false, 'dead',
        now() - minute * interval '1 minute'
      from generate_series(1, 1001) minute`),
  )
  const newest = (await run('list')).text.split('\n')
  expect(newest).toHaveLength(51)
  expect(newest[0]).toContain('000000000001  for user')
  expect(newest.at(-1)).toContain('… the newest 50 of 1001 dead letters')
  expect((await run('list', '--all')).text.split('\n')).toHaveLength(1_001)
  await run('discard', '--all', '--reason', 'end of the test')
  const [audit] = await database.read((db) =>
    db.execute<{ count: number }>(sql`
      select count(*)::int from core_audit.audit_events where metadata->>'reason' = 'end of the test'`),
  )
  expect(audit?.count).toBe(1_001)
})

test.each<[readonly string[], string]>([
  [[], 'A command is required.'],
  [['list', 'x'], 'list accepts only --all.'],
  [['discard', 'a', '--reason', 'x', '--reason', 'y'], '--reason can be given only once.'],
  [['retry'], 'retry requires the id of one mail, or --all.'],
  [['retry', 'a', 'b'], 'retry requires the id of one mail, or --all.'],
  [['retry', 'a', '--all'], 'retry requires the id of one mail, or --all.'],
  [['retry', 'a', '--reason', 'x'], '--reason belongs to discard.'],
  [['discard', 'a'], '--reason "…" is required.'],
  [['discard', '--all', '--reason', 'a'.repeat(1_001)], '--reason: at most 1000 characters'],
  [['drop'], 'Unknown command "drop".'],
])('%o is a wrong usage, and the output names the problem', async (argv, problem) => {
  const { code, text } = await run(...argv)
  expect(code).toBe(2)
  expect(text).toContain(problem)
  expect(text).toContain('Usage: mail')
})
