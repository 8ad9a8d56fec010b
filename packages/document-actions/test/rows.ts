import type { Database } from '@vertical-kit/core-audit/database'
import type { DocumentReference } from '@vertical-kit/document-actions'
import { sql } from 'drizzle-orm/sql'

/** Returns all rows that executions can write, with all columns. */
export async function everyRow(database: Database) {
  return database.read(async (db) => ({
    documents: await db.execute(sql`select * from document_actions.documents order by id`),
    derivations: await db.execute(sql`select * from document_actions.derivations order by execution_id`),
    executions: await db.execute(sql`select * from document_actions.executions order by id`),
    events: await db.execute(sql`select * from core_audit.audit_events order by id`),
    outboxEvents: await db.execute(sql`select * from core_audit.outbox_events order by position`),
    deliveries: await db.execute(sql`select * from core_audit.outbox_deliveries order by event_id, consumer`),
    users: await db.execute(sql`select * from core_audit.users order by id`),
    entries: await db.execute(sql`select * from shop.entries order by id`),
  }))
}

export type StoredEvent = {
  id: string
  module: string
  target_kind: string
  target_type_code: string
  target_id: string
  action_code: string
  actor_user_id: string | null
  correlation_id: string | null
  metadata: Readonly<Record<string, unknown>>
  changes: readonly { fieldPath: string; oldValue: unknown; newValue: unknown }[]
}

/** Returns the audit events of a document in order. */
export async function storedEvents(
  database: Database,
  { id }: Pick<DocumentReference, 'id'>,
): Promise<readonly StoredEvent[]> {
  return database.read((db) =>
    db.execute<StoredEvent>(sql`
      select id, module, target_kind, target_type_code, target_id, action_code, actor_user_id, correlation_id,
        metadata, changes
      from core_audit.audit_events
      where target_id = ${id}::uuid
      order by occurred_at, id`),
  )
}

export type StoredOutboxEvent = {
  id: string
  type: string
  source: string
  subject: string
  time: string
  actor_user_id: string | null
  correlation_id: string | null
  causation_id: string | null
  schema_version: number
  data: Readonly<Record<string, unknown>>
  /** The consumers with a delivery of the event. */
  consumers: readonly string[]
}

/** Returns the outbox events of a document in order, with the consumers of each. */
export async function storedOutboxEvents(
  database: Database,
  { typeCode, id }: DocumentReference,
): Promise<readonly StoredOutboxEvent[]> {
  return database.read((db) =>
    db.execute<StoredOutboxEvent>(sql`
      select e.id, type, source, e.subject, time, actor_user_id, correlation_id, causation_id, schema_version, data,
        (
          select coalesce(array_agg(consumer order by consumer), '{}')
          from core_audit.outbox_deliveries
          where event_id = e.id and state = 'pending'
        ) as consumers
      from core_audit.outbox_events e
      where e.subject = ${`document/${typeCode}/${id}`}
      order by e.position`),
  )
}

/** Returns the id of a user, or `undefined` if the user does not exist. */
export async function userIdOf(database: Database, subject: string): Promise<string | undefined> {
  const [row] = await database.read((db) =>
    db.execute<{ id: string }>(sql`select id from core_audit.users where subject = ${subject}`),
  )
  return row?.id
}
