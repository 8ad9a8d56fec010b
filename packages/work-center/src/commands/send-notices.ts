import { type SQL, sql } from '@vertical-kit/core-audit'
import type { Tx } from '@vertical-kit/core-audit/database'
import type { RowOf } from '@vertical-kit/core-audit/schema'
import type { ItemDefinition, NotificationDefinition, TaskDefinition } from '../definitions/definition.ts'
import type { SeenChange } from '../inbox/version-changes.ts'
import type { tasks } from '../schema.ts'
import { type CreateNotification, createNotifications } from './create-notifications.ts'
import { claimerHasRole } from './give-back-claims.ts'
import type { Audience } from './recipients.ts'

export interface SendNotices {
  readonly definitions: readonly ItemDefinition[]
  /** The lifetime of a notification if its definition does not set one. */
  readonly retentionMs: number
  /** The maximum number of tasks. */
  readonly batchSize: number
}

type Row = RowOf<
  typeof tasks,
  | 'id'
  | 'code'
  | 'title'
  | 'description'
  | 'titleText'
  | 'descriptionText'
  | 'resourceKind'
  | 'resourceCode'
  | 'entityId'
  | 'sourceTitle'
  | 'sourceSubtitle'
  | 'target'
  | 'dueAt'
> & { assignee: string | null; role_code: string | null; is_reminder: boolean; is_escalation: boolean }

/**
 * Sends the reminders and escalations that are due, oldest first, and returns the changes that users see. A notice is
 * marked as sent by the commit that creates its notification, so each one is sent exactly once. A reminder goes to the
 * claimer or the assigned user, or to the members of the role of an unclaimed task. A claim whose role was just lost does not count,
 * because the claimer would receive nothing. Skips locked tasks, which a later call
 * processes, so any number of replicas can run this concurrently. Uses the index `tasks_notices`.
 *
 * Leaves notices that the definitions do not describe: during an upgrade, a host of the newer release sends them. If their
 * definition was removed, they stay until their task is closed. Each call skips them, 10,000 of them in 5 ms.
 */
export async function sendNotices(
  tx: Tx,
  { definitions, retentionMs, batchSize }: SendNotices,
): Promise<{ readonly taskCount: number; readonly changes: readonly SeenChange[] }> {
  const { remindsAt, escalatesAt, knownNoticeAt } = knownNotices(definitions)
  const rows = await tx.execute<Row>(sql`
    with due as (
      select id, ${isDue(remindsAt)} as is_reminder, ${isDue(escalatesAt)} as is_escalation
      from work_center.tasks
      where ${hasNotice} and ${noticeAt} <= statement_timestamp() and ${knownNoticeAt} <= statement_timestamp()
      order by ${noticeAt}
      limit ${batchSize}::int
      for update skip locked
    )
    update work_center.tasks t
    set reminds_at = case when not due.is_reminder then t.reminds_at end,
      escalates_at = case when not due.is_escalation then t.escalates_at end
    from due
    where t.id = due.id
    returning t.id, t.code, t.title, t.description, t.title_text, t.description_text, t.resource_kind, t.resource_code,
      t.entity_id, t.source_title, t.source_subtitle, t.target, t.due_at::text as due_at,
      coalesce(case when ${claimerHasRole} then t.claimed_by_user_id end, t.assigned_user_id) as assignee,
      (select r.code from core_audit.roles r where r.id = t.assigned_role_id) as role_code,
      due.is_reminder, due.is_escalation`)
  const notices = definitions
    .filter((definition) => definition.kind === 'Task')
    .flatMap((definition) => {
      const due = rows.filter(({ code }) => code === definition.code)
      return [remindersOf(definition, due), escalationsOf(definition, due)].flat()
    })
  const sent = [...Map.groupBy(notices, ({ definition }) => definition)].map(([definition, group]) =>
    createNotifications(
      tx,
      { definition, retentionMs },
      group.map(({ notification }) => notification),
    ),
  )
  return { taskCount: rows.length, changes: (await Promise.all(sent)).flat() }
}

/** The condition of the index `tasks_notices`. */
const hasNotice = sql`closed_at is null and (reminds_at is not null or escalates_at is not null)`
/** The time of a task's next reminder or escalation: the expression of the index `tasks_notices`. */
const noticeAt = sql`least(reminds_at, escalates_at)`
const isDue = (at: SQL): SQL => sql`coalesce(${at} <= statement_timestamp(), false)`

/** Returns the times of a task's notices that these definitions describe, and the earlier one of them. Other times are null. */
function knownNotices(definitions: readonly ItemDefinition[]) {
  const codesWith = (notice: 'reminder' | 'escalation') =>
    sql.param(definitions.flatMap((one) => (one.kind === 'Task' && one[notice] ? [one.code] : [])))
  const remindsAt = sql`case when code = any(${codesWith('reminder')}::text[]) then reminds_at end`
  const escalatesAt = sql`case when code = any(${codesWith('escalation')}::text[]) then escalates_at end`
  return { remindsAt, escalatesAt, knownNoticeAt: sql`least(${remindsAt}, ${escalatesAt})` }
}

/**
 * Returns an expression for the time of the next reminder or escalation that the definitions describe. The first part reads the
 * tasks with a time that has passed: few, because their known notices are sent at that time. The second part reads the first
 * later task. If the definitions describe only one of its two notices, the time can be too early. Both parts use the index
 * `tasks_notices`.
 */
export function nextNoticeAt(definitions: readonly ItemDefinition[]): SQL<string | null> {
  const { knownNoticeAt } = knownNotices(definitions)
  return sql<string | null>`least(
    (
      select min(${knownNoticeAt})
      from work_center.tasks
      where ${hasNotice} and ${noticeAt} <= statement_timestamp()
    ),
    (
      select min(${noticeAt})
      from work_center.tasks
      where ${hasNotice} and ${noticeAt} > statement_timestamp() and ${knownNoticeAt} is not null
    )
  )`
}

interface Notice {
  readonly definition: NotificationDefinition
  readonly notification: CreateNotification
}

const remindersOf = ({ reminder }: TaskDefinition, rows: readonly Row[]): readonly Notice[] =>
  reminder === undefined
    ? []
    : rows
        .filter((row) => row.is_reminder)
        .map((row) => toNotice(reminder.notification, row, audienceOf(row)))

const escalationsOf = ({ escalation }: TaskDefinition, rows: readonly Row[]): readonly Notice[] =>
  escalation === undefined
    ? []
    : rows
        .filter((row) => row.is_escalation)
        .map((row) => toNotice(escalation.notification, row, undefined, '/escalation'))

const audienceOf = ({ assignee, role_code }: Row): Audience =>
  assignee === null ? { roleCodes: role_code === null ? [] : [role_code] } : { userIds: [assignee] }

/**
 * A task that is reopened with the same due time causes no second notification, because the key is the same. An escalation has
 * another key than a reminder: both can use one definition.
 */
const toNotice = (definition: NotificationDefinition, row: Row, to?: Audience, kind = ''): Notice => ({
  definition,
  notification: {
    deduplicationKey: `${row.id}/${row.due_at}${kind}`,
    title: `${definition.displayName}: ${row.title}`,
    description: row.description,
    descriptionText: row.description_text,
    source: {
      resourceKind: row.resource_kind,
      resourceCode: row.resource_code,
      entityId: row.entity_id,
      title: row.source_title,
      subtitle: row.source_subtitle,
    },
    target: row.target,
    ...(to === undefined ? {} : { to }),
  },
})
