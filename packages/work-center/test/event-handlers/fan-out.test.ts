import type { Database } from '@vertical-kit/core-audit/database'
import { recordStatements } from '@vertical-kit/core-audit/testing'
import { sql } from 'drizzle-orm/sql'
import * as v from 'valibot'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { on } from '../../src/event-handlers/event-handler.ts'
import { createInboxWriter } from '../../src/inbox/inbox.ts'
import { collectPayment, definitions, settled } from '../definitions.ts'
import {
  administratorRoleCodes,
  append,
  clear,
  config,
  type Desk,
  deliveryStates,
  makeProcessor,
  openDesk,
  tasksOf,
} from '../desk.ts'
import { patient } from '../harness.ts'
import { sourceOf, versions } from '../items.ts'

const memberCount = 5_000
let desk: Desk
let database: Database
beforeAll(async () => {
  desk = await openDesk()
  database = desk.database
  await database.statement((tx) =>
    tx.execute(sql`
      with people as (
        insert into core_audit.users (id, subject, display_name)
        select gen_random_uuid(), 'clerk-' || n, 'Clerk ' || n from generate_series(1, ${memberCount}::int) n
        returning id
      )
      insert into core_audit.user_roles (user_id, role_id)
      select people.id, r.id from people, core_audit.roles r where r.code = 'trade.clerk'`),
  )
})
afterAll(() => desk.close())
beforeEach(() => clear(database))

const source = sourceOf()
const assignedTo = { roleCode: 'trade.clerk' }

test(`one statement creates or closes a task for ${memberCount} members, and one raises their versions`, async () => {
  const statements = recordStatements()
  const write = createInboxWriter({
    ...{ database: statements.observe(database), definitions, config, administratorRoleCodes },
    announce: () => {},
  })
  for (const [index, work] of [
    () =>
      write(async (inbox) =>
        inbox.createTask(collectPayment, { deduplicationKey: 'a', title: 'A', source, assignedTo }),
      ),
    () => write(async (inbox) => inbox.completeTask(collectPayment, 'a')),
  ].entries()) {
    statements.reset()
    await work()
    // The other three statements are locks of the task and its name.
    expect(statements.count).toBe(5)
    const raised = await versions(database)
    expect(raised.size).toBe(memberCount)
    expect(new Set(raised.values())).toEqual(new Set([index + 1]))
  }
})

test('processors that handle different events for the same 5,000 users never deadlock', async () => {
  const handler = on(
    { type: 'trade.happened', schema: v.object({ keys: v.array(v.string()) }) },
    (inbox, { data }) => {
      for (const deduplicationKey of data.keys) {
        inbox.createTask(collectPayment, {
          deduplicationKey,
          title: deduplicationKey,
          source,
          assignedTo,
        })
      }
      inbox.createNotification(settled, { deduplicationKey: data.keys.join(), title: 'Settled', source })
    },
  )
  const keys = ['a', 'b', 'c']
  for (let n = 0; n < 12; n += 1) {
    await append(database, { data: { keys: n % 2 === 0 ? keys : keys.toReversed() } })
  }
  const processors = Array.from({ length: 3 }, () =>
    makeProcessor(desk.openPool(patient), [handler], { batchSize: 1 }),
  )
  await Promise.all(processors.map((processor) => processor.run()))
  expect(await deliveryStates(database)).toEqual({ completed: 12 })
  expect(processors.flatMap(({ logged }) => logged)).toEqual([])
  expect(await tasksOf(database)).toHaveLength(keys.length)
}, 120_000)
