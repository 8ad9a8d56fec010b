import { sql } from 'drizzle-orm/sql'
import type { Db } from '../../database/database.ts'

/** What one consumer still has to do. */
export interface OutboxSummary {
  readonly consumer: string
  readonly pendingCount: number
  readonly deadCount: number
  /**
   * Since the oldest one was appended, or an operator last retried it or let it go on. What a dead letter holds back does
   * not count: it waits for an operator, not for the consumer.
   */
  readonly oldestPendingAgeSeconds: number | null
}

/**
 * One summary for each registered consumer, or for one of them; none when it is not registered. Reads what
 * `outbox_deliveries_unfinished` holds of the consumer: what is finished costs nothing.
 */
export function summarizeOutbox(db: Db, consumer: string | null): Promise<readonly OutboxSummary[]> {
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
    where ${consumer === null ? sql`true` : sql`consumers.name = ${consumer}`}
    order by consumers.name`)
}
