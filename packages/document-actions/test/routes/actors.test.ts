import { newId } from '@vertical-kit/core-audit'
import { deactivateUser } from '@vertical-kit/core-audit/testing'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { allPermissions, execute, executed, openShopHost, refusalOf, type ShopHost } from '../harness.ts'
import { everyRow, storedEvents, userIdOf } from '../rows.ts'

let host: ShopHost
beforeAll(async () => {
  host = await openShopHost()
})
afterAll(() => host.close())

test('an administrator without a user record executes, and has one from then on', async () => {
  const administrator = await host.as({ subject: 'root', name: 'Ruth Root', roles: ['platform-admin'] })
  const invoice = await host.addDocument()
  const key = newId()
  const first = await executed(administrator, invoice, 'post', { key })
  const userId = await userIdOf(host.database, 'root')
  expect(userId).toEqual(expect.any(String))
  expect(await storedEvents(host.database, invoice)).toMatchObject([{ actor_user_id: userId }])

  const repeat = await execute(administrator, invoice, 'post', { key })
  expect(repeat.headers.get('Idempotent-Replayed')).toBe('true')
  expect(await repeat.json()).toEqual(first)
})

test('an administrator whose request is refused gets no user record', async () => {
  const administrator = await host.as({ subject: 'other-root', roles: ['platform-admin'] })
  const response = await execute(administrator, await host.addDocument(), 'post', { expectedVersion: 9 })
  expect(await refusalOf(response)).toMatchObject({ code: 'documents.version_conflict' })
  expect(await userIdOf(host.database, 'other-root')).toBeUndefined()
})

test.each([
  ['a clerk', []],
  ['an administrator', ['platform-admin']],
])('403: %s who was deactivated', async (who, roles) => {
  const former = await host.as({ subject: who, roles, permissions: allPermissions })
  const invoice = await host.addDocument()
  await host.database.statement((tx) => deactivateUser(tx, who))
  const before = await everyRow(host.database)
  expect(await refusalOf(await execute(former, invoice, 'post'))).toMatchObject({
    status: 403,
    code: 'auth.inactive',
  })
  expect(await everyRow(host.database)).toEqual(before)
})

test('401: nobody', async () => {
  const { id } = await host.addDocument()
  const before = await everyRow(host.database)
  const response = await host.app.request(`/api/documents/shop.invoice/${id}/actions/post`, {
    method: 'POST',
    headers: { 'Idempotency-Key': 'key', 'Content-Type': 'application/json' },
    body: '{"expectedVersion":1}',
  })
  expect(await refusalOf(response)).toMatchObject({ status: 401, code: 'auth.required' })
  expect(await everyRow(host.database)).toEqual(before)
})

test('somebody without a role may do nothing, and is told of nothing', async () => {
  const nobody = await host.as({ subject: 'nobody' })
  const response = await execute(nobody, await host.addDocument(), 'post')
  expect(await refusalOf(response)).toMatchObject({ status: 404, code: 'documents.not_found' })
})
