import type { BusinessObjectReference } from '@vertical-kit/core-audit/contract'
import type { Database } from '@vertical-kit/core-audit/database'
import { sql } from 'drizzle-orm/sql'

export type StoredNote = {
  id: string
  target_kind: string
  target_type_code: string
  target_id: string
  text: string
  version: number
  created_at: string
  created_by_user_id: string
  updated_at: string
  updated_by_user_id: string
  deleted_at: string | null
}

/** Returns all columns of a note. */
export async function storedNote(database: Database, id: string): Promise<StoredNote> {
  const [row] = await database.read((db) =>
    db.execute<StoredNote>(sql`select * from notes.notes where id = ${id}::uuid`),
  )
  if (row === undefined) throw new Error(`Note ${id} does not exist`)
  return row
}

export type StoredEvent = {
  id: string
  module: string
  target_kind: string
  target_type_code: string
  target_id: string
  action_code: string
  occurred_at: string
  actor_user_id: string | null
  correlation_id: string | null
  metadata: { noteId: string; version: number }
  changes: { fieldPath: string; oldValue: unknown; newValue: unknown }[]
}

/** Returns the audit events of an object with all columns, oldest first. */
export async function storedEvents(
  database: Database,
  target: BusinessObjectReference,
): Promise<readonly StoredEvent[]> {
  return database.read((db) =>
    db.execute<StoredEvent>(sql`
      select * from core_audit.audit_events where target_id = ${target.id}::uuid order by occurred_at, id`),
  )
}

/** Returns all rows of the tables that requests for notes can change. */
export async function everyRow(database: Database) {
  return database.read(async (db) => ({
    notes: await db.execute(sql`select * from notes.notes order by id`),
    events: await db.execute(sql`select * from core_audit.audit_events order by id`),
    users: await db.execute(sql`select * from core_audit.users order by id`),
  }))
}
