/** The statements for the lists and counts of the Work Center. They are equal to the host's statements. */
import type postgres from 'postgres'

/** The reader of a Work Center, with their rights. */
export interface Viewer {
  readonly userId: string
  readonly roleIds: readonly string[]
  readonly viewPermissions: readonly string[]
}

export type MeasuredTab = 'attention' | 'tasks' | 'completed'

export type MeasuredSort = 'newest' | 'due' | 'priority'

export const pageLimit = 50

const isSeenBy = (sql: postgres.Sql, { userId, roleIds, viewPermissions }: Viewer) => sql`
  e.user_id = ${userId}::uuid
    and (e.role_id is null or e.role_id = any(${roleIds as string[]}::uuid[]))
    and e.view_permission = any(${viewPermissions as string[]}::text[])
    and e.is_visible`

const attention = (sql: postgres.Sql) => sql`
  e.is_open and (e.kind = 'Task' or e.read_at is null)
    and (e.snoozed_until is null or e.snoozed_until <= statement_timestamp())
    and (e.expires_at is null or e.expires_at > statement_timestamp())`
const tasks = (sql: postgres.Sql, sort: MeasuredSort) =>
  sort === 'newest' ? sql`e.is_open and e.kind = (select 'Task')` : sql`e.is_open and e.kind = 'Task'`
const completed = (sql: postgres.Sql) => sql`not e.is_open and e.kind = 'Task'`
const notifications = (sql: postgres.Sql) =>
  sql`e.is_open and e.kind = 'Notification' and e.expires_at > statement_timestamp()`
const overdue = (sql: postgres.Sql) => sql`
  coalesce(e.is_open and e.kind = 'Task' and e.due_at < statement_timestamp(), false)`

const tabs = { attention, tasks, completed }

const ranks = {
  newest: (sql: postgres.Sql) => sql``,
  due: (sql: postgres.Sql) => sql`
    coalesce(-extract(epoch from e.due_at at time zone 'UTC'), '-Infinity') desc,`,
  priority: (sql: postgres.Sql) => sql`
    (case e.priority when 'Critical' then 4 when 'High' then 3 when 'Normal' then 2 when 'Low' then 1 else 0 end) desc,`,
}

/** Selects the first page of a tab and one additional row. */
export const selectPage = (
  sql: postgres.Sql,
  viewer: Viewer,
  { tab, sort }: { readonly tab: MeasuredTab; readonly sort: MeasuredSort },
) => sql`
  select e.item_id, e.kind,
    coalesce(t.code, n.code) as code,
    coalesce(t.title, n.title) as title,
    coalesce(t.description, n.description) as description,
    coalesce(t.resource_kind, n.resource_kind) as resource_kind,
    e.resource_code,
    coalesce(t.entity_id, n.entity_id) as entity_id,
    coalesce(t.source_title, n.source_title) as source_title,
    coalesce(t.source_subtitle, n.source_subtitle) as source_subtitle,
    e.priority, e.severity, t.status, e.sort_at, e.due_at,
    ${overdue(sql)} as is_overdue,
    e.read_at is not null as is_read,
    e.kind = 'Notification' and not e.is_open as is_dismissed,
    case when e.snoozed_until > statement_timestamp() then e.snoozed_until end as snoozed_until,
    t.assigned_user_id, t.assigned_role_id, t.claimed_by_user_id, t.primary_action_code,
    coalesce(t.target, n.target) as target,
    coalesce(t.version, 1) as version
  from work_center.entries e
  left join lateral (
    select * from work_center.tasks t where t.id = e.item_id and e.kind = 'Task' offset 0
  ) t on true
  left join lateral (
    select * from work_center.notifications n where n.id = e.item_id and e.kind = 'Notification' offset 0
  ) n on true
  where ${isSeenBy(sql, viewer)} and ${tabs[tab](sql, sort)}
  order by ${ranks[sort](sql)} e.sort_at desc, e.item_id desc
  limit ${pageLimit + 1}`

/** Selects the item counts of all tabs. */
export const selectSummary = (sql: postgres.Sql, viewer: Viewer) => sql`
  select
    count(*) filter (where ${attention(sql)})::int as attention,
    count(*) filter (where ${tasks(sql, 'newest')})::int as open_tasks,
    count(*) filter (where ${attention(sql)} and ${overdue(sql)})::int as overdue_tasks,
    count(*) filter (where ${notifications(sql)})::int as notifications,
    count(*) filter (where ${notifications(sql)} and e.read_at is null)::int as unread_notifications,
    coalesce((select version from work_center.user_versions where user_id = ${viewer.userId}::uuid), 0) as version
  from work_center.entries e
  where ${isSeenBy(sql, viewer)} and e.is_open`

/** Loads the rights of the role `trade.viewer`. */
export async function loadViewerRole(sql: postgres.Sql): Promise<Omit<Viewer, 'userId'>> {
  const [role] = await sql<[{ id: string; permissions: string[] }]>`
    select id, permissions from core_audit.roles where code = 'trade.viewer'`
  return {
    roleIds: [role.id],
    viewPermissions: role.permissions.filter((permission) => permission.endsWith('.view')),
  }
}
