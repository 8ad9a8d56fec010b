import type { Database } from '@vertical-kit/core-audit/database'
import { sql } from 'drizzle-orm/sql'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { TaskDefinition } from '../../src/definitions/definition.ts'
import { createInboxWriter, type Inbox } from '../../src/inbox/inbox.ts'
import { approve, collectPayment, definitions, settled } from '../definitions.ts'
import { administratorRoleCodes, clear, config, type Desk, openDesk } from '../desk.ts'
import { sourceOf } from '../items.ts'
import { addUser } from '../people.ts'

let desk: Desk
let database: Database
let manager: string
beforeAll(async () => {
  desk = await openDesk()
  database = desk.database
  await addUser(database, 'clerk', ['trade.clerk'])
  await addUser(database, 'auditor', ['trade.auditor'])
  manager = await addUser(database, 'manager', ['trade.manager'])
})
afterAll(() => desk.close())

const verbs = ['create', 'create for another', 'complete', 'cancel', 'notify'] as const
type Step = readonly [verb: (typeof verbs)[number], definition: TaskDefinition, key: string, title: string]
const steps = fc.array(
  fc.tuple(
    fc.constantFrom(...verbs),
    fc.constantFrom(collectPayment, approve),
    fc.constantFrom('a', 'b', 'c'),
    fc.constantFrom('one title', 'another title'),
  ),
  { minLength: 1, maxLength: 15 },
)

function apply(inbox: Inbox, [verb, definition, deduplicationKey, title]: Step): void {
  const item = { deduplicationKey, title, source: sourceOf() }
  if (verb === 'complete') inbox.completeTask(definition, deduplicationKey)
  else if (verb === 'cancel') inbox.cancelTask(definition, deduplicationKey)
  else if (verb === 'notify') inbox.createNotification(settled, item)
  else {
    const isOther = verb === 'create for another' && definition === approve
    inbox.createTask(definition, {
      ...item,
      assignedTo: isOther ? { userId: manager } : { roleCode: 'trade.clerk' },
    })
  }
}

/** Returns the stored state that the test compares, without ids and instants. */
const stored = () =>
  database.read((db) =>
    db.execute(sql`
      select coalesce(t.code, o.code) as code, coalesce(t.deduplication_key, o.deduplication_key) as key,
        coalesce(t.title, o.title) as title, t.status, t.version, t.assigned_user_id, n.display_name, e.role_id,
        e.is_open, e.is_visible, e.kind, e.sort_at = coalesce(t.sort_at, o.created_at) as is_in_order
      from work_center.entries e
      join core_audit.user_names n on n.id = e.user_id
      left join work_center.tasks t on t.id = e.item_id
      left join work_center.notifications o on o.id = e.item_id
      order by 1, 2, n.display_name`),
  )

test('several writes in one inbox have the same result as the same writes in separate inboxes', async () => {
  const write = createInboxWriter({
    ...{ database, definitions, config, administratorRoleCodes },
    announce: () => {},
  })
  await fc.assert(
    fc.asyncProperty(steps, async (plan) => {
      await clear(database)
      for (const step of plan) await write(async (inbox) => apply(inbox, step))
      const oneByOne = [...(await stored())]
      await clear(database)
      await write(async (inbox) => {
        for (const step of plan) apply(inbox, step)
      })
      expect([...(await stored())]).toEqual(oneByOne)
    }),
    { numRuns: 60 },
  )
}, 60_000)
