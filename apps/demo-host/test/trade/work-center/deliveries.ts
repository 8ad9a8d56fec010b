import type { Database } from '@vertical-kit/core-audit/database'
import { sql } from 'drizzle-orm/sql'
import type { Processor } from './desk.ts'

type Row = { event_id: string; subject: string }

/** Returns the subjects of all events that are not handled yet. */
export async function pendingSubjects(database: Database): Promise<readonly string[]> {
  const rows = await database.read((db) =>
    db.execute<Row>(sql`
      select distinct subject from core_audit.outbox_deliveries where state = 'pending' order by subject`),
  )
  return rows.map(({ subject }) => subject)
}

/** Handles only the first pending event of one subject. */
export async function handleNextOf(database: Database, processor: Processor, subject: string): Promise<void> {
  await database.transaction(async (tx) => {
    await tx.execute(sql`
      update core_audit.outbox_deliveries set available_at = 'infinity' where state = 'pending'`)
    await tx.execute(sql`
      update core_audit.outbox_deliveries
      set available_at = statement_timestamp()
      where event_id = (
        select event_id
        from core_audit.outbox_deliveries
        where state = 'pending' and subject = ${subject}
        order by position
        limit 1
      )`)
  })
  await processor.run()
}

/** Makes all pending events available, so processors can handle them. */
export const releaseAll = (database: Database) =>
  database.statement((tx) =>
    tx.execute(sql`
      update core_audit.outbox_deliveries set available_at = statement_timestamp() where state = 'pending'`),
  )
