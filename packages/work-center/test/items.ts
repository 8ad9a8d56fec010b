import { newId } from '@vertical-kit/core-audit'
import type { Database, Tx } from '@vertical-kit/core-audit/database'
import { sql } from 'drizzle-orm/sql'
import { type CreateTask, createTasks } from '../src/commands/create-tasks.ts'
import { raiseVersions } from '../src/commands/raise-versions.ts'
import { changesOf, type SeenRow } from '../src/commands/seen-row.ts'
import type { Severity, Source } from '../src/contract.ts'
import type { TaskDefinition } from '../src/definitions/definition.ts'
import { nextChange } from '../src/inbox/next-change.ts'
import { collectPayment } from './definitions.ts'

/** Instants that are far from the time of any test run. */
export const longAgo = '2020-01-01T00:00:00.000Z'
export const farAhead = '2999-01-01T00:00:00.000Z'
export const fartherAhead = '2999-12-31T23:59:59.999Z'

export const sourceOf = (resourceCode = 'trade.sales_invoice', resourceKind = 'document'): Source => ({
  resourceKind,
  resourceCode,
  entityId: newId(),
  title: 'SI-1',
  subtitle: null,
})

export type NewTask = Partial<CreateTask> & { readonly definition?: TaskDefinition }

/** Creates a task in the same way as an event handler, and returns its id. The default assignee is the role of clerks. */
export function addTask(database: Database, task: NewTask = {}): Promise<string> {
  return database.transaction((tx) => addTaskIn(tx, task))
}

async function addTaskIn(tx: Tx, { definition = collectPayment, ...task }: NewTask): Promise<string> {
  const deduplicationKey = task.deduplicationKey ?? newId()
  const changes = await createTasks(tx, definition, [
    {
      title: 'Collect the payment of SI-1',
      source: sourceOf(),
      assignedTo: { roleCode: 'trade.clerk' },
      ...task,
      deduplicationKey,
    },
  ])
  await raiseVersions(tx, [], changes)
  const [row] = await tx.execute<{ id: string }>(sql`
    select id from work_center.tasks where code = ${definition.code} and deduplication_key = ${deduplicationKey}`)
  if (row === undefined) throw new Error('This task has no recipients')
  return row.id
}

export interface NewNotification {
  readonly to: readonly string[]
  readonly source?: Source
  readonly severity?: Severity
  readonly expiresAtUtc?: string
}

/** Creates a notification and returns its id. */
export function addNotification(database: Database, notification: NewNotification): Promise<string> {
  return database.transaction((tx) => addNotificationIn(tx, notification))
}

async function addNotificationIn(
  tx: Tx,
  { to, source = sourceOf(), severity = 'Success', expiresAtUtc = farAhead }: NewNotification,
): Promise<string> {
  const id = newId()
  const changesAt = nextChange({
    isOpen: sql`true`,
    snoozedUntil: sql`null::timestamptz`,
    dueAt: sql`null::timestamptz`,
    expiresAt: sql`n.expires_at`,
  })
  const rows = await tx.execute<SeenRow>(sql`
    with n as (
      insert into work_center.notifications (
        id, code, deduplication_key, title, resource_kind, resource_code, entity_id, source_title, severity, expires_at
      )
      values (
        ${id}::uuid, 'trade.invoice_settled', ${id}, 'SI-1 is settled', ${source.resourceKind},
        ${source.resourceCode}, ${source.entityId}::uuid, ${source.title}, ${severity}, ${expiresAtUtc}::timestamptz
      )
      returning *
    )
    insert into work_center.entries (
      user_id, item_id, kind, view_permission, resource_code, severity, expires_at, sort_at, changes_at
    )
    select u.id, n.id, 'Notification', n.resource_kind || '.' || n.resource_code || '.view', n.resource_code,
      n.severity, n.expires_at, n.created_at, ${changesAt}
    from n, unnest(${sql.param(to)}::uuid[]) u (id)
    returning user_id::text as user_ids, view_permission, true as is_private`)
  await raiseVersions(tx, [], changesOf(rows))
  return id
}

/** Completes or cancels a task. */
export function closeTask(
  database: Database,
  id: string,
  status: 'Completed' | 'Cancelled' = 'Completed',
): Promise<void> {
  return database.transaction((tx) => closeTaskIn(tx, id, status))
}

async function closeTaskIn(
  tx: Tx,
  id: string,
  status: 'Completed' | 'Cancelled' = 'Completed',
): Promise<void> {
  const rows = await tx.execute<SeenRow>(sql`
    with task as (
      update work_center.tasks
      set status = ${status}, closed_at = clock_timestamp(), sort_at = clock_timestamp(), version = version + 1
      where id = ${id}::uuid and closed_at is null
      returning id, sort_at
    )
    update work_center.entries e
    set is_open = false, changes_at = null, sort_at = task.sort_at
    from task
    where e.item_id = task.id
    returning e.user_id::text as user_ids, e.view_permission`)
  await raiseVersions(tx, [], changesOf(rows))
}

/** Stores the end of the snooze in all entries of an item. The end can be in the past. */
export const storeSnooze = (database: Database, id: string, until: string | null) =>
  database.statement((tx) =>
    tx.execute(sql`
      update work_center.entries set snoozed_until = ${until}::timestamptz where item_id = ${id}::uuid`),
  )

export type StoredEntry = {
  user_id: string
  role_id: string | null
  is_open: boolean
  is_visible: boolean
  read_at: string | null
  snoozed_until: string | null
  changes_at: string | null
}

/** Lists the entries of an item. */
export const entriesOf = (database: Database, id: string): Promise<readonly StoredEntry[]> =>
  database.read((db) =>
    db.execute<StoredEntry>(sql`
      select user_id, role_id, is_open, is_visible, read_at, snoozed_until, changes_at
      from work_center.entries
      where item_id = ${id}::uuid
      order by user_id`),
  )

/** Returns all stored versions by user id. */
export async function versions(database: Database): Promise<ReadonlyMap<string, number>> {
  const rows = await database.read((db) =>
    db.execute<{ user_id: string; version: number }>(
      sql`select user_id, version::int as version from work_center.user_versions`,
    ),
  )
  return new Map(rows.map((row) => [row.user_id, row.version]))
}
