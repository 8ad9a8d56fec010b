import type { FreshDatabase } from '@vertical-kit/dev-services'
import { type SQL, sql } from 'drizzle-orm/sql'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createDatabase, type Database, databaseDefaults, planOnce } from '../../src/database/index.ts'
import { loadAccounts } from '../../src/identity/queries/load-accounts.ts'
import { countPlans, recordStatements } from '../../src/testing/index.ts'
import { openDatabase } from '../harness.ts'

const usersCount = 2_000

let fresh: FreshDatabase
let database: Database
beforeAll(async () => {
  fresh = await openDatabase()
  database = createDatabase({ ...databaseDefaults, url: fresh.url })
  await database.statement((tx) =>
    tx.execute(sql`
      with role as (
        insert into core_audit.roles (id, code, name) values (gen_random_uuid(), 'clerk', 'Clerk') returning id
      ), added as (
        insert into core_audit.users (id, subject, email, display_name)
        select gen_random_uuid(), 'user-' || n, 'user@example.com', 'User'
        from generate_series(1, ${usersCount}::int) n
        returning id
      )
      insert into core_audit.user_roles (user_id, role_id) select added.id, role.id from added, role`),
  )
  for (const table of ['users', 'user_roles', 'roles']) {
    await database.statement((tx) => tx.execute(sql`vacuum analyze core_audit.${sql.raw(table)}`))
  }
})
afterAll(async () => {
  await database.close()
  await fresh.drop()
})

describe('a statement with', () => {
  test.each([
    [
      'a short list',
      () => sql`select id from core_audit.users where subject = any(${sql.param(['user-1'])}::text[])`,
    ],
    ['a low limit', () => sql`select id from core_audit.users order by subject limit ${1}::int`],
  ])('%s is planned at each execution unless it is planned once', async (_, statement) => {
    expect(await countPlans(database, statement())).toBe(20)
    expect(await countPlans(database, planOnce(statement()))).toBe(6)
  })
})

test('the rights of a request are read with one plan, regardless of the number of users', async () => {
  const recorded = recordStatements()
  const [account] = await recorded
    .observe(database)
    .read((db) => loadAccounts(db, [{ subject: 'user-7', tokenRoleCodes: [] }]))
  expect(account?.roles).toMatchObject([{ code: 'clerk' }])
  const [statement] = recorded.statements
  expect(await countPlans(database, statement as SQL)).toBeLessThanOrEqual(6)
})
