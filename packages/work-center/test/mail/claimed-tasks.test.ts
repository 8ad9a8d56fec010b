import { sql } from 'drizzle-orm/sql'
import { expect, onTestFinished, test } from 'vitest'
import { gatherMails } from '../../src/mail/commands/gather-mails.ts'
import { requestAgain } from '../../src/mail/commands/request-again.ts'
import { setMailSettings } from '../../src/mail/commands/set-mail-settings.ts'
import { addTask, change, clerk, database, openMailDesk, requestCount } from './mail-desk.ts'
import { startMailServer } from './mail-server.ts'
import { collectPayment, letMailTimePass, mailConfig, makeMailer, statesOf, writerOf } from './mailer.ts'

openMailDesk()

/** Sets whether the clerk sees the task, as a claim of another user and its end do. */
const setVisible = (isVisible: boolean, key: string) =>
  change(sql`
    update work_center.entries set is_visible = ${isVisible}
    where user_id = ${clerk}::uuid
      and item_id = (select id from work_center.tasks where deduplication_key = ${key})`)

test('a mail waits while another user has claimed the task, and is sent when the claim ends', async () => {
  const server = await startMailServer()
  const mailer = makeMailer(database, mailConfig(server.port))
  const received = () => server.received.flatMap(({ to }) => to)
  await addTask({ roleCode: 'trade.clerk' }, 'claimed')
  await setVisible(false, 'claimed')
  for (const _ of ['requested', 'later']) {
    await mailer.run()
    expect(received()).toEqual(['other@example.com'])
    expect(await requestCount()).toBe(1)
    await letMailTimePass(database)
  }
  await setVisible(true, 'claimed')
  await mailer.run()
  expect(received()).toEqual(['other@example.com', 'clerk@example.com'])
  expect(await requestCount()).toBe(0)
})

test('a mail that waits for the end of a claim is given up when the task is completed', async () => {
  const mailer = makeMailer(database, mailConfig((await startMailServer()).port))
  await addTask({ userId: clerk }, 'claimed')
  await setVisible(false, 'claimed')
  await mailer.run()
  expect(await requestCount()).toBe(1)
  await writerOf(database)(async (inbox) => inbox.completeTask(collectPayment, 'claimed'))
  await letMailTimePass(database)
  await mailer.run()
  expect([await requestCount(), await statesOf(database)]).toEqual([0, ['skipped']])
})

test('a digest that waits for the end of a claim keeps its hour', async () => {
  const server = await startMailServer()
  const mailer = makeMailer(database, mailConfig(server.port))
  const dailyHour = (new Date().getUTCHours() + 12) % 24
  const settings = { delivery: 'Daily', timeZone: 'UTC', dailyHour } as const
  await database.statement((tx) => setMailSettings(tx, { userId: clerk, settings }))
  await addTask({ userId: clerk }, 'claimed')
  await setVisible(false, 'claimed')
  await letMailTimePass(database)
  await mailer.run()
  const [request] = await database.read((db) =>
    db.execute(sql`select due_at > now() + interval '1 hour' as is_later from work_center.mail_requests`),
  )
  expect(request).toEqual({ is_later: true })
})

test('if another user claims a task after its mail was requested, a mail follows when the claim ends', async () => {
  const server = await startMailServer()
  const mailer = makeMailer(database, mailConfig(server.port))
  await addTask({ userId: clerk }, 'claimed')
  await database.statement((tx) => gatherMails(tx))
  await setVisible(false, 'claimed')
  await mailer.run()
  expect([await statesOf(database), server.received.length]).toEqual([['skipped'], 0])
  await setVisible(true, 'claimed')
  await letMailTimePass(database)
  await mailer.run()
  expect([server.received.length, await requestCount()]).toEqual([1, 0])
})

test('a request that exists keeps its time if another user has claimed its task', async () => {
  await addTask({ userId: clerk }, 'claimed')
  const [request] = await database.read((db) =>
    db.execute<{ item_id: string }>(sql`select item_id from work_center.mail_requests`),
  )
  const itemId = request?.item_id ?? ''
  await database.statement((tx) => requestAgain(tx, { userId: clerk, itemId }))
  expect(await database.statement(gatherMails)).toBe(1)
})

/** Lets the first attempt at a digest of two tasks fail. Another user then claims the task `held`. */
async function failedDigest() {
  let isDown = true
  const server = await startMailServer({
    onMail: () => {
      if (isDown) throw new Error('Try again later')
    },
  })
  const mailer = makeMailer(database, mailConfig(server.port))
  const settings = { delivery: 'Daily', timeZone: 'UTC', dailyHour: 7 } as const
  await database.statement((tx) => setMailSettings(tx, { userId: clerk, settings }))
  await addTask({ userId: clerk }, 'free')
  await addTask({ userId: clerk }, 'held')
  await letMailTimePass(database)
  await mailer.run()
  await setVisible(false, 'held')
  return {
    server,
    mailer,
    recover() {
      isDown = false
    },
  }
}

test('if another user has claimed a task of a digest at a later attempt, its mail follows when the claim ends', async () => {
  const { server, mailer, recover } = await failedDigest()
  await letMailTimePass(database)
  await mailer.run()
  expect(await requestCount()).toBe(0)
  recover()
  await letMailTimePass(database)
  await mailer.run()
  expect([server.received.length, await requestCount()]).toEqual([1, 1])
  await setVisible(true, 'held')
  await letMailTimePass(database)
  await mailer.run()
  expect([server.received.length, await requestCount()]).toEqual([2, 0])
})

test('a digest that the server has accepted is not sent again if the database fails for a moment', async () => {
  const { server, mailer, recover } = await failedDigest()
  await failFirstRequest()
  recover()
  await letMailTimePass(database)
  await mailer.run()
  expect([server.received.length, await requestCount(), await statesOf(database)]).toEqual([1, 1, ['sent']])
})

/** Lets the next request of a mail fail like a server that shuts down. A sequence keeps its value after the failure. */
async function failFirstRequest(): Promise<void> {
  await change(sql`create sequence work_center.requests_seen`)
  await change(sql`
    create function work_center.fail_first() returns trigger language plpgsql as $$
    begin
      if nextval('work_center.requests_seen') = 1 then
        raise exception 'shutting down' using errcode = '57P01';
      end if;
      return new;
    end $$`)
  await change(sql`
    create trigger fail_first before insert on work_center.mail_requests
    for each row execute function work_center.fail_first()`)
  onTestFinished(async () => {
    await change(sql`drop trigger fail_first on work_center.mail_requests`)
    await change(sql`drop function work_center.fail_first()`)
    await change(sql`drop sequence work_center.requests_seen`)
  })
}
