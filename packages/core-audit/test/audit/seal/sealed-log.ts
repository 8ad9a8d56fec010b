import { auditSealingDefaults, createAuditSealing } from '@vertical-kit/core-audit/audit'
import type { Database } from '@vertical-kit/core-audit/database'
import { sql } from 'drizzle-orm/sql'
import { idAt } from '../../../src/audit/seal/event-ids.ts'
import { runSql } from '../../harness.ts'

/** The time of the first event of a test: 2026-01-01. */
const startMs = Date.UTC(2026, 0, 1)

/** Without a delay, events are sealed as soon as no transaction can commit a smaller id. */
export const config = { ...auditSealingDefaults, delayMs: 0 }

/** Returns the id of the event with this number. Ids are one millisecond apart. */
export const idOf = (number: number): string => idAt(startMs + number)

/** Stores events with the numbers `from` to `to`. Their ids have a time in the past, so they can be sealed immediately. */
export async function addEvents(database: Database, from: number, to: number): Promise<void> {
  await database.statement((tx) =>
    tx.execute(sql`
      insert into core_audit.audit_events
        (id, module, target_kind, target_type_code, target_id, action_code, actor_user_id, correlation_id, metadata, changes)
      select (lpad(to_hex(${startMs}::bigint + n), 12, '0') || '00000000000000000000')::uuid,
        'trade', 'Document', 'trade.sales_invoice', ${idOf(0)}::uuid, 'documents.posted', ${idOf(1)}::uuid, 'request-' || n,
        jsonb_build_object('number', n), jsonb_build_array(jsonb_build_object('fieldPath', 'total', 'newValue', n))
      from generate_series(${from}::int, ${to}::int) n`),
  )
}

/** Seals like a host: at the first cycle, the worker only looks which transactions are open. */
export async function seal(database: Database, options: Partial<typeof config> = {}): Promise<void> {
  const worker = sealingWorker(database, options)
  await worker.runOnce(new AbortController().signal)
  await worker.runOnce(new AbortController().signal)
}

/** Returns the worker of one host. */
export function sealingWorker(database: Database, options: Partial<typeof config> = {}) {
  const { workers = [] } = createAuditSealing({ database, config: { ...config, ...options } })
  const [worker] = workers
  if (worker === undefined) throw new Error('The module has no worker')
  return worker
}

/** Returns the stored seals, without hashes. */
export const storedSeals = async (database: Database) => [
  ...(await database.read((db) =>
    db.execute(sql`
      select sequence::int, first_event_id, last_event_id, event_count
      from core_audit.audit_seals order by sequence`),
  )),
]

/** Runs statements as a superuser who has disabled the triggers that reject changes. */
export const tamper = (url: string, statements: string): Promise<void> =>
  runSql(
    url,
    `do $do$
     declare
       name text;
     begin
       for name in select audit_partitions.name from core_audit.audit_partitions() loop
         execute format('alter table core_audit.%I disable trigger user', name);
       end loop;
     end
     $do$;
     alter table core_audit.audit_events disable trigger user;
     alter table core_audit.audit_seals disable trigger user;
     ${statements}`,
  )
