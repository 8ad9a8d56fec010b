import { countPlans, plansOf, readCountOf, recordStatements } from '@vertical-kit/core-audit/testing'
import { PgDialect } from 'drizzle-orm/pg-core'
import { type SQL, sql } from 'drizzle-orm/sql'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { done, type InboxHost, openInboxHost, patient } from '../harness.ts'
import { addTask } from '../items.ts'
import { addPerson, type Person } from '../people.ts'

const recipientsCount = 20
/** Their entries tell PostgreSQL how many entries a task has. */
const tasksCount = 50
const othersCount = 5_000

const statements = recordStatements()
let host: InboxHost
let clerk: Person
beforeAll(async () => {
  host = await openInboxHost({ database: patient, observe: statements.observe })
  clerk = await addPerson(host, ['trade.clerk'])
  for (let n = 1; n < recipientsCount; n += 1) await addPerson(host, ['trade.clerk'])
  for (let n = 0; n < tasksCount; n += 1) await addTask(host.database)
  await host.database.statement((tx) =>
    tx.execute(sql`
      with other as (
        insert into core_audit.users (id, subject, email, display_name)
        select gen_random_uuid(), 'other-' || n, 'other@example.com', 'Other'
        from generate_series(1, ${othersCount}::int) n
        returning id
      )
      insert into core_audit.user_roles (user_id, role_id)
      select other.id, r.id from other, core_audit.roles r where r.code = 'trade.auditor'`),
  )
  for (const table of [
    'core_audit.users',
    'core_audit.user_roles',
    'work_center.tasks',
    'work_center.entries',
  ]) {
    await host.database.statement((tx) => tx.execute(sql`vacuum analyze ${sql.raw(table)}`))
  }
})
afterAll(() => host.close())

/** Returns the only recorded statement that contains a text. */
function sentWith(part: string): SQL {
  const found = statements.statements.filter((one) => new PgDialect().sqlToQuery(one).sql.includes(part))
  expect(found).toHaveLength(1)
  return found[0] as SQL
}

test.each(['claim', 'release'] as const)(
  'a %s reads only the roles of the recipients, not those of 5,000 other users',
  async (deed) => {
    const id = await addTask(host.database)
    if (deed === 'release') await done(clerk.request, 'tasks', id, 'claim', { expectedVersion: 1 })
    statements.reset()
    await done(clerk.request, 'tasks', id, deed, { expectedVersion: deed === 'release' ? 2 : 1 })
    // These statements concern the recipients. A release also reads all members of the role, who can be new recipients.
    for (const part of ['update work_center.entries', 'insert into work_center.user_versions']) {
      for (const nodes of await plansOf(host.database, sentWith(part))) {
        const ofRoles = nodes.filter((node) => node['Relation Name'] === 'user_roles')
        expect(ofRoles).not.toEqual([])
        for (const node of ofRoles) {
          expect(readCountOf(node)).toBeGreaterThan(0)
          expect(readCountOf(node)).toBeLessThanOrEqual(recipientsCount)
        }
      }
    }
  },
)

test.each(['claim', 'release'] as const)('every statement of a %s is planned once', async (deed) => {
  const id = await addTask(host.database)
  if (deed === 'release') await done(clerk.request, 'tasks', id, 'claim', { expectedVersion: 1 })
  statements.reset()
  await done(clerk.request, 'tasks', id, deed, { expectedVersion: deed === 'release' ? 2 : 1 })
  const sent = [...statements.statements]
  expect(sent.length).toBeGreaterThan(5)
  // While the small tables of this test grow, PostgreSQL changes to the general plan a few executions later.
  for (const statement of sent) expect(await countPlans(host.database, statement)).toBeLessThan(20)
})
