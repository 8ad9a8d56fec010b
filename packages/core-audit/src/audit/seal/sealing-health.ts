import type { Database } from '../../database/database.ts'
import { sql } from '../../database/sql.ts'
import type { HealthCheck } from '../../host/health.ts'
import type { AuditSealingConfig } from './config.ts'
import { timeOfId } from './event-ids.ts'

export interface SealingHealthOptions {
  readonly database: Database
  readonly config: AuditSealingConfig
}

/** How long an event waits after it could be sealed before that is reported. */
const toleratedMs = 10 * 60_000

/**
 * Reports Degraded if the oldest event without a seal should have been sealed 10 minutes ago: no host seals, or a transaction
 * that wrote an event is still open. Also Degraded if the clock of the database is behind the newest seal: new events then get
 * ids among sealed ones, and `audit verify` reports them as inserted. Also Degraded if the clock was ahead: the events with a later
 * time are sealed only when that time is reached.
 */
export function sealingHealth({ database, config }: SealingHealthOptions): HealthCheck {
  const limitMs = config.delayMs + 2 * config.intervalMs + toleratedMs
  return {
    name: 'auditSeals',
    async check() {
      const { nowMs, sealedId, oldestId, newestId } = await findUnsealed(database)
      if (sealedId !== null && timeOfId(sealedId) > nowMs) {
        return {
          status: 'Degraded',
          detail: 'The clock of the database is behind the newest sealed audit event. Correct the clock.',
        }
      }
      if (newestId !== null && timeOfId(newestId) - nowMs > toleratedMs) {
        const fromUtc = new Date(timeOfId(newestId)).toISOString()
        return {
          status: 'Degraded',
          detail: `The clock of the database was ahead. The audit events of that time are sealed from ${fromUtc} on.`,
        }
      }
      const ageMs = oldestId === null ? null : Math.max(0, nowMs - timeOfId(oldestId))
      const oldestPendingAgeSeconds = ageMs === null ? null : Math.floor(ageMs / 1_000)
      if (ageMs === null || ageMs <= limitMs) return { status: 'Healthy', oldestPendingAgeSeconds }
      return {
        status: 'Degraded',
        detail:
          'Audit events wait for their seal. Check that a host runs the worker, and find transactions that stay open.',
        oldestPendingAgeSeconds,
      }
    },
  }
}

/** Reads one entry of each primary key, and the last one of the events. */
async function findUnsealed(database: Database) {
  const [row] = await database.read((db) =>
    db.execute<{
      now_ms: number
      sealed_id: string | null
      oldest_id: string | null
      newest_id: string | null
    }>(sql`
      with newest as materialized (
        select last_event_id from core_audit.audit_seals order by sequence desc limit 1
      )
      select (extract(epoch from clock_timestamp()) * 1000)::float8 as now_ms,
        (select last_event_id from newest) as sealed_id,
        (
          select id
          from core_audit.audit_events
          where id > coalesce((select last_event_id from newest), '00000000-0000-0000-0000-000000000000')
          order by id
          limit 1
        ) as oldest_id,
        (select id from core_audit.audit_events order by id desc limit 1) as newest_id`),
  )
  if (row === undefined) throw new Error('The query returned no row')
  return { nowMs: row.now_ms, sealedId: row.sealed_id, oldestId: row.oldest_id, newestId: row.newest_id }
}
