import type postgres from 'postgres'
import { rebuildIndexes } from '../rebuild-indexes.ts'

/** Adds audit events of the user `clerk` to all invoices, until there are at least `rows` events. */
export async function fillAudit(sql: postgres.Sql, rows: number): Promise<void> {
  await sql`
    insert into core_audit.audit_events (
      id, module, target_kind, target_type_code, target_id, action_code, actor_user_id, metadata, changes
    )
    select uuidv7(), 'document-actions', 'Document', d.type_code, d.id, 'post', clerk.id, '{"version": 2}',
      '[{"fieldPath": "status", "oldValue": "Draft", "newValue": "Posted"}]'
    from trade.documents d
    cross join core_audit.users clerk
    cross join generate_series(1, ceil(${rows}::float8 / (select count(*) from trade.documents))::int) g
    where clerk.subject = 'clerk'`
  await sql`vacuum (freeze, analyze) core_audit.audit_events`
}

/** Adds handled events of the outbox, with a completed delivery and its attempt. They are younger than the retention. */
export async function fillHandledEvents(sql: postgres.Sql, rows: number): Promise<void> {
  await rebuildIndexes(sql, 'core_audit.outbox_attempts', async () => {
    // Replicas create no deliveries: the trigger would create pending ones.
    await sql`set session_replication_role = replica`
    await sql`
      with event as (
        insert into core_audit.outbox_events (id, type, source, subject, schema_version, data)
        select id, 'document.action.completed', 'bench', 'document/trade.sales_order/' || id, 1, '{}'
        from (select uuidv7(-interval '20 days' * (1 - g / ${rows}::float8)) as id from generate_series(1, ${rows}::int) g) new
        returning id, subject, position
      ),
      delivery as (
        insert into core_audit.outbox_deliveries (event_id, consumer, subject, position, state, attempts, claimed_at)
        select id, 'work-center', subject, position, 'completed', 1, clock_timestamp()
        from event
      )
      insert into core_audit.outbox_attempts (event_id, consumer, attempt, started_at, outcome)
      select id, 'work-center', 1, clock_timestamp(), 'completed'
      from event`
    await sql`set session_replication_role = origin`
  })
  await sql`
    vacuum (freeze, analyze) core_audit.outbox_events, core_audit.outbox_deliveries, core_audit.outbox_attempts`
}
