import postgres from 'postgres'
import { rebuildIndexes } from '../rebuild-indexes.ts'

/** A user with a filled Work Center. */
export interface Reader {
  readonly id: string
  readonly subject: string
}

export interface InboxSize {
  /** The number of readers. Each reader has 1,000 entries. Groups of ten readers receive the same items. */
  readonly readers: number
  /** The number of completed tasks of an additional reader, the veteran. 0 or absent means that no veteran is added. */
  readonly veteranTasks?: number
  /** Whether each group has a role of its own, so that the number of members of a role does not grow with the entries. */
  readonly hasRolePerGroup?: boolean
}

const entriesPerReader = 1_000
/** Readers of one group receive the same items. */
export const readersPerGroup = 10

/** Returns the number of readers that this number of entries requires. */
export const readersOf = (entries: number): number => Math.ceil(entries / entriesPerReader)

/**
 * Fills a migrated demo database with readers that have the role `trade.viewer`, or the role of their group with the same rights, and
 * with the entries of these readers.
 * 1,000 entries are 70 open tasks (half of them of a role), 630 completed tasks, and 300 notifications (50 unread, 20
 * dismissed). Rows are stored in the order of time, so the rows of one reader are scattered. Returns all readers, with
 * the veteran last.
 */
export async function fillInboxes(url: string, size: InboxSize): Promise<readonly Reader[]> {
  const sql = postgres(url, { max: 1, onnotice: () => {} })
  try {
    await sql`set maintenance_work_mem = '1GB'`
    const readers = await fillReaders(sql, size)
    await makeItems(sql, size)
    await rebuildIndexes(sql, 'work_center.tasks', () => fillTasks(sql, size))
    await rebuildIndexes(sql, 'work_center.notifications', () => fillNotifications(sql))
    await rebuildIndexes(sql, 'work_center.entries', () => fillEntries(sql, size))
    await sql`
      vacuum (freeze, analyze) work_center.tasks, work_center.notifications, work_center.entries,
        work_center.user_versions, core_audit.users, core_audit.roles, core_audit.user_roles`
    await sql`checkpoint`
    return readers
  } finally {
    await sql.end({ timeout: 5 })
  }
}

/** The code of the role of a group. The veteran's own items have the role of the first group. */
const roleOf = (
  sql: postgres.Sql,
  { hasRolePerGroup = false }: InboxSize,
  circle: postgres.PendingQuery<postgres.Row[]>,
) => (hasRolePerGroup ? sql`'bench.group_' || greatest(${circle}, 0)` : sql`'trade.viewer'`)

async function fillReaders(sql: postgres.Sql, size: InboxSize) {
  const { readers, veteranTasks = 0 } = size
  // The veteran has the items of the first group and additional items.
  const veteran = veteranTasks > 0 ? readers + 1 : 0
  await sql`
    create temp table readers as
    select uuidv7() as id, case g when ${veteran}::int then 'veteran' else 'reader-' || g end as subject,
      case g when ${veteran}::int then 0 else (g - 1) / ${readersPerGroup}::int end as circle
    from generate_series(1, ${Math.max(readers, veteran)}::int) g`
  await sql`
    insert into core_audit.users (id, subject, email, display_name)
    select id, subject, subject || '@example.com', subject from readers`
  await sql`
    insert into core_audit.roles (id, code, name, permissions)
    select uuidv7(), 'bench.group_' || circle, 'Group ' || circle, viewer.permissions
    from core_audit.roles viewer
    cross join (select distinct circle from readers) group_of_readers
    where viewer.code = 'trade.viewer' and ${size.hasRolePerGroup === true}::boolean`
  await sql`
    insert into core_audit.user_roles (user_id, role_id)
    select readers.id, role.id from readers join core_audit.roles role on role.code = ${roleOf(sql, size, sql`readers.circle`)}`
  await sql`insert into work_center.user_versions select id, 1 from readers`
  await sql`insert into readers select id, subject, -1 from readers where subject = 'veteran'`
  return sql<Reader[]>`select id, subject from readers where circle >= 0 order by id`
}

/** Creates the items, sorted from oldest to newest. `circle` is the group of the recipients, or -1 for only the veteran. */
function makeItems(sql: postgres.Sql, { readers, veteranTasks = 0 }: InboxSize) {
  return sql`
    create temp table items as
    select uuidv7(-age) as id, item.circle, statement_timestamp() - age as sort_at,
      case when circle >= 0 and n % 10 < 3 then 'Notification' else 'Task' end as kind,
      case when circle < 0 then false when n % 10 < 3 then n % 150 > 2 else n % 100 between 33 and 39 end as is_open,
      n % 60 < 10 as is_unread, n % 2 = 0 as is_of_role
    from (
      select circle, n, interval '170 days' * (n / ${entriesPerReader}::float8) + interval '1 ms' * circle as age
      from generate_series(${entriesPerReader}::int, 1, -1) n, generate_series(0, ${Math.floor((readers - 1) / readersPerGroup)}::int) circle
      union all
      select -1, n, interval '170 days' * (n / ${Math.max(veteranTasks, 1)}::float8)
      from generate_series(1, ${veteranTasks}::int) n
    ) item
    order by item.age desc`
}

const fillTasks = (sql: postgres.Sql, size: InboxSize) => sql`
  insert into work_center.tasks (
    id, code, deduplication_key, title, description, resource_kind, resource_code, entity_id, source_title,
    source_subtitle, priority, due_at, status, assigned_user_id, assigned_role_id, target, sort_at, closed_at
  )
  select items.id, 'trade.collect_payment', items.id, 'Collect payment for BENCH-000001',
    '1234.56 from Example & Sons, due on 2026-12-31.', 'document', 'trade.sales_invoice', items.id,
    'Sales invoice BENCH-000001', 'Example & Sons', 'High', items.sort_at + interval '90 days',
    case when items.is_open then 'Open' else 'Completed' end,
    case when not items.is_of_role then items.id end, case when items.is_of_role then role.id end,
    jsonb_build_object('code', 'trade.sales_invoice', 'parameters', jsonb_build_object('documentId', items.id)),
    items.sort_at, case when not items.is_open then items.sort_at end
  from items
  join core_audit.roles role on role.code = ${roleOf(sql, size, sql`items.circle`)}
  where items.kind = 'Task'`

const fillNotifications = (sql: postgres.Sql) => sql`
  insert into work_center.notifications (
    id, code, deduplication_key, title, description, resource_kind, resource_code, entity_id, source_title,
    source_subtitle, severity, target, created_at, expires_at
  )
  select id, 'trade.invoice_settled', id, 'Invoice BENCH-000001 is settled',
    'Example & Sons owes nothing any more of 1234.56.', 'document', 'trade.sales_invoice', id,
    'Sales invoice BENCH-000001', 'Example & Sons', 'Success',
    jsonb_build_object('code', 'trade.sales_invoice', 'parameters', jsonb_build_object('documentId', id)),
    sort_at, sort_at + interval '1 year'
  from items
  where kind = 'Notification'`

const fillEntries = (sql: postgres.Sql, size: InboxSize) => sql`
  insert into work_center.entries (
    user_id, item_id, kind, role_id, view_permission, resource_code, priority, severity, due_at, expires_at,
    is_open, read_at, sort_at, changes_at
  )
  select readers.id, items.id, items.kind,
    case when items.kind = 'Task' and items.is_open and items.is_of_role then role.id end,
    'document.trade.sales_invoice.view', 'trade.sales_invoice',
    case items.kind when 'Task' then 'High' end, case items.kind when 'Notification' then 'Success' end,
    case items.kind when 'Task' then items.sort_at + interval '90 days' end,
    case items.kind when 'Notification' then items.sort_at + interval '1 year' end,
    items.is_open,
    case when not items.is_unread then items.sort_at + interval '1 hour' end,
    items.sort_at,
    case
      when items.kind = 'Notification' and items.is_open then items.sort_at + interval '1 year'
      when items.is_open and items.sort_at + interval '90 days' > statement_timestamp()
        then items.sort_at + interval '90 days'
    end
  from items
  join readers on readers.circle = items.circle
  join core_audit.roles role on role.code = ${roleOf(sql, size, sql`items.circle`)}
  order by items.sort_at, readers.id`
