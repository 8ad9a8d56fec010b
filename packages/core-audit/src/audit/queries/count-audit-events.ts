import type { Db } from '../../database/database.ts'
import { sql } from '../../database/sql.ts'
import type { BusinessObjectReference } from '../../objects/contract.ts'

/** The objects to compare with an earlier count. Ids of events grow with time, so an id stands for a moment. */
export interface CountAuditEvents {
  readonly references: readonly BusinessObjectReference[]
  /** Counts events with this id and larger ids. */
  readonly sinceId: string
  /** Counts again, from this larger or equal id: the start of the next comparison. */
  readonly nextId: string
}

/** The committed events of one object, from two ids on. */
export interface AuditEventCounts {
  readonly sinceCount: number
  readonly nextCount: number
}

/**
 * Counts recent events of several objects in one statement, in the order of the references. A count grows with every commit,
 * also if the transaction created its id before others that committed earlier. Uses the index `audit_events_by_target`.
 */
export async function countAuditEvents(
  db: Db,
  { references, sinceId, nextId }: CountAuditEvents,
): Promise<readonly AuditEventCounts[]> {
  if (references.length === 0) return []
  const rows = await db.execute<{ since_count: number; next_count: number }>(sql`
    select count(e.id)::int as since_count, (count(e.id) filter (where e.id >= ${nextId}::uuid))::int as next_count
    from unnest(
      ${sql.param(references.map(({ kind }) => kind))}::text[],
      ${sql.param(references.map(({ typeCode }) => typeCode))}::text[],
      ${sql.param(references.map(({ id }) => id))}::uuid[]
    ) with ordinality t (kind, type_code, id, place)
    left join core_audit.audit_events e on e.target_id = t.id
      and e.target_kind = t.kind
      and e.target_type_code = t.type_code
      and e.id >= ${sinceId}::uuid
    group by t.place
    order by t.place`)
  return rows.map((row) => ({ sinceCount: row.since_count, nextCount: row.next_count }))
}
