import type { Db } from '../../database/database.ts'
import { sql } from '../../database/sql.ts'

/** The remaining work of one consumer. */
export interface OutboxSummary {
  readonly consumer: string
  readonly pendingCount: number
  readonly deadCount: number
  /**
   * The time since the oldest pending delivery was appended, or since an operator retried or unblocked it. Deliveries
   * behind a dead letter are ignored: they wait for an operator, not for the consumer.
   */
  readonly oldestPendingAgeSeconds: number | null
}

/**
 * Returns one summary for each registered consumer. `which` selects one of them, or excludes some; `null` selects all.
 * Reads only entries of `outbox_deliveries_by_subject`: finished deliveries cost nothing.
 */
export function summarizeOutbox(
  db: Db,
  which: string | { readonly except: readonly string[] } | null,
): Promise<readonly OutboxSummary[]> {
  const selected =
    typeof which === 'string'
      ? sql`consumers.name = ${which}`
      : sql`consumers.name <> all (${sql.param(which?.except ?? [])}::text[])`
  return db.execute<{ [Name in keyof OutboxSummary]: OutboxSummary[Name] }>(sql`
    select consumers.name as consumer, u.*
    from core_audit.outbox_consumers consumers
    cross join lateral (
      select (count(*) filter (where d.state = 'pending'))::int as "pendingCount",
        (count(*) filter (where d.state = 'dead'))::int as "deadCount",
        floor(extract(epoch from
          statement_timestamp() - min(d.state_since) filter (
            where d.state = 'pending' and (dead.first is null or d.position < dead.first)
          )
        ))::int as "oldestPendingAgeSeconds"
      from core_audit.outbox_deliveries d
      left join (
        select l.subject, min(l.position) as first
        from core_audit.outbox_deliveries l
        where l.consumer = consumers.name and l.state = 'dead'
        group by l.subject
      ) dead on dead.subject = d.subject
      where d.consumer = consumers.name and d.state in ('pending', 'dead')
    ) u
    where ${selected}
    order by consumers.name`)
}
