import { type SQL, sql, toInstant, toInstantOrNull } from '@vertical-kit/core-audit'
import type { RowOf } from '@vertical-kit/core-audit/schema'
import type { Item, TaskStatus } from '../contract.ts'
import type { tasks } from '../schema.ts'
import type { entries } from '../schema-internal.ts'
import { isOverdue } from './viewer.ts'

/** A row with the {@link itemColumns}: an entry with its item. */
export type ItemRow = RowOf<
  typeof entries,
  'itemId' | 'kind' | 'resourceCode' | 'priority' | 'severity' | 'sortAt' | 'dueAt' | 'snoozedUntil'
> &
  // For a notification, the columns that tasks and notifications share contain the notification's values. All other
  // columns are null.
  RowOf<
    typeof tasks,
    | 'code'
    | 'title'
    | 'description'
    | 'resourceKind'
    | 'entityId'
    | 'sourceTitle'
    | 'sourceSubtitle'
    | 'assignedUserId'
    | 'assignedRoleId'
    | 'claimedByUserId'
    | 'primaryActionCode'
    | 'dueOn'
    | 'titleText'
    | 'descriptionText'
    | 'target'
    | 'version'
  > & {
    status: TaskStatus | null
    is_overdue: boolean
    is_read: boolean
    is_dismissed: boolean
    /** The user whose entry it is. Absent or null for an own entry of the reader. */
    on_behalf_of?: string | null
    on_behalf_of_name?: string | null
  }

/**
 * The columns of {@link ItemRow}. The end of the snooze is null if it has passed. It is also null for a closed task, because the
 * clock does not announce the end of that snooze.
 */
export const itemColumns: SQL = sql`
      e.item_id, e.kind,
      coalesce(t.code, n.code) as code,
      coalesce(t.title, n.title) as title,
      coalesce(t.description, n.description) as description,
      coalesce(t.title_text, n.title_text) as title_text,
      coalesce(t.description_text, n.description_text) as description_text,
      coalesce(t.resource_kind, n.resource_kind) as resource_kind,
      e.resource_code,
      coalesce(t.entity_id, n.entity_id) as entity_id,
      coalesce(t.source_title, n.source_title) as source_title,
      coalesce(t.source_subtitle, n.source_subtitle) as source_subtitle,
      e.priority, e.severity, t.status, e.sort_at, e.due_at, t.due_on::text as due_on,
      ${isOverdue} as is_overdue,
      e.read_at is not null as is_read,
      e.kind = 'Notification' and not e.is_open as is_dismissed,
      case when e.is_open and e.snoozed_until > statement_timestamp() then e.snoozed_until end as snoozed_until,
      t.assigned_user_id, t.assigned_role_id, t.claimed_by_user_id, t.primary_action_code,
      coalesce(t.target, n.target) as target,
      coalesce(t.version, 1) as version`

/** Joins entries `e`, from a table or a subquery, with their task `t` or notification `n`. */
export const withItems = (entries: SQL): SQL => sql`
    from ${entries} e
    left join lateral (
      select * from work_center.tasks t where t.id = e.item_id and e.kind = 'Task' offset 0
    ) t on true
    left join lateral (
      select * from work_center.notifications n where n.id = e.item_id and e.kind = 'Notification' offset 0
    ) n on true`

/** All entries `e` with their task `t` or notification `n`. */
export const entriesWithItems: SQL = withItems(sql`work_center.entries`)

/** Converts a row to the wire format. */
export function toItem(row: ItemRow): Item {
  return {
    id: row.item_id,
    kind: row.kind,
    code: row.code,
    title: row.title,
    description: row.description,
    titleText: row.title_text,
    descriptionText: row.description_text,
    source: {
      resourceKind: row.resource_kind,
      resourceCode: row.resource_code,
      entityId: row.entity_id,
      title: row.source_title,
      subtitle: row.source_subtitle,
    },
    priority: row.priority,
    severity: row.severity,
    taskStatus: row.status,
    sortAtUtc: toInstant(row.sort_at),
    dueAtUtc: row.due_on === null ? toInstantOrNull(row.due_at) : `${row.due_on}T23:59:59.999Z`,
    dueOn: row.due_on,
    isOverdue: row.is_overdue,
    isRead: row.is_read,
    isDismissed: row.is_dismissed,
    snoozedUntilUtc: toInstantOrNull(row.snoozed_until),
    assignment: assignmentOf(row),
    primaryActionCode: row.primary_action_code,
    primaryAction: primaryActionOf(row),
    target: row.target,
    version: row.version,
    onBehalfOf:
      row.on_behalf_of == null
        ? null
        : { userId: row.on_behalf_of, displayName: row.on_behalf_of_name ?? '' },
  }
}

/** Returns the action of an open task about a document. Other business objects have no actions. */
function primaryActionOf(row: ItemRow): Item['primaryAction'] {
  const { status, primary_action_code: actionCode } = row
  const isOpen = status === 'Open' || status === 'InProgress'
  if (!isOpen || actionCode === null || row.resource_kind !== 'document') return null
  return { documentType: row.resource_code, documentId: row.entity_id, actionCode }
}

function assignmentOf(row: ItemRow): Item['assignment'] {
  if (row.kind !== 'Task') return null
  return {
    assignedUserId: row.assigned_user_id,
    assignedRoleId: row.assigned_role_id,
    claimedByUserId: row.claimed_by_user_id,
    isRoleAssigned: row.assigned_role_id !== null,
  }
}
