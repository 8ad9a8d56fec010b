import type { Role } from '@vertical-kit/core-audit/contract'
import type { TestHost, TestRequest } from '@vertical-kit/core-audit/testing'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { administratorRoleCode, json, openReplica, problem, useSecurityHost } from './harness.ts'

const host = useSecurityHost()
let replica: TestHost
beforeAll(async () => {
  replica = await openReplica(host.databaseUrl)
})
afterAll(() => replica.close())

/** Creates a user of both replicas. `statuses` returns the current status of a guarded route on each replica. */
async function makeUser(subject: string, roles: readonly Role[]) {
  const here = await host.makeUser(subject, roles)
  const there = await replica.as({ subject })
  const statusOf = async (request: TestRequest) => (await request('GET', '/api/security/roles')).status
  // Query the other replica first: it has served this user before, and only the database informs it of the change.
  return { id: here.id, there, statuses: async () => [await statusOf(there), await statusOf(here.request)] }
}

const change = async (method: string, path: string, body?: object) =>
  json(await host.root(method, `/api/security${path}`, body === undefined ? {} : { body }))

const viewer = (code: string) => host.makeRole(code, ['system.roles.view'])

test('new permissions of a role apply from the next request on, on every replica', async () => {
  const role = await host.makeRole('growing')
  const user = await makeUser('growing', [role])
  expect(await user.statuses()).toEqual([403, 403])
  await change('PUT', `/roles/${role.id}/permissions`, { permissions: ['system.roles.view'] })
  expect(await user.statuses()).toEqual([200, 200])
  await change('PUT', `/roles/${role.id}/permissions`, { permissions: ['system.users.view'] })
  expect(await user.statuses()).toEqual([403, 403])
})

test('a role that is switched off grants nothing from the next request on', async () => {
  const role = await viewer('switched')
  const user = await makeUser('switched', [role])
  expect(await user.statuses()).toEqual([200, 200])
  await change('POST', `/roles/${role.id}/deactivate`)
  expect(await user.statuses()).toEqual([403, 403])
  await change('POST', `/roles/${role.id}/reactivate`)
  expect(await user.statuses()).toEqual([200, 200])
})

test('a role that is removed from a user grants nothing from the next request on', async () => {
  const role = await viewer('taken')
  const user = await makeUser('taken', [role])
  expect(await user.statuses()).toEqual([200, 200])
  await change('PUT', `/users/${user.id}/roles`, { roleIds: [] })
  expect(await user.statuses()).toEqual([403, 403])
  await change('PUT', `/users/${user.id}/roles`, { roleIds: [role.id] })
  expect(await user.statuses()).toEqual([200, 200])
})

test('an administrator role applies from the next request on, until it is removed', async () => {
  const role = await host.makeRole(administratorRoleCode)
  const user = await makeUser('manager', [role])
  expect(await user.statuses()).toEqual([200, 200])
  await change('PUT', `/users/${user.id}/roles`, { roleIds: [] })
  expect(await user.statuses()).toEqual([403, 403])
})

test('a deactivated user is rejected from the next request on, until reactivated', async () => {
  const user = await makeUser('leaver', [await viewer('leaver')])
  expect(await user.statuses()).toEqual([200, 200])
  await change('POST', `/users/${user.id}/deactivate`)
  expect(await problem(await user.there('GET', '/api/security/me/access'))).toMatchObject({
    code: 'auth.inactive',
  })
  expect(await user.statuses()).toEqual([403, 403])
  await change('POST', `/users/${user.id}/reactivate`)
  expect(await user.statuses()).toEqual([200, 200])
})
