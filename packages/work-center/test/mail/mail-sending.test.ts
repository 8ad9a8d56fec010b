import type { Database } from '@vertical-kit/core-audit/database'
import { holdTransaction } from '@vertical-kit/core-audit/testing'
import { sql } from 'drizzle-orm/sql'
import { expect, test } from 'vitest'
import { createClock } from '../../src/clock.ts'
import { defineTask } from '../../src/definitions/definition.ts'
import { createInboxWriter } from '../../src/inbox/inbox.ts'
import { gatherMails } from '../../src/mail/commands/gather-mails.ts'
import { administratorRoleCodes, config } from '../desk.ts'
import { sourceOf } from '../items.ts'
import {
  addNotification,
  addTask,
  change,
  clerk,
  database,
  desk,
  openMailDesk,
  other,
  requestCount,
  words,
} from './mail-desk.ts'
import { startMailServer } from './mail-server.ts'
import {
  collectPayment,
  letMailTimePass,
  mailConfig,
  mailsOf,
  makeMailer,
  settled,
  statesOf,
} from './mailer.ts'

openMailDesk()

test('the reminder of a task is sent by mail', async () => {
  const server = await startMailServer()
  const due = defineTask({
    ...collectPayment,
    code: 'trade.due',
    reminder: { notification: settled, beforeDueMs: 1 },
  })
  const all = [due, settled]
  await createInboxWriter({
    ...{ database, definitions: all, config, administratorRoleCodes, announce: () => {} },
  })(async (inbox) =>
    inbox.createTask(due, {
      ...words,
      ...{ deduplicationKey: 'due', source: sourceOf(), assignedTo: { userId: clerk } },
      dueAtUtc: '2999-07-01T10:00:00.000Z',
    }),
  )
  await change(sql`delete from work_center.mail_requests`)
  await change(sql`update work_center.tasks set reminds_at = now()`)
  const clock = createClock({
    database,
    definitions: all,
    config,
    administratorRoleCodes,
    announce: () => {},
  })
  await clock.runOnce(new AbortController().signal)
  await makeMailer(database, mailConfig(server.port)).run()
  expect(server.received.map(({ content }) => content.subject)).toEqual(['Notification: Something'])
})

test('thirty concurrent senders hand each mail over once', async () => {
  const server = await startMailServer()
  for (let count = 0; count < 20; count += 1) await addNotification([clerk, other])
  const pools = [database, desk.openPool(), desk.openPool()]
  const senders = Array.from({ length: 30 }, (_, index) =>
    makeMailer(pools[index % pools.length] as Database, mailConfig(server.port)).run(),
  )
  await Promise.all(senders)
  // A sender can leave requests to the sender that gathers at the same moment, which can end first.
  await makeMailer(database, mailConfig(server.port)).run()
  expect(server.received).toHaveLength(40)
  expect(new Set(server.received.map(({ content }) => content.messageId)).size).toBe(40)
  expect(await requestCount()).toBe(0)
})

test('only one replica gathers at a time, so that a digest is one mail', async () => {
  await addNotification()
  const first = await holdTransaction(database, gatherMails)
  await addNotification()
  expect(await database.statement(gatherMails)).toBe(0)
  expect(await first.commit()).toBe(1)
  expect(await database.statement(gatherMails)).toBe(1)
})

test('a request that another transaction holds delays no other mail', async () => {
  await addNotification([clerk, other])
  const held = await holdTransaction(database, (tx) =>
    tx.execute(sql`select from work_center.mail_requests where user_id = ${clerk}::uuid for update`),
  )
  expect(await database.statement(gatherMails)).toBe(1)
  await held.commit()
  expect(await database.statement(gatherMails)).toBe(1)
})

test('a refused mail is retried, and becomes a dead letter after its attempts; nothing logs or stores the address', async () => {
  const server = await startMailServer({
    onMail: () => {
      // Only a refused recipient is final: the next mail can have other contents.
      throw Object.assign(new Error('clerk@example.com is not known here'), { responseCode: 554 })
    },
  })
  const mailer = makeMailer(database, mailConfig(server.port, { maxAttempts: 3 }))
  const [health] = mailer.module.health ?? []
  const signal = new AbortController().signal
  await addTask()
  await mailer.run()
  expect(await mailsOf(database)).toMatchObject([
    { state: 'pending', attempts: 1, failure: { code: 'EMESSAGE' } },
  ])
  await mailer.run()
  expect(await mailsOf(database)).toMatchObject([{ state: 'pending', attempts: 1 }])
  for (let attempt = 2; attempt <= 3; attempt += 1) {
    await letMailTimePass(database)
    await mailer.run()
  }
  expect(await mailsOf(database)).toMatchObject([{ state: 'dead', attempts: 3 }])
  expect(await health?.check(signal)).toMatchObject({ status: 'Degraded', failedCount: 1, pendingCount: 0 })
  await letMailTimePass(database)
  await mailer.run()
  expect(await mailsOf(database)).toMatchObject([{ state: 'dead', attempts: 3 }])
  const written = JSON.stringify([mailer.logged, await mailsOf(database)])
  expect(mailer.logged).toHaveLength(3)
  for (const secret of ['clerk@example.com', 'Secret', 'not known']) expect(written).not.toContain(secret)
})

test('a mail whose recipient the server refuses for good is a dead letter at once', async () => {
  let responseCode = 450
  const server = await startMailServer({
    onRcptTo: (_address, _session, callback) =>
      callback(Object.assign(new Error('clerk@example.com is unknown'), { responseCode })),
  })
  const mailer = makeMailer(database, mailConfig(server.port))
  await addTask()
  await mailer.run()
  expect(await mailsOf(database)).toMatchObject([
    { state: 'pending', attempts: 1, failure: { code: 'EENVELOPE', responseCode: 450 } },
  ])
  responseCode = 550
  await letMailTimePass(database)
  await mailer.run()
  expect(await mailsOf(database)).toMatchObject([
    { state: 'dead', attempts: 2, failure: { code: 'EENVELOPE', responseCode: 550 } },
  ])
  expect(JSON.stringify([mailer.logged, await mailsOf(database)])).not.toContain('clerk@')
})

test('sent and skipped mails are deleted after their retention; dead letters stay', async () => {
  const server = await startMailServer()
  const { run, retention } = makeMailer(database, mailConfig(server.port, { retentionMs: 60_000 }))
  await addTask({ roleCode: 'trade.clerk' })
  await run()
  await change(sql`update work_center.mails set state = 'dead' where user_id = ${other}::uuid`)
  await retention.runOnce(new AbortController().signal)
  expect(await statesOf(database)).toHaveLength(2)
  await change(sql`update work_center.mails set state_since = now() - interval '61 s'`)
  await retention.runOnce(new AbortController().signal)
  expect(await statesOf(database)).toEqual(['dead'])
})
