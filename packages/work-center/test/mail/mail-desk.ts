import { newId } from '@vertical-kit/core-audit'
import type { Database } from '@vertical-kit/core-audit/database'
import { sql } from 'drizzle-orm/sql'
import { afterAll, beforeAll, beforeEach } from 'vitest'
import { clear, type Desk, openDesk } from '../desk.ts'
import { sourceOf } from '../items.ts'
import { addUser } from '../people.ts'
import { collectPayment, settled, writerOf } from './mailer.ts'

export let desk: Desk
export let database: Database
export let clerk: string
export let other: string

/** Opens the desk of a test file with two clerks, and empties it before each test. */
export function openMailDesk(): void {
  beforeAll(async () => {
    desk = await openDesk()
    database = desk.database
    clerk = await addUser(database, 'clerk', ['trade.clerk'])
    other = await addUser(database, 'other', ['trade.clerk'])
  })
  afterAll(() => desk.close())
  beforeEach(() => clear(database))
}

export const words = { title: 'Collect 100 € from Ms <Secret>', description: 'It is late & large.' }

/** Creates one task of the role of clerks, or of one user. */
export const addTask = (
  to: { roleCode: string } | { userId: string } = { userId: clerk },
  key: string = newId(),
) =>
  writerOf(database)(async (inbox) =>
    inbox.createTask(collectPayment, {
      ...words,
      deduplicationKey: key,
      source: { ...sourceOf(), subtitle: 'Acme & Sons' },
      assignedTo: to,
      dueAtUtc: '2999-07-01T10:00:00.000Z',
    }),
  )
export const addNotification = (userIds: readonly string[] = [clerk]) =>
  writerOf(database)(async (inbox) =>
    inbox.createNotification(settled, {
      ...words,
      deduplicationKey: newId(),
      source: sourceOf(),
      to: { userIds },
    }),
  )
export const change = (statement: ReturnType<typeof sql>) => database.statement((tx) => tx.execute(statement))
export const requestCount = async () => {
  const [row] = await database.read((db) =>
    db.execute<{ count: number }>(sql`select count(*)::int from work_center.mail_requests`),
  )
  return row?.count
}
export const choose = (userId: string, code: string, isEnabled: boolean) =>
  change(sql`
    insert into work_center.preferences (user_id, code, channel, is_enabled)
    values (${userId}::uuid, ${code}, 'Email', ${isEnabled})
    on conflict (user_id, code, channel) do update set is_enabled = excluded.is_enabled`)
