import { newId } from '@vertical-kit/core-audit'
import type { Client, Role, User } from '@vertical-kit/ui-client'
import {
  applyChange,
  invitationRow,
  outboxStore,
  permissionChange,
  rolesStore,
  roleTextsRow,
  systemStatusStore,
  usersStore,
} from '@vertical-kit/ui-client/stores/administration'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Host, openHost } from '../host/deployment.ts'
import { signIn } from '../signed-in.ts'

let host: Host

beforeAll(async () => {
  host = await openHost()
})
afterAll(() => host.close())

const open = () => signIn(host, 'manager')
const person = (subject: string) => ({ subject, email: null, displayName: `Name of ${subject}`, roleIds: [] })

async function userOf(client: Client, subject: string): Promise<User> {
  const { items } = await client.security.users({ q: subject })
  const found = items.find((user) => user.subject === subject)
  if (found === undefined) throw new Error(`${subject} does not exist`)
  return found
}

async function roleOf(client: Client, code: string): Promise<Role> {
  const found = (await client.security.roles()).find((role) => role.code === code)
  if (found === undefined) throw new Error(`${code} does not exist`)
  return found
}

test('an invited user appears in the list, and a refused invitation has an error', async () => {
  const { session } = await open()
  const store = usersStore(session)
  await store.open({ q: 'invited-' })
  expect(store.$list.get()).toMatchObject({ status: 'ready', items: [] })
  const user = await store.invite(person('invited-1'))
  await expect.poll(() => store.$list.get().items).toEqual([user])
  expect(await store.invite(person('invited-1'))).toBeNull()
  expect(store.$rows.get().get(invitationRow)).toMatchObject({
    status: 'failed',
    error: { code: 'users.subject_taken' },
  })
})

test('changed roles and activity are shown, and a second change of a user waits for the first', async () => {
  const { session, client, gate } = await open()
  await client.security.invite(person('changed-1'))
  const store = usersStore(session)
  await store.open({ q: 'changed-1' })
  const [user] = store.$list.get().items
  const clerk = store.$roles.get().find(({ code }) => code === 'trade.clerk')
  if (user === undefined || clerk === undefined) throw new Error('The user and the role must exist')
  const hold = gate.hold(/roles$/)
  const first = store.setRoles(user, [clerk.id])
  await hold.reached
  expect(store.$rows.get().get(user.id)).toEqual({ status: 'pending' })
  expect(await store.deactivate(user)).toBeNull()
  hold.release()
  await first
  expect(store.$rows.get().size).toBe(0)
  expect(store.$list.get().items[0]?.roles.map(({ code }) => code)).toEqual(['trade.clerk'])
  await store.deactivate(user)
  expect(await userOf(client, 'changed-1')).toMatchObject({ isActive: false })
  expect(store.$list.get().items[0]?.isActive).toBe(false)
})

test('a change of a role that another administrator has changed is refused, and the current roles are loaded', async () => {
  const { session, client } = await open()
  const store = rolesStore(session)
  await store.load()
  const role = await roleOf(client, 'trade.uploader')
  const others = [...role.permissions, 'system.notes.read'].toSorted()
  await client.security.setRolePermissions(role.id, others)
  expect(await store.save(role, [])).toBeNull()
  expect(store.$rows.get().get(role.id)).toMatchObject({ error: { code: 'roles.version_conflict' } })
  const current = store.$state.get().roles.find(({ id }) => id === role.id)
  expect(current?.permissions).toEqual(others)
  if (current === undefined) throw new Error('The role must exist')
  await store.save(current, role.permissions)
  expect((await roleOf(client, 'trade.uploader')).permissions).toEqual(role.permissions)
  expect(store.$rows.get().size).toBe(0)
})

test('a change of roles that another administrator has changed is refused, and the current roles are loaded', async () => {
  const { session, client } = await open()
  const { id } = await client.security.invite(person('changed-2'))
  const store = usersStore(session)
  await store.open({ q: 'changed-2' })
  const [user] = store.$list.get().items
  if (user === undefined) throw new Error('The user must exist')
  const [clerk, viewer] = ['trade.clerk', 'trade.viewer'].map(
    (code) => store.$roles.get().find((role) => role.code === code)?.id ?? '',
  )
  await client.security.setUserRoles(id, [`${clerk}`])
  expect(await store.setRoles(user, [`${viewer}`])).toBeNull()
  expect(store.$rows.get().get(id)).toMatchObject({ error: { code: 'users.version_conflict' } })
  const [current] = store.$list.get().items
  expect(current?.roles.map(({ code }) => code)).toEqual(['trade.clerk'])
})

test('a new role has its place in the list, and a refused name has an error until it is dismissed', async () => {
  const { session } = await open()
  const store = rolesStore(session)
  await store.load()
  const texts = { code: 'trade.buyer', name: 'Buyer', description: '' }
  const added = await store.create(texts)
  if (added === null) throw new Error('The role must exist')
  const codes = store.$state.get().roles.map(({ code }) => code)
  expect(codes).toContain('trade.buyer')
  expect(codes).toEqual(codes.toSorted())
  expect(await store.create(texts)).toBeNull()
  expect(store.$rows.get().get(roleTextsRow())).toMatchObject({ error: { code: 'roles.code_taken' } })
  store.dismiss(roleTextsRow())
  expect(store.$rows.get().size).toBe(0)

  expect(await store.rename(added, { ...texts, name: ' ' })).toBeNull()
  const { error } = { error: null, ...store.$rows.get().get(roleTextsRow(added.id)) }
  expect(error).toMatchObject({ errors: [{ path: 'name' }] })
  expect(await store.rename(added, { ...texts, name: 'Purchaser' })).toMatchObject({ name: 'Purchaser' })
  // The store shows what has changed since `added`, and does not overwrite it.
  expect(await store.rename(added, { ...texts, description: 'Buys' })).toBeNull()
  expect(store.$rows.get().get(roleTextsRow(added.id))).toMatchObject({
    error: { code: 'roles.version_conflict' },
  })
  expect(await store.deactivate(added)).toMatchObject({ isActive: false })
  expect(await store.reactivate(added)).toMatchObject({ isActive: true })
})

test('a change is applied to the permissions that another administrator has set', () => {
  const change = permissionChange(['a', 'b', 'c'], ['b', 'd'])
  expect(change).toEqual({ added: ['d'], removed: ['a', 'c'] })
  expect(applyChange(['a', 'b', 'd', 'e'], change)).toEqual(['b', 'd', 'e'])
})

test('a refused repair of a dead letter has an error, and the outbox is loaded again', async () => {
  const { session, gate } = await open()
  const store = outboxStore(session)
  await store.load()
  expect(store.$state.get()).toMatchObject({
    status: 'ready',
    consumers: [{ consumer: 'work-center', deadCount: 0 }],
  })
  const eventId = newId()
  const letter = { id: `${eventId} work-center`, eventId, consumer: 'work-center', type: 'a', subject: 'a' }
  const before = gate.sent.length
  const rest = { attempts: 1, deadSinceUtc: '2026-01-01T00:00:00.000Z', heldBackCount: 0, lastError: null }
  expect(await store.repair({ ...letter, ...rest }, 'retry', 'why')).toBe(false)
  expect(store.$rows.get().get(letter.id)).toMatchObject({ error: { code: 'outbox.event_not_found' } })
  expect(gate.sent.slice(before + 1)).toHaveLength(2)
  expect(await store.history({ ...letter, ...rest })).toBeNull()
})

test('the status contains the health of each part, the features and the release', async () => {
  const { session } = await open()
  const store = systemStatusStore(session)
  await store.load()
  expect(store.$state.get()).toMatchObject({
    status: 'ready',
    health: { entries: { database: { status: 'Healthy' } } },
    service: { title: 'Test host', version: expect.stringMatching(/^\d/) },
  })
})

test('an unhealthy service describes its health', async () => {
  const report = { status: 'Unhealthy', entries: {} }
  const { client } = await signIn(host, 'manager', {
    fetch: async () => Response.json(report, { status: 503 }),
  })
  expect(await client.system.health()).toEqual(report)
})

test('a gateway that answers for the service is an error', async () => {
  const { client } = await signIn(host, 'manager', {
    fetch: async () => Response.json({ title: 'gateway' }, { status: 503 }),
    wait: async () => {},
  })
  await expect(client.system.health()).rejects.toMatchObject({ name: 'KitError', status: 503 })
})

test('the end of the session empties the stores', async () => {
  const { session } = await open()
  const [users, roles, outbox] = [usersStore(session), rolesStore(session), outboxStore(session)]
  await Promise.all([users.open({}), roles.load(), outbox.load()])
  expect(users.$roles.get()).not.toEqual([])
  session.close()
  expect([users.$list.get().items, users.$roles.get(), roles.$state.get().roles]).toEqual([[], [], []])
  expect(outbox.$state.get().consumers).toEqual([])
})
