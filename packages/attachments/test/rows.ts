import type { AttachmentStatus } from '@vertical-kit/attachments/contract'
import type { Database } from '@vertical-kit/core-audit/database'
import { type SQL, sql } from 'drizzle-orm/sql'

export type StoredAttachment = {
  status: AttachmentStatus
  is_completed: boolean
  is_deleted: boolean
  is_leased: boolean
}

/** Returns the stored state of an attachment, or undefined if the id is unknown. */
export async function storedAttachment(
  database: Database,
  id: string,
): Promise<StoredAttachment | undefined> {
  const [row] = await database.read((db) =>
    db.execute<StoredAttachment>(sql`
      select status, completed_at is not null as is_completed, deleted_at is not null as is_deleted,
        seal_lease_until is not null as is_leased
      from attachments.attachments
      where id = ${id}::uuid`),
  )
  return row
}

export type StoredEvent = {
  action_code: string
  module: string
  target_id: string
  actor_user_id: string | null
  correlation_id: string | null
  metadata: Record<string, unknown>
}

/** Returns the audit events of an attachment, oldest first. */
export async function storedEvents(database: Database, id: string): Promise<readonly StoredEvent[]> {
  return database.read((db) =>
    db.execute<StoredEvent>(sql`
      select action_code, module, target_id, actor_user_id, correlation_id, metadata
      from core_audit.audit_events
      where metadata->>'attachmentId' = ${id}
      order by occurred_at, id`),
  )
}

/** Returns the action codes of an attachment's audit events, oldest first and without the prefix `attachments.`. */
export async function eventCodes(database: Database, id: string): Promise<readonly string[]> {
  const events = await storedEvents(database, id)
  return events.map((event) => event.action_code.replace('attachments.', ''))
}

/** Moves the creation time of an upload into the past, by this many milliseconds. */
export async function backdate(database: Database, id: string, byMs: number): Promise<void> {
  await update(database, id, sql`created_at = created_at - ${byMs}::float8 * interval '1 millisecond'`)
}

/** Lets the seal lease of an upload expire immediately. */
export async function endLease(database: Database, id: string): Promise<void> {
  await update(database, id, sql`seal_lease_until = clock_timestamp()`)
}

/** Sets a seal lease that lasts one hour and that no process will release, like after a crash. */
export async function leaseToTheDead(database: Database, id: string): Promise<void> {
  await update(
    database,
    id,
    sql`seal_lease_id = gen_random_uuid(), seal_lease_until = clock_timestamp() + interval '1 hour'`,
  )
}

/** Locks the row of an attachment, runs `work`, and then releases the lock. */
export async function holdingRow(
  database: Database,
  id: string,
  work: () => Promise<unknown>,
): Promise<void> {
  await database.transaction(async (tx) => {
    await tx.execute(sql`select id from attachments.attachments where id = ${id}::uuid for update`)
    await work()
  })
}

async function update(database: Database, id: string, assignments: SQL): Promise<void> {
  const rows = await database.statement((tx) =>
    tx.execute(sql`update attachments.attachments set ${assignments} where id = ${id}::uuid returning id`),
  )
  if (rows.length !== 1) throw new Error(`There is no attachment ${id}`)
}
