import { createHmac } from 'node:crypto'
import type { Database } from '@vertical-kit/core-audit/database'
import { expectJson, openTestHost, type TestHost } from '@vertical-kit/core-audit/testing'
import { sql } from 'drizzle-orm/sql'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Preference } from '../../src/contract.ts'
import { WorkCenterError } from '../../src/errors.ts'
import { createMail } from '../../src/mail/mail.ts'
import { signUnsubscription } from '../../src/mail/unsubscribe-token.ts'
import { workCenterRoutes } from '../../src/routes.ts'
import { teamRoutes } from '../../src/team-routes.ts'
import { config as desk } from '../desk.ts'
import { openDatabase } from '../harness.ts'
import { addTask } from '../items.ts'
import { addPerson, addTradeRoles, type Person } from '../people.ts'
import { startMailServer } from './mail-server.ts'
import { collectPayment, definitions, mailConfig, makeMailer, quiet, settled } from './mailer.ts'

let host: TestHost
let clerk: Person
let closeDatabase: () => Promise<void>
const retired = 'the previous secret of 32 characters'
const config = mailConfig(25, { previousUnsubscribeSecret: async () => retired })
beforeAll(async () => {
  const fresh = await openDatabase()
  closeDatabase = () => fresh.drop()
  const administratorRoleCodes: string[] = []
  host = await openTestHost({
    databaseUrl: fresh.url,
    modules: (database: Database) => [
      {
        name: 'work-center',
        errors: [WorkCenterError],
        router: workCenterRoutes({ database, definitions, administratorRoleCodes, announce: () => {} }).route(
          '/',
          teamRoutes({ database, config: desk, definitions, administratorRoleCodes, announce: () => {} }),
        ),
      },
      createMail({ database, workCenter: { definitions }, config, identity: { administratorRoleCodes } }),
    ],
  })
  await addTradeRoles(host.database)
  clerk = await addPerson(host, ['trade.clerk'])
})
afterAll(async () => {
  await host.close()
  await closeDatabase()
})

const preferencesOf = async ({ request }: Person) =>
  expectJson<Preference[]>(await request('GET', '/api/me/notification-preferences'))
const mailsOn = async (person: Person) =>
  (await preferencesOf(person)).flatMap(({ code, channel, isEnabled }) =>
    channel === 'Email' && isEnabled ? [code] : [],
  )
const switchOn = (code: string, isEnabled = true) =>
  clerk.request('PUT', '/api/me/notification-preferences', {
    body: { preferences: [{ code, channel: 'Email', isEnabled }] },
  })
const link = async (code: string | null) => {
  const token = signUnsubscription(await config.unsubscribeSecret(), { userId: clerk.userId, code })
  return `/mail/unsubscribe?token=${token}`
}

test('users have one preference for each definition and channel, and can switch each mail on and off', async () => {
  const preferences = await preferencesOf(clerk)
  expect(preferences.map(({ code, channel }) => `${code} ${channel}`)).toEqual(
    definitions.flatMap(({ code }) => [`${code} InApp`, `${code} Email`]),
  )
  expect(preferences.find(({ code, channel }) => code === quiet.code && channel === 'Email')).toMatchObject({
    ...{ isEnabled: false, defaultEnabled: false, userCanDisable: true, isMandatory: false },
  })
  expect(await mailsOn(clerk)).toEqual([collectPayment.code, settled.code])
  expect((await switchOn(quiet.code)).status).toBe(200)
  expect(await mailsOn(clerk)).toEqual([collectPayment.code, settled.code, quiet.code])
  expect((await switchOn(quiet.code, false)).status).toBe(200)
})

test('the link changes nothing when it is opened, and one POST without a sign-in switches the mails off', async () => {
  const path = await link(settled.code)
  const page = await host.app.request(path)
  expect(page.status).toBe(200)
  expect(await page.text()).toContain('<form method="post">')
  expect(page.headers.get('content-security-policy')).toContain("default-src 'none'")
  expect(await mailsOn(clerk)).toContain(settled.code)

  // The request of a mail program (RFC 8058).
  const oneClick = { method: 'POST', body: new URLSearchParams({ 'List-Unsubscribe': 'One-Click' }) }
  for (let count = 0; count < 2; count += 1) {
    expect((await host.app.request(path, oneClick)).status).toBe(200)
    expect(await mailsOn(clerk)).toEqual([collectPayment.code])
  }
  await switchOn(settled.code)
})

test('the link of a digest switches all mails off, also after 30 simultaneous requests', async () => {
  const path = await link(null)
  const responses = await Promise.all(
    Array.from({ length: 30 }, () => host.app.request(path, { method: 'POST' })),
  )
  expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200]))
  expect(await mailsOn(clerk)).toEqual([])
  for (const { code } of [collectPayment, settled]) await switchOn(code)
})

test('a link that the previous secret has signed stays valid', async () => {
  const token = signUnsubscription(retired, { userId: clerk.userId, code: settled.code })
  expect((await host.app.request(`/mail/unsubscribe?token=${token}`, { method: 'POST' })).status).toBe(200)
  expect(await mailsOn(clerk)).toEqual([collectPayment.code])
  await switchOn(settled.code)
})

test('a link with another signature, user or definition is refused and changes nothing', async () => {
  const valid = await link(settled.code)
  const token = valid.slice(valid.indexOf('=') + 1)
  const [payload = '', signature = ''] = token.split('.')
  const otherPayload = Buffer.from(JSON.stringify([clerk.userId, null])).toString('base64url')
  const otherSecret = signUnsubscription('another secret of 32 characters!', {
    userId: clerk.userId,
    code: settled.code,
  })
  const forged = [
    '',
    '.',
    payload,
    `${payload}.`,
    `${otherPayload}.${signature}`,
    `${token}.x`,
    otherSecret,
    // The same secret can sign other things.
    `${payload}.${createHmac('sha256', await config.unsubscribeSecret())
      .update(payload)
      .digest('base64url')}`,
    `${payload}.%00`,
  ]
  for (const one of forged) {
    const path = `/mail/unsubscribe?token=${one}`
    expect((await host.app.request(path, { method: 'POST' })).status).toBe(400)
    expect((await host.app.request(path)).status).toBe(400)
  }
  expect((await host.app.request('/mail/unsubscribe', { method: 'POST' })).status).toBe(400)
  expect(await mailsOn(clerk)).toEqual([collectPayment.code, settled.code])
})

test('users set when they receive mails, and invalid settings are refused', async () => {
  const path = '/api/me/mail-settings'
  expect(await expectJson(await clerk.request('GET', path))).toEqual({
    ...{ delivery: 'Immediately', timeZone: 'UTC', dailyHour: 7 },
  })
  const settings = { delivery: 'Daily', timeZone: 'Asia/Tokyo', dailyHour: 18 }
  expect(await expectJson(await clerk.request('PUT', path, { body: settings }))).toEqual(settings)
  expect(await expectJson(await clerk.request('GET', path))).toEqual(settings)
  // PostgreSQL would read it as an offset without daylight saving time.
  const short = await clerk.request('PUT', path, { body: { ...settings, timeZone: 'CET' } })
  expect(await expectJson(short)).toEqual({ ...settings, timeZone: 'Europe/Brussels' })
  expect(await expectJson(await clerk.request('PUT', path, { body: settings }))).toEqual(settings)
  for (const wrong of [
    { delivery: 'Weekly' },
    { timeZone: 'Mars/Olympus' },
    { timeZone: '+01:00' },
    { dailyHour: 24 },
    { dailyHour: 7.5 },
  ]) {
    const response = await clerk.request('PUT', path, { body: { ...settings, ...wrong } })
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({ code: 'request.invalid' })
  }
  expect(await expectJson(await clerk.request('GET', path))).toEqual(settings)
  const newcomer = await host.as({ subject: 'newcomer', permissions: [] })
  expect(await expectJson(await newcomer('GET', path))).toMatchObject({ delivery: 'Immediately' })
})

test('the settings of a user are not those of another user', async () => {
  const [row] = await host.database.read((db) =>
    db.execute<{ count: number }>(sql`
      select count(*)::int from work_center.mail_settings where user_id = ${clerk.userId}::uuid`),
  )
  expect(row?.count).toBe(1)
  const other = await addPerson(host, ['trade.clerk'])
  expect(await expectJson(await other.request('GET', '/api/me/mail-settings'))).toMatchObject({
    timeZone: 'UTC',
  })
})

test('a user who receives a forwarded task receives a mail, unless the user already saw the task', async () => {
  const receiver = await startMailServer()
  const colleague = await addPerson(host, ['trade.clerk'])
  const mailer = makeMailer(host.database, mailConfig(receiver.port))
  const id = await addTask(host.database, {
    definition: collectPayment,
    assignedTo: { userId: clerk.userId },
  })
  await host.database.statement((tx) => tx.execute(sql`delete from work_center.mail_requests`))
  const forward = (to: object, expectedVersion: number) =>
    clerk.request('POST', `/api/work-center/tasks/${id}/forward`, {
      body: { expectedVersion, to, comment: null },
    })
  expect((await forward({ userId: colleague.userId }, 1)).status).toBe(204)
  await mailer.run()
  expect(receiver.received.map(({ to }) => to[0])).toEqual([`${colleague.subject}@example.com`])

  const shared = await addTask(host.database, { definition: collectPayment })
  await host.database.statement((tx) => tx.execute(sql`delete from work_center.mail_requests`))
  const body = { expectedVersion: 1, to: { userId: colleague.userId }, comment: null }
  expect((await clerk.request('POST', `/api/work-center/tasks/${shared}/forward`, { body })).status).toBe(204)
  await mailer.run()
  expect(receiver.received).toHaveLength(1)
})
