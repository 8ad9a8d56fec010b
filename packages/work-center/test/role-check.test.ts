import { sql } from 'drizzle-orm/sql'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { roleCheck } from '../src/definitions/role-check.ts'
import { type Desk, openDesk } from './desk.ts'
import { addRole, setRoleActivity } from './people.ts'

let desk: Desk
beforeAll(async () => {
  desk = await openDesk()
})
afterAll(() => desk.close())

const context = { origins: [], token: undefined, replicaCount: 1, now: () => 0 }

test('the doctor names the roles of definitions that do not exist or are not active', async () => {
  const { database } = desk
  const definitions = [{ roleCodes: ['check.first', 'check.second'] }, { roleCodes: ['check.second'] }]
  const { needs, run } = roleCheck({ database, definitions })
  const check = () => run({ ...context, signal: new AbortController().signal })
  expect(needs).toEqual(['database.connection'])
  await addRole(database, 'check.first', [])
  await addRole(database, 'check.second', [])
  expect(await check()).toMatchObject({ status: 'ok' })
  await setRoleActivity(database, 'check.first', false)
  await database.statement((tx) =>
    tx.execute(sql`update core_audit.roles set code = 'check.renamed' where code = 'check.second'`),
  )
  expect(await check()).toMatchObject({
    status: 'warning',
    message: expect.stringContaining('check.first, check.second.'),
  })
  await database.statement((tx) => tx.execute(sql`delete from core_audit.roles`))
  expect(await check()).toMatchObject({ status: 'skipped' })
})
