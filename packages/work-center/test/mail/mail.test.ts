import { recordStatements } from '@vertical-kit/core-audit/testing'
import { sql } from 'drizzle-orm/sql'
import { describe, expect, test } from 'vitest'
import { createInboxWriter, openInbox } from '../../src/inbox/inbox.ts'
import { setMailSettings } from '../../src/mail/commands/set-mail-settings.ts'
import type { MailTemplate } from '../../src/mail/template.ts'
import { administratorRoleCodes, config } from '../desk.ts'
import { sourceOf } from '../items.ts'
import { addUser, takeRole } from '../people.ts'
import {
  addTask,
  change,
  choose,
  clerk,
  database,
  openMailDesk,
  other,
  requestCount,
  words,
} from './mail-desk.ts'
import { startMailServer } from './mail-server.ts'
import {
  collectPayment,
  definitions,
  mailConfig,
  mailsOf,
  makeMailer,
  quiet,
  settled,
  statesOf,
  writerOf,
} from './mailer.ts'

openMailDesk()

test('a mail announces a new item to each recipient, and its subject and headers contain no data of the item', async () => {
  const server = await startMailServer()
  await addTask({ roleCode: 'trade.clerk' })
  await makeMailer(database, mailConfig(server.port), {
    itemUrl: () => 'https://app.example.com/work-center',
  }).run()
  expect(server.received.map(({ to }) => to).toSorted()).toEqual([
    ['clerk@example.com'],
    ['other@example.com'],
  ])
  const { content, source } = server.received.find(({ to }) => to[0] === 'clerk@example.com') ?? expect.fail()
  const [mail] = (await mailsOf(database)).filter(({ user_id }) => user_id === clerk)
  expect(content.subject).toBe('New task: Collect a payment')
  expect(content.messageId).toBe(`<${mail?.id}@example.com>`)
  expect(content.from).toEqual({ name: 'Trade', address: 'app@example.com' })
  const headers = new Map(content.headers.map(({ key, value }) => [key, value]))
  expect(headers.get('auto-submitted')).toBe('auto-generated')
  expect(headers.get('list-unsubscribe-post')).toBe('List-Unsubscribe=One-Click')
  const link = /^<(https:\/\/app\.example\.com\/mail\/unsubscribe\?token=[\w-]+\.[\w-]+)>$/.exec(
    headers.get('list-unsubscribe') ?? '',
  )?.[1]
  expect(link).toBeDefined()
  for (const text of [content.text, content.html]) {
    expect(text).toContain('https://app.example.com/work-center')
    expect(text).toContain(link)
    expect(text).toContain('due 1 Jul 2999, 10:00 (UTC)')
  }
  expect(content.text).toContain('Collect 100 € from Ms <Secret>\nIt is late & large.')
  expect(content.text).toContain('Collect a payment · SI-1 · Acme & Sons · due')
  expect(content.html).toContain('Collect 100 € from Ms &lt;Secret&gt;')
  const [head = ''] = source.split('\r\n\r\n')
  for (const word of ['Secret', 'SI-1', 'Acme']) expect(head).not.toContain(word)
  expect(await statesOf(database)).toEqual(['sent', 'sent'])
})

test('a mail shows when a task is due: the time in the time zone of its recipient, or the day', async () => {
  const server = await startMailServer()
  const settings = { delivery: 'Immediately', timeZone: 'Asia/Tokyo', dailyHour: 7 } as const
  await database.statement((tx) => setMailSettings(tx, { userId: clerk, settings }))
  await addTask()
  await writerOf(database)(async (inbox) =>
    inbox.createTask(collectPayment, {
      ...{ ...words, deduplicationKey: 'day', source: sourceOf(), assignedTo: { userId: clerk } },
      dueOn: '2999-07-02',
    }),
  )
  await makeMailer(database, mailConfig(server.port)).run()
  const dues = server.received.map(({ content }) => /due [^\n]*/.exec(content.text ?? '')?.[0])
  expect(dues.toSorted()).toEqual(['due 1 Jul 2999, 19:00 (Asia/Tokyo)', 'due 2999-07-02'])
})

test('a vertical can replace the texts of a mail', async () => {
  const server = await startMailServer()
  const template: MailTemplate = ({ items: [{ definitionName }], unsubscribeUrl }) => ({
    subject: `Neu: ${definitionName}\r\nBcc: other@example.com`,
    text: `Abmelden: ${unsubscribeUrl}`,
    html: `<a href="${unsubscribeUrl}">Abmelden</a>`,
  })
  await addTask()
  await makeMailer(database, mailConfig(server.port), { template }).run()
  const [mail] = server.received
  expect(mail?.content.text).toMatch(/^Abmelden: https:/)
  expect(mail?.to).toEqual(['clerk@example.com'])
  // A line break in a subject adds no header.
  expect(mail?.content.headers.some(({ key }) => key === 'bcc')).toBe(false)
})

test('an item without mail costs no statement and no row, and users receive only the mails that they chose', async () => {
  const record = recordStatements()
  const write = createInboxWriter({
    ...{ database: record.observe(database), config, administratorRoleCodes, announce: () => {} },
    ...{ definitions, channels: ['InApp'] },
  })
  await write(async (inbox) => {
    const about = { ...words, deduplicationKey: 'plain', source: sourceOf() }
    inbox.createTask(collectPayment, { ...about, assignedTo: { roleCode: 'trade.clerk' } })
    inbox.createNotification(settled, about)
  })
  expect(record.count).toBeGreaterThan(2)
  const mentioning = record.statements.filter(({ queryChunks }) => /mail/i.test(JSON.stringify(queryChunks)))
  expect(mentioning).toEqual([])
  expect(await requestCount()).toBe(0)

  await choose(other, settled.code, false)
  await choose(clerk, quiet.code, true)
  await writerOf(database)(async (inbox) => {
    for (const definition of [settled, quiet]) {
      inbox.createNotification(definition, { ...words, deduplicationKey: 'one', source: sourceOf() })
    }
  })
  const requests = await database.read((db) =>
    db.execute<{ user_id: string; code: string }>(sql`
      select r.user_id, n.code
      from work_center.mail_requests r
      join work_center.notifications n on n.id = r.item_id
      order by n.code`),
  )
  expect(requests).toEqual([
    { user_id: clerk, code: settled.code },
    { user_id: clerk, code: quiet.code },
  ])
})

describe('a mail is skipped if at the moment of sending', () => {
  const entries = (set: string) =>
    sql`update work_center.entries set ${sql.raw(set)} where user_id = ${clerk}::uuid`
  type Step = () => Promise<unknown>
  const cases: [string, Step, Step?][] = [
    ['the item was read', () => change(entries('read_at = now()'))],
    ['the item was dismissed or closed', () => change(entries('is_open = false'))],
    ['the item is snoozed', () => change(entries(`snoozed_until = now() + interval '1 hour'`))],
    ['the item was deleted', () => change(sql`delete from work_center.entries`)],
    ['the user has switched these mails off', () => choose(clerk, collectPayment.code, false)],
    [
      'the user has lost the permission to view the source',
      () => change(sql`update core_audit.roles set permissions = '{}' where code = 'trade.clerk'`),
      () =>
        change(sql`
          update core_audit.roles set permissions = (
            select permissions from core_audit.roles where code = 'trade.manager'
          ) where code = 'trade.clerk'`),
    ],
    [
      'the user is inactive',
      () => change(sql`update core_audit.users set is_active = false where id = ${clerk}::uuid`),
      () => change(sql`update core_audit.users set is_active = true where id = ${clerk}::uuid`),
    ],
    [
      'the user has no valid address',
      () =>
        change(
          sql`update core_audit.users set email = 'a@example.com, b@example.com' where id = ${clerk}::uuid`,
        ),
      () => change(sql`update core_audit.users set email = 'clerk@example.com' where id = ${clerk}::uuid`),
    ],
  ]
  test.each(cases)('%s', async (_, prevent, restore) => {
    const server = await startMailServer()
    const mailer = makeMailer(database, mailConfig(server.port))
    await addTask()
    await prevent()
    await mailer.run()
    await restore?.()
    expect(server.received).toEqual([])
    expect(await statesOf(database)).toEqual(['skipped'])
    // The mail stays skipped, and the next item is announced.
    await choose(clerk, collectPayment.code, true)
    await addTask()
    await mailer.run()
    expect(server.received).toHaveLength(1)
  })

  test('the user has lost the role of an unclaimed task', async () => {
    const server = await startMailServer()
    const leaver = await addUser(database, 'leaver', ['trade.clerk', 'trade.manager'])
    await addTask({ roleCode: 'trade.clerk' })
    await takeRole(database, { userId: leaver }, 'trade.clerk')
    await makeMailer(database, mailConfig(server.port)).run()
    expect(server.received.map(({ to }) => to[0]).toSorted()).toEqual([
      'clerk@example.com',
      'other@example.com',
    ])
  })
})

test('a mail follows the state and the choices of its own recipient, in the channel of mails', async () => {
  const server = await startMailServer()
  await addTask({ roleCode: 'trade.clerk' })
  await change(sql`update work_center.entries set read_at = now() where user_id = ${clerk}::uuid`)
  await choose(other, collectPayment.code, true)
  await change(sql`
    insert into work_center.preferences (user_id, code, channel, is_enabled)
    values (${other}::uuid, ${collectPayment.code}, 'InApp', false)`)
  await makeMailer(database, mailConfig(server.port)).run()
  expect(server.received.map(({ to }) => to)).toEqual([['other@example.com']])
})

test('a user with all permissions receives mails', async () => {
  const server = await startMailServer()
  const roles = ['trade.clerk', 'trade.administrator']
  const administrator = await addUser(database, 'administrator', roles)
  for (const userId of [clerk, administrator]) await addTask({ userId })
  await change(sql`update work_center.entries set view_permission = 'document.trade.unknown.view'`)
  await makeMailer(database, mailConfig(server.port)).run()
  await takeRole(database, { userId: administrator }, 'trade.clerk')
  expect(server.received.map(({ to }) => to)).toEqual([['administrator@example.com']])
})

test('a task that is reopened is announced again, with another Message-ID', async () => {
  const server = await startMailServer()
  const mailer = makeMailer(database, mailConfig(server.port))
  await addTask({ userId: clerk }, 'again')
  await mailer.run()
  await addTask({ userId: clerk }, 'again')
  await mailer.run()
  expect(server.received).toHaveLength(1)
  await writerOf(database)(async (inbox) => inbox.completeTask(collectPayment, 'again'))
  await addTask({ userId: clerk }, 'again')
  await mailer.run()
  expect(new Set(server.received.map(({ content }) => content.messageId)).size).toBe(2)
})

test('a new member of a role receives mails for its unclaimed tasks', async () => {
  const server = await startMailServer()
  await addTask({ roleCode: 'trade.clerk' })
  await change(sql`delete from work_center.mail_requests`)
  const joiner = await addUser(database, 'joiner', ['trade.clerk'])
  await database.transaction(async (tx) => {
    const inbox = openInbox(tx, { definitions, config, administratorRoleCodes })
    inbox.changeAccess({ userId: joiner })
    await inbox.finish()
  })
  await makeMailer(database, mailConfig(server.port)).run()
  expect(server.received.map(({ to }) => to[0])).toEqual(['joiner@example.com'])
  await takeRole(database, { userId: joiner }, 'trade.clerk')
})
