import { newId } from '@vertical-kit/core-audit'
import type { Database, Db, Tx } from '@vertical-kit/core-audit/database'
import { plansOf, readCountOf, statementOf } from '@vertical-kit/core-audit/testing'
import { sql } from 'drizzle-orm/sql'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { findJoiners } from '../../src/commands/join-tasks.ts'
import { listConcerned } from '../../src/queries/list-concerned.ts'
import { type InboxHost, openInboxHost, patient } from '../harness.ts'
import { addTask } from '../items.ts'
import { addPerson, type Person } from '../people.ts'

/** Entries of tasks that others have claimed. */
const hiddenCount = 20_000
const othersCount = 5_000

let host: InboxHost
let database: Database
let clerk: Person
beforeAll(async () => {
  host = await openInboxHost({ database: patient })
  database = host.database
  clerk = await addPerson(host, ['trade.clerk'])
  await addTask(database)
  await database.transaction(async (tx) => {
    await tx.execute(sql`
      insert into work_center.entries (
        user_id, item_id, kind, role_id, view_permission, resource_code, priority, sort_at, is_open, is_visible
      )
      select ${clerk.userId}::uuid, ids.id, 'Task', r.id, 'document.trade.sales_invoice.view', 'trade.sales_invoice', 'Normal',
        statement_timestamp() - interval '1 year', false, false
      from core_audit.roles r,
        lateral (select gen_random_uuid() as id from generate_series(1, ${hiddenCount}::int)) ids
      where r.code = 'trade.clerk'`)
    await tx.execute(sql`
      with other as (
        insert into core_audit.users (id, subject, email, display_name)
        select gen_random_uuid(), 'other-' || n, 'other@example.com', 'Other'
        from generate_series(1, ${othersCount}::int) n
        returning id
      )
      insert into core_audit.user_roles (user_id, role_id)
      select other.id, r.id from other, core_audit.roles r where r.code = 'trade.auditor'`)
  })
  for (const table of ['core_audit.users', 'core_audit.user_roles', 'work_center.entries'])
    await database.statement((tx) => tx.execute(sql`vacuum analyze ${sql.raw(table)}`))
})
afterAll(() => host.close())

const ofClerk = () => [{ userId: clerk.userId }]

/** Returns the most rows that one scan of a table reads. */
async function mostRead(table: string, read: (db: Db) => Promise<unknown>): Promise<number> {
  const plans = await plansOf(database, await statementOf(database, read))
  const scans = plans.flat().filter((node) => node['Relation Name'] === table)
  expect(scans).not.toEqual([])
  return Math.max(...scans.map(readCountOf))
}

test('a change of a user’s access does not read the user’s hidden entries', async () => {
  const read = (db: Db) => listConcerned(db, ofClerk())
  expect(await database.read(read)).toHaveLength(1)
  expect(await mostRead('entries', read)).toBe(1)
})

test('a change of a user’s access does not read the roles of other users', async () => {
  const read = (db: Db) => findJoiners(db as Tx, ofClerk(), null)
  expect(await mostRead('user_roles', read)).toBeLessThanOrEqual(2)
})

test('a user without any item sees no change', async () => {
  expect(await database.read((db) => listConcerned(db, [{ userId: newId() }]))).toEqual([])
})
