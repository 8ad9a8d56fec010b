import type { Database } from '@vertical-kit/core-audit/database'
import { sql } from 'drizzle-orm/sql'

/** The version of a document and the numbers of rows that its executions stored. */
export type Effects = {
  version: number
  entries: number
  auditEvents: number
  outboxEvents: number
  deliveries: number
  executions: number
  derivations: number
  /** Number of derived documents that exist. */
  createdDocuments: number
}

/** The effects on a document before its first execution. */
export const noEffects: Effects = {
  version: 1,
  entries: 0,
  auditEvents: 0,
  outboxEvents: 0,
  deliveries: 0,
  executions: 0,
  derivations: 0,
  createdDocuments: 0,
}

/** The effects of one posting of an invoice, without registered consumers of events. */
export const onePosting: Effects = {
  ...noEffects,
  version: 2,
  entries: 2,
  auditEvents: 1,
  outboxEvents: 1,
  executions: 1,
}

/** Counts the effects on a document; returns `undefined` if the document is deleted. */
export async function effectsOf(
  database: Database,
  { id }: { readonly id: string },
): Promise<Effects | undefined> {
  const [row] = await database.read((db) =>
    db.execute<Effects>(sql`
      select version,
        (select count(*)::int from shop.entries where document_id = d.id) as entries,
        (select count(*)::int from core_audit.audit_events where target_id = d.id) as "auditEvents",
        (
          select count(*)::int from core_audit.outbox_events
          where subject = 'document/' || d.type_code || '/' || d.id::text
        ) as "outboxEvents",
        (
          select count(*)::int from core_audit.outbox_deliveries
          where subject = 'document/' || d.type_code || '/' || d.id::text
        ) as deliveries,
        (select count(*)::int from document_actions.executions where document_id = d.id) as executions,
        (select count(*)::int from document_actions.derivations where source_id = d.id) as derivations,
        (
          select count(*)::int
          from document_actions.derivations l
          join document_actions.documents created on created.id = l.created_id
          where l.source_id = d.id
        ) as "createdDocuments"
      from document_actions.documents d
      where id = ${id}::uuid`),
  )
  return row
}
