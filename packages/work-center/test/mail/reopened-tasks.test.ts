import { holdTransaction, untilBlocked } from '@vertical-kit/core-audit/testing'
import { sql } from 'drizzle-orm/sql'
import { expect, test } from 'vitest'
import { openInbox } from '../../src/inbox/inbox.ts'
import { gatherMails } from '../../src/mail/commands/gather-mails.ts'
import { setMailSettings } from '../../src/mail/commands/set-mail-settings.ts'
import { administratorRoleCodes, config } from '../desk.ts'
import { sourceOf } from '../items.ts'
import { addTask, change, clerk, database, openMailDesk, requestCount, words } from './mail-desk.ts'
import { startMailServer } from './mail-server.ts'
import {
  collectPayment,
  definitions,
  letMailTimePass,
  mailConfig,
  mailsOf,
  makeMailer,
  writerOf,
} from './mailer.ts'

openMailDesk()

const complete = (key: string) => writerOf(database)(async (inbox) => inbox.completeTask(collectPayment, key))

test('a task that is reopened while its earlier request is gathered is announced', async () => {
  const server = await startMailServer()
  const mailer = makeMailer(database, mailConfig(server.port))
  await addTask({ userId: clerk }, 'again')
  await complete('again')
  const reopening = await holdTransaction(database, async (tx) => {
    const inbox = openInbox(tx, { definitions, config, administratorRoleCodes })
    inbox.createTask(collectPayment, {
      ...words,
      ...{ deduplicationKey: 'again', source: sourceOf(), assignedTo: { userId: clerk } },
    })
    await inbox.finish()
  })
  // The sender still reads a closed task.
  await mailer.run()
  expect(server.received).toEqual([])
  expect(await requestCount()).toBe(1)
  await reopening.commit()
  await mailer.run()
  expect(server.received.map(({ to }) => to)).toEqual([['clerk@example.com']])
  expect(await requestCount()).toBe(0)
})

test('a task that is reopened while its mail waits for another attempt is announced once', async () => {
  let isRefusing = true
  const server = await startMailServer({
    onMail: () => {
      if (isRefusing) throw new Error('Try again later')
    },
  })
  const mailer = makeMailer(database, mailConfig(server.port, { maxAttempts: 2 }))
  await addTask({ userId: clerk }, 'again')
  await mailer.run()
  await complete('again')
  await addTask({ userId: clerk }, 'again')
  await mailer.run()
  // The new opening has all attempts.
  await letMailTimePass(database)
  await mailer.run()
  isRefusing = false
  await letMailTimePass(database)
  await mailer.run()
  expect(server.received.map(({ to }) => to)).toEqual([['clerk@example.com']])
  expect(await requestCount()).toBe(0)
})

/** Lets the first attempt at the mail of a task fail, and reopens the task. */
async function reopenAfterFailure() {
  const server = await startMailServer({
    onMail: () => {
      throw new Error('Try again later')
    },
  })
  const mailer = makeMailer(database, mailConfig(server.port))
  await addTask({ userId: clerk }, 'again')
  await mailer.run()
  await complete('again')
  await addTask({ userId: clerk }, 'again')
  return mailer
}

test('the request of a task that is reopened stays if an attempt of its earlier mail begins', async () => {
  await reopenAfterFailure()
  const beginning = await holdTransaction(database, (tx) =>
    tx.execute(sql`update work_center.mails set lease_token = gen_random_uuid()`),
  )
  const gathering = database.statement(gatherMails)
  await Promise.all([gathering, untilBlocked(database).then(beginning.commit)])
  expect([await gathering, await requestCount()]).toEqual([0, 1])
})

test('a reopened task that another user has claimed adds no attempts to its earlier mail', async () => {
  const mailer = await reopenAfterFailure()
  await change(sql`update work_center.entries set is_visible = false`)
  await mailer.run()
  expect(await mailsOf(database)).toMatchObject([{ state: 'pending', attempts: 1 }])
  expect(await requestCount()).toBe(1)
})

const receiveDigests = () => {
  const settings = { delivery: 'Daily', timeZone: 'Europe/Vienna', dailyHour: 7 } as const
  return database.statement((tx) => setMailSettings(tx, { userId: clerk, settings }))
}

test('tasks of one digest that are reopened while it waits for another attempt are announced once', async () => {
  let isRefusing = true
  const server = await startMailServer({
    onMail: () => {
      if (isRefusing) throw new Error('Try again later')
    },
  })
  const mailer = makeMailer(database, mailConfig(server.port))
  await receiveDigests()
  const runLater = async () => {
    await letMailTimePass(database)
    await mailer.run()
  }
  const keys = ['one', 'two', 'three']
  for (const key of keys) await addTask({ userId: clerk }, key)
  await runLater()
  for (const key of keys) {
    await complete(key)
    await addTask({ userId: clerk }, key)
  }
  isRefusing = false
  await runLater()
  await runLater()
  expect(server.received).toHaveLength(1)
  expect(await requestCount()).toBe(0)
})

test('reopening a task does not move its mail from a digest that is due to the next one', async () => {
  const server = await startMailServer()
  await receiveDigests()
  await addTask({ userId: clerk }, 'again')
  await letMailTimePass(database)
  await complete('again')
  await addTask({ userId: clerk }, 'again')
  await makeMailer(database, mailConfig(server.port)).run()
  expect(server.received.map(({ content }) => content.subject)).toEqual(['Your new tasks and notifications'])
})
