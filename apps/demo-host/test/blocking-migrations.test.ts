import { blockingMigrations } from '@vertical-kit/core-audit/testing'
import { freshDatabase } from '@vertical-kit/dev-services'
import postgres from 'postgres'
import { expect, inject, onTestFinished, test } from 'vitest'
import { hostMigrations } from '../src/migrations.ts'

/**
 * A migration that processes 10,000 rows must not block other statements. The rows of most tables are alike, so a migration
 * processes all of them or a fixed number, and 20,000 are as good as 1,000,000. One of ten entries differs from the others.
 */
const many = 'generate_series(1, 20000) n'
const manyOfEachKind = 'generate_series(1, 200000) n'
const uuid = `lpad(to_hex(n), 32, '0')::uuid`

/**
 * The statements that fill the tables that migrations lock. A migration that locks another table
 * needs one more statement. `null` for a table that is small in every deployment.
 */
const fills: Readonly<Record<string, string | null>> = {
  // A deployment has few roles.
  'core_audit.roles': null,
  'core_audit.users': `
    insert into core_audit.users (id, subject, display_name) select ${uuid}, 'user-' || n, 'User' from ${many}`,
  'core_audit.audit_events': `
    insert into core_audit.audit_events (id, module, target_kind, target_type_code, target_id, action_code)
    select ${uuid}, 'notes', 'Document', 'order', ${uuid}, 'added' from ${many}`,
  'core_audit.outbox_events': `
    insert into core_audit.outbox_events (id, type, source, subject, schema_version, data)
    select ${uuid}, 'posted', 'trade', 'order', 1, '{}' from ${many}`,
  'core_audit.outbox_deliveries': `
    insert into core_audit.outbox_deliveries (event_id, consumer, subject, position, state)
    select ${uuid}, 'work-center', 'order', n, 'completed' from ${many}`,
  'core_audit.outbox_attempts': `
    insert into core_audit.outbox_attempts (event_id, consumer, attempt, started_at, outcome)
    select ${uuid}, 'work-center', 1, now(), 'completed' from ${many}`,
  // One row for each consumer.
  'core_audit.outbox_consumers': null,
  // Deleted rows are in no partial index, so the fill takes half of the time.
  'attachments.attachments': `
    insert into attachments.attachments (
      id, target_kind, target_type_code, target_id, file_name, content_type, size_bytes, created_by_user_id, status, deleted_at
    )
    select ${uuid}, 'Document', 'order', ${uuid}, 'a.pdf', 'application/pdf', 1, ${uuid}, 'deleted', now() from ${many}`,
  'notes.mentions': `
    insert into notes.mentions (note_id, user_id) select ${uuid}, ${uuid} from ${many}`,
  'document_actions.executions': `
    insert into document_actions.executions (
      id, actor_user_id, idempotency_key, fingerprint, document_type, document_id, action_code, result
    )
    select ${uuid}, ${uuid}, n, decode(repeat('00', 32), 'hex'), 'order', ${uuid}, 'post', '{}' from ${many}`,
  'work_center.tasks': `
    insert into work_center.tasks (
      id, code, deduplication_key, title, resource_kind, resource_code, entity_id, source_title, assigned_user_id
    )
    select ${uuid}, 'trade.task', n, 'Task', 'document', 'order', ${uuid}, 'Order', ${uuid} from ${many}`,
  'work_center.notifications': `
    insert into work_center.notifications (
      id, code, deduplication_key, title, resource_kind, resource_code, entity_id, source_title, severity, expires_at
    )
    select ${uuid}, 'trade.notice', n, 'Notice', 'document', 'order', ${uuid}, 'Order', 'Success', now()
    from ${many}`,
  'work_center.preferences': `
    insert into work_center.preferences (user_id, code, channel, is_enabled)
    select ${uuid}, 'trade.task', 'InApp', false from ${many}`,
  'trade.catalog_items': `
    insert into trade.catalog_items (id, type_code, name) select ${uuid}, 'item', 'Item ' || n from ${many}`,
  'trade.documents': `
    insert into trade.documents (id, type_code, number, display, payload)
    select ${uuid}, 'order', n, 'Order', '{"fields": {}}' from ${many}`,
  // The triggers that check the balance of each posting always fire.
  'trade.postings': `
    alter table trade.postings disable trigger all;
    insert into trade.postings (document_type, document_id, document_number, action_code, execution_id, total)
    select 'order', ${uuid}, n, 'post', ${uuid}, 0 from ${many}`,
  // 200 users, and one of ten entries is open.
  'work_center.entries': `
    insert into work_center.entries (
      user_id, item_id, kind, view_permission, resource_code, severity, expires_at, is_open, sort_at
    )
    select lpad(to_hex(n / 1000), 32, '0')::uuid, ${uuid}, 'Notification', 'trade.order.view', 'order', 'Info',
      now(), n % 10 = 0, now()
    from ${manyOfEachKind}`,
}

test('no migration blocks readers or writers of tables with many rows', async () => {
  const database = await freshDatabase(inject('postgresUrl'))
  onTestFinished(() => database.drop())
  const sql = postgres(database.url, { max: 1 })
  onTestFinished(() => sql.end())
  // Disables triggers, because deliveries of events and foreign keys would take most of the time.
  await sql`set session_replication_role = replica`
  const fill = async (table: string) => {
    // The partitions of later years are empty: all events belong to the first one.
    if (/^core_audit\.audit_events_\d{4}$/.test(table)) return
    const statement = fills[table]
    if (statement === undefined) throw new Error(`A migration locks ${table}: add a statement that fills it.`)
    if (statement !== null) await sql.unsafe(statement)
  }
  expect(await blockingMigrations({ databaseUrl: database.url, packs: hostMigrations, fill })).toEqual([])
})
