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

test('the first execution of an administrator creates the user record', async () => {
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

test('a rejected request of an administrator creates no user record', async () => {
  const administrator = await host.as({ subject: 'other-root', roles: ['platform-admin'] })
  const response = await execute(administrator, await host.addDocument(), 'post', { expectedVersion: 9 })
  expect(await refusalOf(response)).toMatchObject({ code: 'documents.version_conflict' })
  expect(await userIdOf(host.database, 'other-root')).toBeUndefined()
})

test.each([
  ['a clerk', []],
  ['an administrator', ['platform-admin']],
])('%s with a deactivated account receives 403', async (subject, roles) => {
  const former = await host.as({ subject, roles, permissions: allPermissions })
  const invoice = await host.addDocument()
  await host.database.statement((tx) => deactivateUser(tx, subject))
  const before = await everyRow(host.database)
  expect(await refusalOf(await execute(former, invoice, 'post'))).toMatchObject({
    status: 403,
    code: 'auth.inactive',
  })
  expect(await everyRow(host.database)).toEqual(before)
})

test('a request without a token receives 401', async () => {
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

test('a user without roles receives 404', async () => {
  const roleless = await host.as({ subject: 'nobody' })
  const response = await execute(roleless, await host.addDocument(), 'post')
  expect(await refusalOf(response)).toMatchObject({ status: 404, code: 'documents.not_found' })
})
