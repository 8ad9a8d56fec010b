import { sql } from 'drizzle-orm/sql'
import { describe, expect, test } from 'vitest'
import { createClock } from '../../src/clock.ts'
import { openInbox } from '../../src/inbox/inbox.ts'
import { definitions, settled } from '../definitions.ts'
import { administratorRoleCodes, config } from '../desk.ts'
import { done, page } from '../harness.ts'
import { addTask, sourceOf, versions } from '../items.ts'
import { addPerson, type Person } from '../people.ts'
import { clara, host, max, move, named, openAbsence } from './absence.ts'

openAbsence()

const versionOf = async ({ userId }: Person) => (await versions(host.database)).get(userId) ?? 0

test('naming another substitute after the end of the period raises the versions of both, before the clock has passed the end', async () => {
  const other = await addPerson(host, ['trade.clerk'])
  await named(clara, max)
  await move('until_at', -0.05)
  const before = [await versionOf(max), await versionOf(other)] as const
  const { fromUtc } = await named(clara, other)
  expect([await versionOf(max), await versionOf(other)]).toEqual(before.map((version) => version + 1))
  const [event] = await host.database.read((db) =>
    db.execute(sql`
      select changes from core_audit.audit_events where target_id = ${clara.userId}::uuid order by id desc limit 1`),
  )
  // The ended substitution is no former value of the change.
  expect(event).toMatchObject({
    changes: expect.arrayContaining([
      { fieldPath: 'substituteUserId', oldValue: null, newValue: other.userId },
      { fieldPath: 'substituteFromUtc', oldValue: null, newValue: fromUtc },
    ]),
  })
})

describe.each([
  ['reads', (id: string) => done(clara.request, 'tasks', id, 'read')],
  ['claims', (id: string) => done(clara.request, 'tasks', id, 'claim', { expectedVersion: 1 })],
  [
    'claims and releases',
    async (id: string) => {
      await done(clara.request, 'tasks', id, 'claim', { expectedVersion: 1 })
      await done(clara.request, 'tasks', id, 'release', { expectedVersion: 2 })
    },
  ],
  [
    'marks all items as read, with',
    async () => {
      const { readThrough: through } = await page(clara.request)
      await clara.request('POST', '/api/work-center/read-all', { body: { filters: {}, through } })
    },
  ],
])('a user %s a task', (_what, change) => {
  test('whose source the substitute may view: the versions of both grow', async () => {
    const id = await addTask(host.database)
    await named(clara, max)
    const before = [await versionOf(clara), await versionOf(max)] as const
    await change(id)
    expect(await versionOf(clara)).toBeGreaterThan(before[0])
    expect(await versionOf(max)).toBeGreaterThan(before[1])
  })

  test('whose source the substitute may not view: only the version of the user grows', async () => {
    const id = await addTask(host.database, { source: sourceOf('crm.ticket') })
    await named(clara, max)
    const before = [await versionOf(clara), await versionOf(max)] as const
    await change(id)
    expect(await versionOf(clara)).toBeGreaterThan(before[0])
    expect(await versionOf(max)).toBe(before[1])
  })
})

test('changes before the start and after the end of the period do not raise the version of the substitute', async () => {
  const id = await addTask(host.database)
  await named(clara, max, 1, 2)
  const before = await versionOf(max)
  await done(clara.request, 'tasks', id, 'read')
  expect(await versionOf(max)).toBe(before)
  await move('from_at', -2)
  await move('until_at', -1)
  await done(clara.request, 'tasks', id, 'unread')
  expect(await versionOf(max)).toBe(before)
})

test('changes of notifications, which stay private, do not raise the version of the substitute', async () => {
  await named(clara, max)
  const clock = createClock({
    ...{ database: host.database, definitions, config, administratorRoleCodes, announce: () => {} },
  })
  await clock.runOnce(new AbortController().signal)
  const before = [await versionOf(clara), await versionOf(max)] as const
  await host.database.transaction(async (tx) => {
    const inbox = openInbox(tx, { definitions, config, administratorRoleCodes })
    const about = { title: 'SI-1 is settled', source: sourceOf(), to: { roleCodes: ['trade.clerk'] } }
    inbox.createNotification(settled, { ...about, deduplicationKey: 'private' })
    await inbox.finish()
  })
  const [{ id } = expect.fail()] = (await page(clara.request, 'tab=notifications')).items
  for (const verb of ['read', 'unread', 'dismiss', 'restore'] as const) {
    await done(clara.request, 'notifications', id, verb)
  }
  const { readThrough: through } = await page(clara.request)
  await clara.request('POST', '/api/work-center/read-all', { body: { filters: {}, through } })
  await host.database.transaction((tx) =>
    tx.execute(sql`
      update work_center.entries set changes_at = now() - interval '1 s' where item_id = ${id}::uuid`),
  )
  await clock.runOnce(new AbortController().signal)
  expect(await versionOf(clara)).toBe(before[0] + 7)
  expect(await versionOf(max)).toBe(before[1])
})

test('a substitute whose token alone permits them to view the source gets a version for each of their own changes', async () => {
  const id = await addTask(host.database, { source: sourceOf('crm.ticket') })
  await named(clara, max)
  const asAdministrator = await host.as({ subject: max.subject, roles: ['platform-admin'] })
  const before = await versionOf(max)
  await done(asAdministrator, 'tasks', id, 'read')
  expect(await versionOf(max)).toBe(before + 1)
  await done(asAdministrator, 'tasks', id, 'claim', { expectedVersion: 1 })
  expect(await versionOf(max)).toBe(before + 2)
  await done(asAdministrator, 'tasks', id, 'release', { expectedVersion: 2 })
  expect(await versionOf(max)).toBe(before + 3)
  const to = { userId: clara.userId }
  await done(asAdministrator, 'tasks', id, 'forward', { expectedVersion: 3, to, comment: null })
  expect(await versionOf(max)).toBe(before + 4)
})

test.each([
  ['a user', () => clara],
  ['the substitute, who has no own items', () => max],
])(
  'a change of access of %s raises the version of the substitute, who sees other tasks afterwards',
  async (...row) => {
    const [, changed] = row
    await addTask(host.database)
    await named(clara, max)
    const before = await versionOf(max)
    await host.database.transaction(async (tx) => {
      const inbox = openInbox(tx, { definitions, config, administratorRoleCodes })
      inbox.changeAccess({ userId: changed().userId })
      await inbox.finish()
    })
    expect(await versionOf(max)).toBe(before + 1)
  },
)
