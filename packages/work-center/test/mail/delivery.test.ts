import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { fileURLToPath } from 'node:url'
import { newId } from '@vertical-kit/core-audit'
import type { Database } from '@vertical-kit/core-audit/database'
import { startWorkers } from '@vertical-kit/core-audit/host'
import { captureLog, holdTransaction, untilBlocked } from '@vertical-kit/core-audit/testing'
import { sql } from 'drizzle-orm/sql'
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest'
import { setMailSettings } from '../../src/mail/commands/set-mail-settings.ts'
import { verifyUnsubscription } from '../../src/mail/unsubscribe-token.ts'
import { clear, type Desk, openDesk } from '../desk.ts'
import { sourceOf } from '../items.ts'
import { addUser } from '../people.ts'
import { startMailServer } from './mail-server.ts'
import { letMailTimePass, mailConfig, mailsOf, makeMailer, settled, statesOf, writerOf } from './mailer.ts'

let desk: Desk
let database: Database
let clerk: string
beforeAll(async () => {
  desk = await openDesk()
  database = desk.database
  clerk = await addUser(database, 'clerk', ['trade.clerk'])
})
afterAll(() => desk.close())
beforeEach(() => clear(database))

const notify = (title = 'SI-1 is settled') =>
  writerOf(database)(async (inbox) =>
    inbox.createNotification(settled, {
      ...{ title, deduplicationKey: newId(), source: sourceOf(), to: { userIds: [clerk] } },
    }),
  )
const daily = { delivery: 'Daily', timeZone: 'Europe/Vienna', dailyHour: 7 } as const
const setSettings = (settings: Parameters<typeof setMailSettings>[1]['settings']) =>
  database.statement((tx) => setMailSettings(tx, { userId: clerk, settings }))

test('a daily digest contains all items that the user has not seen yet, and nothing is sent before its hour', async () => {
  const server = await startMailServer()
  const mailer = makeMailer(database, mailConfig(server.port))
  await setSettings(daily)
  for (const title of ['First', 'Second', 'Seen']) await notify(title)
  await mailer.run()
  expect(server.received).toEqual([])
  await database.statement((tx) =>
    tx.execute(sql`
      update work_center.entries e set read_at = now()
      from work_center.notifications n where n.id = e.item_id and n.title = 'Seen'`),
  )
  await letMailTimePass(database)
  await mailer.run()
  expect(server.received.map(({ content }) => content.subject)).toEqual(['Your new tasks and notifications'])
  const { text = '' } = server.received[0]?.content ?? {}
  expect(text.indexOf('Second')).toBeGreaterThan(-1)
  expect(text.indexOf('First')).toBeGreaterThan(text.indexOf('Second'))
  expect(text).not.toContain('Seen')
  // The link switches off all mails, because a digest has items of several definitions.
  const [, token = ''] = /token=(\S+)/.exec(text) ?? []
  const secret = await mailConfig(server.port).unsubscribeSecret()
  expect(verifyUnsubscription([secret], token)).toEqual({ userId: clerk, code: null })
  // Nothing new has arrived, so no further digest is sent.
  await letMailTimePass(database)
  await mailer.run()
  expect(server.received).toHaveLength(1)
})

test('a digest lists the newest 100 items', async () => {
  const server = await startMailServer()
  await setSettings(daily)
  for (let index = 0; index <= 100; index += 1) await notify(`Item ${index}.`)
  await letMailTimePass(database)
  await makeMailer(database, mailConfig(server.port)).run()
  const { text = '' } = server.received[0]?.content ?? {}
  expect(text.match(/Item \d+\./g)).toEqual(Array.from({ length: 100 }, (_, index) => `Item ${100 - index}.`))
})

test('a digest contains only the items that are due', async () => {
  const server = await startMailServer()
  await setSettings(daily)
  await notify('Today')
  await letMailTimePass(database)
  await notify('Tomorrow')
  await makeMailer(database, mailConfig(server.port)).run()
  expect(server.received).toHaveLength(1)
  expect(server.received[0]?.content.text).toContain('Today')
  expect(server.received[0]?.content.text).not.toContain('Tomorrow')
})

test('new settings apply to items that already wait', async () => {
  const server = await startMailServer()
  const mailer = makeMailer(database, mailConfig(server.port))
  await setSettings(daily)
  await notify()
  await setSettings({ ...daily, delivery: 'Immediately' })
  await mailer.run()
  expect(server.received.map(({ content }) => content.subject)).toEqual(['Notification: Something'])
})

test('new settings move the waiting mails of their own user only, and wait for no other transaction', async () => {
  const server = await startMailServer()
  const other = await addUser(database, 'other', ['trade.clerk'])
  await writerOf(database)(async (inbox) =>
    inbox.createNotification(settled, {
      ...{ title: 'SI-1 is settled', deduplicationKey: 'both', source: sourceOf() },
      to: { userIds: [clerk, other] },
    }),
  )
  await setSettings(daily)
  await makeMailer(database, mailConfig(server.port)).run()
  expect(server.received.map(({ to }) => to)).toEqual([['other@example.com']])
  const held = await holdTransaction(database, (tx) =>
    tx.execute(sql`select from work_center.mail_requests for update`),
  )
  await setSettings({ ...daily, delivery: 'Immediately' })
  await held.commit()
})

test.each([
  ['Europe/Vienna', 7],
  ['Asia/Kathmandu', 0],
  ['Pacific/Kiritimati', 23],
])('the next digest in %s at %i is within 24 hours, and at that hour there', async (zone, hour) => {
  const [row] = await database.read((db) =>
    db.execute<{ hour: number; minute: number; seconds: number }>(sql`
      select extract(hour from d.at at time zone ${zone})::int as hour,
        extract(minute from d.at at time zone ${zone})::int as minute,
        extract(epoch from d.at - statement_timestamp())::int as seconds
      from work_center.next_digest_at(${zone}, ${hour}::int) d (at)`),
  )
  expect(row).toMatchObject({ hour, minute: 0 })
  expect(row?.seconds).toBeGreaterThanOrEqual(0)
  // A day can have 25 hours.
  expect(row?.seconds).toBeLessThanOrEqual(25 * 3_600)
})

test('a time zone that the server does not know counts as UTC', async () => {
  const [row] = await database.read((db) =>
    db.execute<{ is_same: boolean }>(sql`
      select work_center.next_digest_at('Mars/Olympus', 7) = work_center.next_digest_at('UTC', 7) as is_same`),
  )
  expect(row?.is_same).toBe(true)
})

test('a server that never answers ends the attempt at the deadline, and no database connection is held', async () => {
  const connected = Promise.withResolvers<void>()
  const silent = createServer((socket) => {
    socket.on('error', () => {})
    connected.resolve()
  }).listen(0, '127.0.0.1')
  await once(silent, 'listening')
  onTestFinished(() => void silent.close())
  const { port } = silent.address() as { port: number }
  const pool = desk.openPool({ poolMax: 1 })
  await notify()
  const mailer = makeMailer(pool, mailConfig(port, { deadlineMs: 2_000 }))
  const running = mailer.run()
  await connected.promise
  // The only connection of the pool is free while the mail server is silent, after the sender's next search.
  await expect.poll(() => pool.load.runningCount).toBe(0)
  expect(await pool.read((db) => db.execute(sql`select 1 as one`))).toEqual([{ one: 1 }])
  await running
  expect(await mailsOf(database)).toMatchObject([{ state: 'pending', attempts: 1 }])
})

test('a host that stops ends its connections, and another host sends the mail at once', async () => {
  const [connected, closed] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const silent = createServer((socket) => {
    socket.on('error', () => {}).on('close', () => closed.resolve())
    connected.resolve()
  }).listen(0, '127.0.0.1')
  await once(silent, 'listening')
  onTestFinished(() => void silent.close())
  const { port } = silent.address() as { port: number }
  await notify()
  const { sender } = makeMailer(database, mailConfig(port))
  const workers = startWorkers([sender], captureLog().logger)
  await connected.promise
  await workers.stop()
  await closed.promise
  expect(await mailsOf(database)).toMatchObject([{ state: 'pending', attempts: 0, failure: null }])
  const server = await startMailServer()
  await makeMailer(database, mailConfig(server.port)).run()
  expect(server.received).toHaveLength(1)
})

test('a server that offers no encryption receives no mail unless the configuration allows it', async () => {
  const server = await startMailServer()
  await notify()
  for (const security of ['StartTls', 'Tls'] as const) {
    await letMailTimePass(database)
    await makeMailer(database, mailConfig(server.port, { security })).run()
  }
  expect(server.received).toEqual([])
  expect(await mailsOf(database)).toMatchObject([{ state: 'pending', attempts: 2 }])
})

test('a process that is killed between the answer of the server and its commit causes one duplicate with the same id', async () => {
  const holding = desk.openPool()
  let held: Awaited<ReturnType<typeof holdTransaction>> | undefined
  const server = await startMailServer({
    // The mail has arrived. Its row is locked before the server accepts it, so the sender cannot commit.
    async onMail() {
      held ??= await holdTransaction(holding, (tx) =>
        tx.execute(sql`select id from work_center.mails for update`),
      )
    },
  })
  await notify()
  const script = fileURLToPath(new URL('./mail-process.ts', import.meta.url))
  const child = spawn(
    process.execPath,
    ['--conditions=@vertical-kit/source', script, desk.url, String(server.port)],
    { stdio: ['ignore', 'ignore', 'inherit'] },
  )
  const exited = once(child, 'exit')
  // The sender waits for the lock, so it has received the answer.
  await untilBlocked(database)
  expect(server.received).toHaveLength(1)
  child.kill('SIGKILL')
  expect(await exited).toEqual([null, 'SIGKILL'])
  // The statement of the dead process is already at the server. It must end before the lock does.
  await database.read((db) =>
    db.execute(sql`
      select pg_catalog.pg_terminate_backend(pid, 10000)
      from pg_catalog.pg_stat_activity
      where datname = current_database() and cardinality(pg_catalog.pg_blocking_pids(pid)) > 0`),
  )
  await held?.rollback()
  expect(await statesOf(database)).toEqual(['pending'])

  const mailer = makeMailer(database, mailConfig(server.port))
  await mailer.run()
  // The lease of the dead process has not expired yet.
  expect(server.received).toHaveLength(1)
  await letMailTimePass(database)
  await mailer.run()
  await letMailTimePass(database)
  await mailer.run()
  expect(server.received).toHaveLength(2)
  expect(new Set(server.received.map(({ content }) => content.messageId)).size).toBe(1)
  expect(await mailsOf(database)).toMatchObject([{ state: 'sent', attempts: 2 }])
})

test('a mail whose process always dies becomes a dead letter', async () => {
  const server = await startMailServer()
  const mailer = makeMailer(database, mailConfig(server.port, { maxAttempts: 1 }))
  await notify()
  await database.statement((tx) =>
    tx.execute(sql`
      with gone as (delete from work_center.mail_requests returning user_id, item_id)
      insert into work_center.mails (id, user_id, item_ids, is_digest, attempts, lease_token)
      select gen_random_uuid(), user_id, array[item_id], false, 1, gen_random_uuid() from gone`),
  )
  await mailer.run()
  expect(server.received).toEqual([])
  expect(await statesOf(database)).toEqual(['dead'])
})

test.each([
  ['the first pass of the repeated hour', '2026-10-25T00:30:00Z', '2026-10-25T01:00:00.000Z'],
  ['the second pass of the repeated hour', '2026-10-25T01:30:00Z', '2026-10-26T01:00:00.000Z'],
  ['the night of the hour that does not exist', '2026-03-29T00:30:00Z', '2026-03-29T01:00:00.000Z'],
])('the next digest at 2 o’clock is right in %s', async (_time, after, expected) => {
  const [row] = await database.read((db) =>
    db.execute<{ at: Date }>(sql`
      select work_center.digest_after(${after}::timestamptz, 'Europe/Vienna', 2) as at`),
  )
  expect(new Date(row?.at ?? 0).toISOString()).toBe(expected)
})
