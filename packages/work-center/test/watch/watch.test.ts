import { newId } from '@vertical-kit/core-audit'
import type { BusinessObjectReference } from '@vertical-kit/core-audit/contract'
import { sql } from 'drizzle-orm/sql'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { expectJson } from '../harness.ts'
import { addPerson, addRole, deactivate, giveRole, type Person, takeRole, viewInvoices } from '../people.ts'
import { newsOf, type Office, openOffice, put, watchPath } from './office.ts'

let office: Office
let carl: Person
let clara: Person
beforeAll(async () => {
  office = await openOffice()
  carl = await addPerson(office, ['trade.clerk'])
  clara = await addPerson(office, ['trade.clerk'])
})
afterAll(() => office.close())

const isWatching = async (person: Person, invoice: BusinessObjectReference): Promise<unknown> =>
  expectJson(await person.request('GET', watchPath(invoice)))

/** A request of an administrator, below `/api/security/`. */
type Change = readonly ['PUT' | 'POST', path: string, body?: object]

/** Moves all windows and events of the past out of the five minutes. */
const fiveMinutesLater = () =>
  office.database.statement((tx) =>
    tx.execute(sql`update work_center.watch_windows set started_at = started_at - interval '5 minutes'`),
  )

describe('PUT, DELETE and GET /api/business-objects/watch', () => {
  test('follow an object, and no longer; each is idempotent', async () => {
    const invoice = await office.addInvoice()
    expect(await isWatching(clara, invoice)).toEqual({ isWatching: false })
    for (const method of ['PUT', 'PUT'])
      expect((await clara.request(method, watchPath(invoice))).status).toBe(204)
    expect(await isWatching(clara, invoice)).toEqual({ isWatching: true })
    expect(await isWatching(carl, invoice)).toEqual({ isWatching: false })
    for (const method of ['DELETE', 'DELETE']) {
      const response = await clara.request(method, watchPath(invoice))
      expect([response.status, await response.text()]).toEqual([204, ''])
    }
    expect(await isWatching(clara, invoice)).toEqual({ isWatching: false })
  })

  test.each(['GET', 'PUT', 'DELETE'])('%s refuses objects like the object itself', async (method) => {
    const answer = async (invoice: BusinessObjectReference) => {
      const response = await clara.request(method, watchPath(invoice))
      return [response.status, ((await response.json()) as { code: string }).code]
    }
    const hidden = await office.followed(clara)
    await office.hide(hidden, clara)
    const missing = [404, 'business_object.not_found']
    expect(await answer(hidden)).toEqual(missing)
    expect(await answer({ ...hidden, id: newId() })).toEqual(missing)
    expect(await answer({ ...hidden, typeCode: 'trade.unknown' })).toEqual([
      400,
      'business_object.unsupported',
    ])
    expect(await answer({ ...hidden, id: '1' })).toEqual([400, 'request.invalid'])
  })

  test('concurrent requests of a user leave one row', async () => {
    const invoice = await office.addInvoice()
    const answers = await Promise.all(Array.from({ length: 30 }, () => put(clara, invoice)))
    expect(answers.every(({ status }) => status === 204)).toBe(true)
    expect(await isWatching(clara, invoice)).toEqual({ isWatching: true })
  })
})

describe('a follower is notified', () => {
  test('of what others do, and not of own work, of the service’s, or of other objects', async () => {
    const [invoice, other] = [await office.followed(clara, carl), await office.addInvoice()]
    await office.act(carl, invoice)
    await office.act(carl, other)
    await office.act(null, other)
    await office.follow()
    expect(await newsOf(clara, invoice)).toEqual([`${carl.subject} worked on Invoice 7`])
    expect(await newsOf(carl, invoice)).toEqual([])
    expect(await newsOf(clara, other)).toEqual([])
    expect(office.announced.at(-1)?.has(clara.userId)).toBe(true)
  })

  test('once for all that one person does to one object within five minutes, and again afterwards', async () => {
    const dora = await addPerson(office, ['trade.clerk'])
    const [invoice, other] = [await office.followed(clara), await office.followed(clara)]
    for (let turn = 0; turn < 3; turn += 1) {
      await office.act(carl, invoice)
      await office.act(carl, invoice)
      await office.follow()
    }
    expect(await newsOf(clara, invoice)).toHaveLength(1)
    await office.act(dora, invoice)
    await office.act(carl, other)
    await office.follow()
    await office.act(carl, invoice)
    await office.follow()
    expect(await newsOf(clara, invoice)).toHaveLength(2)
    expect(await newsOf(clara, other)).toHaveLength(1)
    await fiveMinutesLater()
    await office.act(carl, invoice)
    await office.follow()
    expect(await newsOf(clara, invoice)).toHaveLength(3)
  })

  test('also if they begin to follow while another follower’s five minutes run', async () => {
    const dora = await addPerson(office, ['trade.clerk'])
    const invoice = await office.followed(clara)
    await office.act(carl, invoice)
    await office.follow()
    await put(dora, invoice)
    await office.act(carl, invoice)
    await office.follow()
    expect(await newsOf(dora, invoice)).toHaveLength(1)
    expect(await newsOf(clara, invoice)).toHaveLength(1)
  })

  test('not of earlier events, and not after they no longer follow', async () => {
    const invoice = await office.addInvoice()
    await office.act(carl, invoice)
    await put(clara, invoice)
    await office.follow()
    expect(await newsOf(clara, invoice)).toEqual([])
    await clara.request('DELETE', watchPath(invoice))
    await office.act(carl, invoice)
    await office.follow()
    expect(await newsOf(clara, invoice)).toEqual([])
  })

  test('not of the time in which they may not read the object, also not later', async () => {
    const invoice = await office.followed(clara)
    await office.hide(invoice, clara)
    await office.act(carl, invoice)
    await office.follow()
    await office.show(invoice, clara)
    await office.follow()
    expect(await newsOf(clara, invoice)).toEqual([])
    await office.act(carl, invoice)
    await office.follow()
    expect(await newsOf(clara, invoice)).toHaveLength(1)
  })

  test.each<[string, (dora: Person, roleId: string) => readonly [lost: Change, given: Change]]>([
    [
      'their roles',
      ({ userId }, roleId) => [
        ['PUT', `users/${userId}/roles`, { roleIds: [] }],
        ['PUT', `users/${userId}/roles`, { roleIds: [roleId] }],
      ],
    ],
    [
      'their activity',
      ({ userId }) => [
        ['POST', `users/${userId}/deactivate`],
        ['POST', `users/${userId}/reactivate`],
      ],
    ],
    [
      'the activity of their role',
      (_dora, roleId) => [
        ['POST', `roles/${roleId}/deactivate`],
        ['POST', `roles/${roleId}/reactivate`],
      ],
    ],
    [
      'the permissions of their role',
      (_dora, roleId) => [
        ['PUT', `roles/${roleId}/permissions`, { permissions: [] }],
        ['PUT', `roles/${roleId}/permissions`, { permissions: ['system.work_center.supervise'] }],
      ],
    ],
  ])(
    'not of what happened before %s changed, although they have the right when the worker looks',
    async (_what, changes) => {
      // A change of permissions can only grant those that a module has registered.
      const code = `trade.guest_${newId()}`
      const roleId = await addRole(office.database, code, [viewInvoices])
      const dora = await addPerson(office, [code])
      const invoice = await office.followed(dora, clara)
      const root = await office.as({ subject: 'root', roles: ['platform-admin'], permissions: [] })
      const [lost, given] = changes(dora, roleId).map(
        ([method, path, body]) =>
          async () =>
            expectJson(await root(method, `/api/security/${path}`, body === undefined ? {} : { body })),
      ) as [() => Promise<unknown>, () => Promise<unknown>]
      await lost()
      await office.act(carl, invoice)
      await given()
      await addRole(office.database, code, [viewInvoices])
      await office.follow()
      expect(await newsOf(dora, invoice)).toEqual([])
      expect(await newsOf(clara, invoice)).toHaveLength(1)
      await office.act(carl, invoice)
      await office.follow()
      expect(await newsOf(dora, invoice)).toHaveLength(1)
    },
  )

  test('not without the role, as an inactive user, or of events that they could not see in a timeline', async () => {
    const dora = await addPerson(office, ['trade.clerk'])
    const gone = await addPerson(office, ['trade.clerk'])
    const invoice = await office.followed(dora, gone, clara)
    await takeRole(office.database, dora, 'trade.clerk')
    await deactivate(office.database, gone)
    await office.act(carl, invoice, 'secrets')
    await office.act(carl, invoice, 'unregistered')
    await office.follow()
    expect(await newsOf(clara, invoice)).toEqual([])
    await office.act(carl, invoice)
    await office.follow()
    await giveRole(office.database, dora, 'trade.clerk')
    expect(await newsOf(dora, invoice)).toEqual([])
    expect(await newsOf(clara, invoice)).toHaveLength(1)
    const rows = await office.database.read((db) =>
      db.execute(sql`select from work_center.entries where user_id = ${gone.userId}::uuid`),
    )
    expect(rows).toEqual([])
  })

  test('also of events of a module whose feature is off here: another replica has written them', async () => {
    const invoice = await office.followed(clara)
    await office.act(carl, invoice, 'off')
    await office.follow()
    expect(await newsOf(clara, invoice)).toHaveLength(1)
  })

  test('not if they have switched the notification off', async () => {
    const dora = await addPerson(office, ['trade.clerk'])
    const invoice = await office.followed(dora)
    const preferences = [{ code: 'work_center.object_changed', channel: 'InApp', isEnabled: false }]
    await expectJson(await dora.request('PUT', '/api/me/notification-preferences', { body: { preferences } }))
    await office.act(carl, invoice)
    await office.follow()
    expect(await newsOf(dora, invoice)).toEqual([])
  })
})
