import { newId } from '@vertical-kit/core-audit'
import { createDatabase, type Database, type Db, databaseDefaults } from '@vertical-kit/core-audit/database'
import { plansOf, readCountOf, statementOf } from '@vertical-kit/core-audit/testing'
import type { FreshDatabase } from '@vertical-kit/dev-services'
import { sql } from 'drizzle-orm/sql'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { TeamSort } from '../../src/contract.ts'
import { listTaskHolders } from '../../src/queries/list-task-holders.ts'
import { listTeamTasks, type TeamFilters } from '../../src/queries/list-team-tasks.ts'
import { openDatabase } from '../harness.ts'
import { viewInvoices } from '../people.ts'

/** Open tasks of one role. Nobody has claimed them, and they are not overdue. */
const openCount = 50_000
/** So many users have one claimed task and one task that is assigned to them. The first task of each is overdue. */
const holderCount = 10
const userCount = 1_000

let fresh: FreshDatabase
let database: Database
const viewer = {
  userId: newId(),
  roleIds: [newId()],
  viewPermissions: [viewInvoices],
  isSupervisor: true,
}
const holderId = newId()
beforeAll(async () => {
  fresh = await openDatabase()
  database = createDatabase({ ...databaseDefaults, url: fresh.url, statementTimeoutMs: 60_000 })
  await fill()
}, 120_000)
afterAll(async () => {
  await database.close()
  await fresh.drop()
})

/** Stores users and open tasks. The holders are the first users. Their tasks are spread over the orders of the list. */
async function fill(): Promise<void> {
  const roleId = sql`${viewer.roleIds[0]}::uuid`
  const step = openCount / holderCount
  await database.transaction(async (tx) => {
    await tx.execute(sql`
      insert into core_audit.users (id, subject, display_name)
      select case when n = 1 then ${holderId}::uuid else gen_random_uuid() end, n::text, 'User ' || n
      from generate_series(1, ${userCount}::int) n`)
    await tx.execute(sql`
      insert into work_center.tasks (
        id, code, deduplication_key, title, resource_kind, resource_code, entity_id, source_title,
        assigned_user_id, assigned_role_id, claimed_by_user_id, claimed_at, status, sort_at, priority, due_at
      )
      select gen_random_uuid(), 'trade.collect_payment', n::text, 'SI', 'document', 'trade.sales_invoice',
        gen_random_uuid(), 'SI', case when is_assigned then u.id end, case when not is_assigned then ${roleId} end,
        case when is_claimed then u.id end, case when is_claimed then statement_timestamp() end,
        case when is_claimed then 'InProgress' else 'Open' end, statement_timestamp() - n * interval '1 minute',
        (array['Low', 'Normal', 'High', 'Critical'])[n % 4 + 1],
        statement_timestamp() + case when is_claimed then interval '-1 day' else (1 + n % 997) * interval '1 day' end
      from (
        select n, n % ${step}::int = 7 as is_claimed, n % ${step}::int = 2500 as is_assigned, (n / ${step}::int + 1)::text as holder
        from generate_series(1, ${openCount}::int) n
      ) t
      left join core_audit.users u on u.subject = t.holder`)
  })
  for (const table of ['work_center.tasks', 'core_audit.users']) {
    await database.statement((tx) => tx.execute(sql`vacuum analyze ${sql.raw(table)}`))
  }
}

const noFilters = { status: null, claimedBy: null, role: null, overdue: null, invisible: null }

const list = (filters: Partial<TeamFilters>, sort: TeamSort) => (db: Db) =>
  listTeamTasks(db, [], {
    viewer,
    query: { filters: { ...noFilters, ...filters }, sort, limit: 30, cursor: null },
  })

/** Returns the largest number of rows that one node of each plan has read, without the users. */
async function mostRead(read: (db: Db) => Promise<unknown>): Promise<readonly number[]> {
  const plans = await plansOf(database, await statementOf(database, read))
  return plans.map((nodes) =>
    Math.max(...nodes.filter((node) => node['Relation Name'] !== 'users').map(readCountOf)),
  )
}

const sorts = ['due', 'priority', 'newest', 'oldest'] as const
test.each([
  ...sorts.map((sort) => ['the tasks in progress', holderCount, { status: 'InProgress' }, sort] as const),
  ...sorts.map((sort) => ['the tasks of one user', 2, { claimedBy: holderId }, sort] as const),
  ...sorts.map((sort) => ['the tasks of a user without tasks', 0, { claimedBy: newId() }, sort] as const),
  ['the overdue tasks', holderCount, { overdue: true }, 'due'] as const,
])(
  '%s are found without a scan of the open tasks: %i for %o, sorted by %s',
  async (_, count, filters, sort) => {
    const read = list(filters, sort)
    expect((await database.read(read)).items).toHaveLength(count)
    for (const most of await mostRead(read)) expect(most).toBeLessThanOrEqual(3 * holderCount)
  },
)

test('the users who have tasks are found by lookups for each user, not by a scan of the open tasks', async () => {
  const read = (db: Db) => listTaskHolders(db, { viewer, q: '' })
  const { users } = await database.read(read)
  expect(users.map(({ taskCount }) => taskCount)).toEqual(Array(holderCount).fill(2))
  for (const most of await mostRead(read)) expect(most).toBeLessThanOrEqual(3 * holderCount)
})
