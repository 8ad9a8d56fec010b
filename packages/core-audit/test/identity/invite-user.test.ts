import type { User, UserPage } from '@vertical-kit/core-audit/contract'
import type { AccessChangedData } from '@vertical-kit/core-audit/identity'
import { holdTransaction, type TestRequest, untilBlocked } from '@vertical-kit/core-audit/testing'
import { sql } from 'drizzle-orm/sql'
import { expect, test } from 'vitest'
import { administratorRoleCode, everyPermission, json, problem, useSecurityHost } from './harness.ts'

const host = useSecurityHost()

const invitation = (subject: string, rest: object = {}) => ({
  subject,
  email: `${subject}@example.com`,
  displayName: `Name of ${subject}`,
  roleIds: [],
  ...rest,
})
const send = (request: TestRequest, body: object) => request('POST', '/api/security/users', { body })
const invite = (subject: string, rest: object = {}) => send(host.root, invitation(subject, rest))
const access = async (request: TestRequest) => json(await request('GET', '/api/security/me/access'))
const accessChanges = async () =>
  (
    await host.database.read((db) =>
      db.execute<{ data: AccessChangedData }>(
        sql`select data from core_audit.outbox_events where type = 'security.access.changed' order by id`,
      ),
    )
  ).map(({ data }) => data)
const subjects = async (request: TestRequest) =>
  (await json<UserPage>(await request('GET', '/api/security/users?limit=100'))).items.map((u) => u.subject)

test('an invited person has the assigned roles from the first request on', async () => {
  const role = await host.makeRole('invited', ['system.roles.view'])
  const response = await invite('ada', { roleIds: [role.id.toUpperCase(), role.id] })
  expect(response.status).toBe(201)
  const user = await json<User>(response)
  expect(user).toEqual({
    id: expect.any(String),
    subject: 'ada',
    email: 'ada@example.com',
    displayName: 'Name of ada',
    isActive: true,
    roles: [{ id: role.id, code: 'invited', name: 'invited' }],
    createdAtUtc: expect.any(String),
    updatedAtUtc: expect.any(String),
  })
  expect(await json<User>(await host.root('GET', `/api/security/users/${user.id}`))).toEqual(user)
  const ada = await host.as({ subject: 'ada', name: 'Ada' })
  expect((await ada('GET', '/api/security/roles')).status).toBe(200)
  expect(await access(ada)).toMatchObject({ userId: user.id, permissions: ['system.roles.view'] })
  expect(await accessChanges()).toContainEqual({ userId: user.id })
})

test('an invitation is audited with its author', async () => {
  const role = await host.makeRole('audited')
  const { id } = await json<User>(await invite('audited', { email: null, roleIds: [role.id] }))
  expect(await host.eventsOf(id)).toEqual([
    {
      module: 'core-audit',
      target_kind: 'User',
      target_type_code: 'system.user',
      action_code: 'users.created',
      actor_user_id: host.rootId,
      correlation_id: expect.any(String),
      changes: [
        { fieldPath: 'subject', oldValue: null, newValue: 'audited' },
        { fieldPath: 'displayName', oldValue: null, newValue: 'Name of audited' },
        { fieldPath: 'roles', oldValue: null, newValue: ['audited'] },
      ],
    },
  ])
})

test('an invitation without roles writes no access event, and the user is listed', async () => {
  const before = await accessChanges()
  await json<User>(await invite('roleless'))
  expect(await accessChanges()).toEqual(before)
  const officer = await host.as({ subject: 'lister', permissions: ['system.users.view'] })
  expect(await subjects(officer)).toContain('roleless')
})

test('a subject with a user record cannot be invited, even if the user is deactivated or sent no request yet', async () => {
  const { id } = await json<User>(await invite('taken'))
  await json(await host.root('POST', `/api/security/users/${id}/deactivate`))
  await host.makeUser('known')
  for (const subject of ['taken', 'known']) {
    expect(await problem(await invite(subject))).toMatchObject({
      status: 409,
      code: 'users.subject_taken',
      context: { subject },
    })
  }
})

test('only one of several concurrent invitations of a subject succeeds', async () => {
  const role = await host.makeRole('contested')
  const responses = await Promise.all(
    Array.from({ length: 8 }, () => invite('contested', { roleIds: [role.id] })),
  )
  expect(responses.map(({ status }) => status).toSorted()).toEqual([201, ...Array(7).fill(409)])
  expect((await subjects(host.root)).filter((subject) => subject === 'contested')).toHaveLength(1)
})

test('an invitation with an unknown role reports this role and creates no user', async () => {
  const roleIds = ['019a0000-0000-7000-8000-000000000000']
  expect(await problem(await invite('nobody', { roleIds }))).toMatchObject({
    status: 400,
    code: 'request.invalid',
    errors: [{ path: 'roleIds.0', message: 'is not a role' }],
  })
  expect(await subjects(host.root)).not.toContain('nobody')
})

test('only administrators can invite a user with an administrator role', async () => {
  const role = await host.makeRole(administratorRoleCode)
  const officer = await host.as({ subject: 'officer', permissions: everyPermission })
  const body = invitation('boss', { roleIds: [role.id] })
  expect(await problem(await send(officer, body))).toMatchObject({
    status: 403,
    code: 'permission.denied',
    context: { permission: 'system.users.manage' },
  })
  expect(await subjects(host.root)).not.toContain('boss')
  expect((await send(host.root, body)).status).toBe(201)
  const boss = await host.as({ subject: 'boss' })
  expect(await access(boss)).toMatchObject({ isAdministrator: true })
})

test('an invitation requires the permission, and checks it again after waiting for a concurrent invitation', async () => {
  const viewer = await host.as({ subject: 'viewer', permissions: ['system.users.view'] })
  expect(await problem(await send(viewer, { subject: '' }))).toMatchObject({ code: 'permission.denied' })

  const role = await host.makeRole('inviter', ['system.users.manage'])
  const { request, id } = await host.makeUser('inviter', [role])
  const held = await holdTransaction(host.database, (tx) =>
    tx.execute(sql`
      insert into core_audit.users (id, subject, display_name)
      values (gen_random_uuid(), 'held', 'x')`),
  )
  const inviting = send(request, invitation('held'))
  await untilBlocked(host.database)
  await json(await host.root('PUT', `/api/security/users/${id}/roles`, { body: { roleIds: [] } }))
  await held.rollback()
  expect(await problem(await inviting)).toMatchObject({ status: 403, code: 'permission.denied' })
  expect(await subjects(host.root)).not.toContain('held')
})

test('an invitation stores texts of the maximum length: the subject unchanged, the name and address trimmed', async () => {
  const subject = ` ${'s'.repeat(254)}`
  const user = await json<User>(
    await invite(subject, { email: ' e@example.com ', displayName: ` ${'n'.repeat(320)} ` }),
  )
  expect(user).toMatchObject({ subject, email: 'e@example.com', displayName: 'n'.repeat(320) })
})

test.each<[string, object]>([
  ['subject', { subject: '' }],
  ['subject', { subject: '  ' }],
  ['subject', { subject: 's'.repeat(256) }],
  ['subject', { subject: 'a\0' }],
  ['subject', { subject: undefined }],
  ['email', { email: undefined }],
  ['email', { email: '' }],
  ['email', { email: 'nobody' }],
  ['email', { email: `${'e'.repeat(320)}@example.com` }],
  ['email', { email: '<a@example.com>' }],
  ['email', { email: 'a@example.com,b@example.com' }],
  ['displayName', { displayName: ' ' }],
  ['displayName', { displayName: '\u200b' }],
  ['displayName', { displayName: '\u202eadA' }],
  ['displayName', { displayName: 'Ada\u2066' }],
  ['displayName', { displayName: 'A\r\nBcc: b@example.com' }],
  ['displayName', { displayName: 'n'.repeat(321) }],
  ['roleIds', { roleIds: undefined }],
  ['roleIds.0', { roleIds: ['trade.clerk'] }],
])('an invitation with an invalid %s is rejected (%j)', async (path, rest) => {
  expect(await problem(await invite('refused', rest))).toMatchObject({
    status: 400,
    code: 'request.invalid',
    errors: [{ path }],
  })
})
