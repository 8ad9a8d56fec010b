import { newId } from '@vertical-kit/core-audit'
import { sql } from 'drizzle-orm/sql'
import * as v from 'valibot'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type Preference, Preferences } from '../../src/contract.ts'
import { auditorsOnly, digest, settled, writtenOff } from '../definitions.ts'
import { type InboxHost, openInboxHost, refusalOf } from '../harness.ts'
import { addPerson, giveRole, type Person, setRoleActivity, takeRole } from '../people.ts'
import { enabledOf, list, path } from '../preferences.ts'

let host: InboxHost
let clerk: Person
beforeAll(async () => {
  host = await openInboxHost()
})
afterAll(() => host.close())
beforeEach(async () => {
  clerk = await addPerson(host, ['trade.clerk'])
})

test('the response is 200 with the preferences for the caller’s roles, in the order of the definitions', async () => {
  const response = await clerk.request('GET', path)
  expect(response.headers.get('cache-control')).toBe('no-store')
  const body = (await response.json()) as Preference[]
  expect(v.parse(Preferences, body)).toEqual(body)
  expect(body.map(({ code }) => code)).toEqual([
    'trade.collect_payment',
    'trade.approve',
    'trade.invoice_settled',
    'trade.write_off_recorded',
    'trade.digest',
  ])
  expect(body[0]).toEqual({
    code: 'trade.collect_payment',
    kind: 'Task',
    displayName: 'Collect a payment',
    category: 'Sales',
    description: 'It is about something.',
    channel: 'InApp',
    isEnabled: true,
    defaultEnabled: true,
    userCanDisable: true,
    isMandatory: false,
  })
  expect(body.find(({ code }) => code === writtenOff.code)).toMatchObject({
    kind: 'Notification',
    isEnabled: true,
    defaultEnabled: true,
    userCanDisable: false,
    isMandatory: true,
  })
  expect(body.find(({ code }) => code === digest.code)).toMatchObject({
    isEnabled: false,
    defaultEnabled: false,
    userCanDisable: true,
    isMandatory: false,
  })
})

test('a revoked or inactive role adds no preferences', async () => {
  await giveRole(host.database, clerk, 'trade.auditor')
  expect(await list(clerk)).toHaveLength(6)
  await takeRole(host.database, clerk, 'trade.clerk')
  expect((await list(clerk)).map(({ code }) => code)).toEqual([
    settled.code,
    writtenOff.code,
    auditorsOnly.code,
  ])
  await setRoleActivity(host.database, 'trade.auditor', false)
  expect(await list(clerk)).toEqual([])
  await setRoleActivity(host.database, 'trade.auditor', true)
})

test('callers without a role, without a user record, or with only administrator rights have no preferences', async () => {
  expect(await list(await addPerson(host, []))).toEqual([])
  expect(await list(await addPerson(host, ['trade.administrator']))).toEqual([])
  const request = await host.as({ subject: newId(), roles: ['platform-admin'] })
  expect(await list({ ...clerk, request })).toEqual([])
})

test('a stored choice does not affect a mandatory preference', async () => {
  await host.database.statement((tx) =>
    tx.execute(sql`
      insert into work_center.preferences (user_id, code, channel, is_enabled)
      values (${clerk.userId}::uuid, ${writtenOff.code}, 'InApp', false)`),
  )
  expect(enabledOf(await list(clerk))).toMatchObject({ [writtenOff.code]: true })
})

test('the response is 401 without a token', async () => {
  expect(await refusalOf(await host.app.request(path))).toMatchObject({
    status: 401,
    code: 'auth.required',
  })
})
