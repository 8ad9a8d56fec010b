import { type SQL, sql } from '../../database/sql.ts'

/** A range of the audit log in the order of ids. */
export interface AuditRange {
  /** Events with larger ids. */
  readonly afterId: string | SQL
  /** Events with smaller ids. Use the time of a `Horizon` for a range that no later commit can change. */
  readonly belowId: string
  readonly limit: number
}

/**
 * Returns a select of the oldest events of a range, for other packages: `id`, `target_kind`, `target_type_code`, `target_id`,
 * `module`, `action_code`, `actor_user_id` and `occurred_at`, in the order of ids. Uses the primary key.
 */
export const auditEventsBetween = ({ afterId, belowId, limit }: AuditRange): SQL => sql`
    select id, target_kind, target_type_code, target_id, module, action_code, actor_user_id, occurred_at
    from core_audit.audit_events
    where id > (${afterId})::uuid and id < ${belowId}::uuid
    order by id
    limit ${limit}::int`

/** Returns the smallest id of an event at or after this instant. */
export const firstEventIdAt = (instant: SQL): SQL => sql`core_audit.first_event_id(${instant})`
