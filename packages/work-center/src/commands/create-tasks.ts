import { type SQL, sql } from '@vertical-kit/core-audit'
import type { NavigationTarget } from '@vertical-kit/core-audit/contract'
import { planOnce, type Tx } from '@vertical-kit/core-audit/database'
import type { ItemText, Priority, Source } from '../contract.ts'
import type { TaskDefinition } from '../definitions/definition.ts'
import { isInView } from '../inbox/in-view.ts'
import { nextChange } from '../inbox/next-change.ts'
import type { SeenChange } from '../inbox/version-changes.ts'
import { type Audience, selectRecipients, toAudiences } from './recipients.ts'
import { requestMails } from './request-mails.ts'
import { bySeen, changesOf, type SeenRow } from './seen-row.ts'
import { toJson } from './to-json.ts'

/** The assignee of a task: one user, or a role. Any member of the role can claim the task. */
export type Assignment = { readonly userId: string } | { readonly roleCode: string }

/** The input for one task. */
export interface CreateTask {
  /** A key that the creator chooses. The database stores at most one task with the same code and key. */
  readonly deduplicationKey: string
  readonly title: string
  readonly description?: string
  /** The texts for clients that translate them. `title` and `description` are always required as plain text. */
  readonly titleText?: ItemText | null
  readonly descriptionText?: ItemText | null
  readonly source: Source
  readonly priority?: Priority
  /** ISO 8601 in UTC with `Z`, from the year 1 to 9999. */
  readonly dueAtUtc?: string | null
  /**
   * A due day instead of an instant: `2026-11-30`, from year 1 to 9999. It is the same day for every reader, and the
   * task is overdue when the day has ended in UTC−12, where it ends last.
   */
  readonly dueOn?: string | null
  readonly assignedTo: Assignment
  readonly primaryActionCode?: string | null
  readonly target?: NavigationTarget | null
}

/**
 * Creates tasks of one definition, each with a different deduplication key, and returns the changes that users see. A
 * stored task with the same key stays unchanged if it is active. If it is completed or cancelled, it is reopened with the
 * new input and the current recipients. Users who saw it before see a change, even if they cannot view its new source.
 * Tasks without recipients are skipped.
 *
 * The recipients are the assigned user, or the active members of the assigned role. A recipient must have a role of the
 * definition, and must not have switched the definition off. Runs one statement for any number of tasks and recipients.
 * Inserts the tasks in the given order.
 *
 * Inserts the entries in the order of their users, so that neighbouring rows of the indexes are written one after the other.
 * For 5,000 recipients, this takes a quarter less time.
 *
 * Entries are inserted without `on conflict`, which makes an insert of thousands of rows three times slower: the lock of the
 * task ensures that no other transaction inserts its entries at the same time.
 */
export async function createTasks(
  tx: Tx,
  definition: TaskDefinition,
  tasks: readonly CreateTask[],
): Promise<readonly SeenChange[]> {
  if (tasks.length === 0) return []
  const { different, places } = toAudiences(tasks.map(({ assignedTo }) => audienceOf(assignedTo)))
  const wanted = tasks.map((task, place) => ({
    id: tx.newId(),
    ...toWanted(task),
    place,
    audience: places[place],
  }))
  const rows = await tx.execute<SeenRow>(
    planOnce(sql`
    with recipient as materialized (${selectRecipients(definition, different)}),
    wanted as materialized (
      select *
      from jsonb_to_recordset(${toJson(wanted)}::jsonb) w (${wantedColumns})
    ),
    task as (
      insert into work_center.tasks as t (
        id, code, deduplication_key, title, description, resource_kind, resource_code, entity_id,
        source_title, source_subtitle, priority, due_at, due_on, assigned_user_id, assigned_role_id, primary_action_code,
        target, title_text, description_text, reminds_at, escalates_at
      )
      select w.id, ${definition.code}, w.deduplication_key, w.title, w.description, w.resource_kind,
        w.resource_code, w.entity_id, w.source_title, w.source_subtitle, w.priority, w.due_at, w.due_on,
        w.assigned_user_id, r.role_id, w.primary_action_code, w.target, w.title_text, w.description_text,
        ${ahead(noticeAt(definition.reminder?.beforeDueMs, -1))}, ${noticeAt(definition.escalation?.afterDueMs, 1)}
      from wanted w
      cross join lateral (select role_id from recipient where audience = w.audience limit 1) r
      order by w.place
      on conflict (code, deduplication_key) do update
      set title = excluded.title, description = excluded.description, resource_kind = excluded.resource_kind,
        resource_code = excluded.resource_code, entity_id = excluded.entity_id,
        source_title = excluded.source_title, source_subtitle = excluded.source_subtitle,
        priority = excluded.priority, due_at = excluded.due_at, due_on = excluded.due_on,
        assigned_user_id = excluded.assigned_user_id, assigned_role_id = excluded.assigned_role_id,
        primary_action_code = excluded.primary_action_code, target = excluded.target,
        title_text = excluded.title_text, description_text = excluded.description_text,
        reminds_at = excluded.reminds_at, escalates_at = excluded.escalates_at,
        status = 'Open', claimed_by_user_id = null, claimed_at = null, claim_role_id = null, closed_at = null,
        version = t.version + 1,
        sort_at = clock_timestamp()
      where t.closed_at is not null
      returning t.id, t.deduplication_key, t.sort_at, t.due_at, t.version
    ),
    made as materialized (
      select task.*, w.audience, w.resource_code, w.priority,
        w.resource_kind || '.' || w.resource_code || '.view' as view_permission
      from task
      join wanted w using (deduplication_key)
    ),
    before as (
      select e.user_id, e.view_permission
      from made
      join work_center.entries e on e.item_id = made.id
      where made.version > 1 and ${isInView}
    ),
    gone as (
      delete from work_center.entries e
      using made
      where e.item_id = made.id
        and made.version > 1
        and not exists (select from recipient r where r.audience = made.audience and r.user_id = e.user_id)
    ),
    received as materialized (
      select r.user_id, r.role_id, made.*,
        ${nextChange({ isOpen: sql`true`, snoozedUntil: noInstant, dueAt: sql`made.due_at`, expiresAt: noInstant })}
          as changes_at
      from made
      join recipient r on r.audience = made.audience
    ),
    again as (
      update work_center.entries e
      set role_id = r.role_id, view_permission = r.view_permission, resource_code = r.resource_code,
        priority = r.priority, due_at = r.due_at, is_open = true, is_visible = true, read_at = null,
        snoozed_until = null, sort_at = r.sort_at, changes_at = r.changes_at,
        arrived_in = pg_current_xact_id()
      from received r
      where r.version > 1 and e.user_id = r.user_id and e.item_id = r.id
      returning e.user_id, e.item_id, e.view_permission
    ),
    entry as (
      insert into work_center.entries (
        user_id, item_id, kind, role_id, view_permission, resource_code, priority, due_at, sort_at, changes_at
      )
      select r.user_id, r.id, 'Task', r.role_id, r.view_permission, r.resource_code, r.priority, r.due_at, r.sort_at,
        r.changes_at
      from received r
      where r.version = 1
        or not exists (select from work_center.entries e where e.user_id = r.user_id and e.item_id = r.id)
      order by r.user_id, r.id
      returning user_id, item_id, view_permission
    )${requestMails(
      [definition],
      sql`select user_id, item_id, ${definition.code}::text as code from (table entry union all table again) r`,
    )}
    ${bySeen(sql`
      select user_id, view_permission from entry
      union
      select user_id, view_permission from again
      union
      select user_id, view_permission from before`)}`),
  )
  return changesOf(rows)
}

/** The time of a reminder or an escalation of the task `w`, as an offset from its due time. */
const noticeAt = (offsetMs: number | undefined, sign: 1 | -1): SQL =>
  offsetMs === undefined
    ? noInstant
    : sql`w.due_at + make_interval(secs => ${(sign * offsetMs) / 1_000}::float8)`

/** A task that is created after the time of its reminder needs none: its recipients see the new task. */
const ahead = (instant: SQL): SQL => sql`case when ${instant} > statement_timestamp() then ${instant} end`

const noInstant: SQL = sql`null::timestamptz`

const audienceOf = (to: Assignment): Audience =>
  'roleCode' in to ? { roleCodes: [to.roleCode] } : { userIds: [to.userId] }

const wantedColumns = sql.raw(`
        place int, audience int, id uuid, deduplication_key text, title text, description text, resource_kind text,
        resource_code text, entity_id uuid, source_title text, source_subtitle text, priority text, due_at timestamptz,
        due_on date, assigned_user_id uuid, primary_action_code text, target jsonb, title_text jsonb,
        description_text jsonb
      `)

/**
 * Returns the instant at which a day has ended everywhere: its end in UTC−12. For the last day of the year 9999, returns the
 * last instant that the wire format can represent.
 */
function endOfDay(day: string): string {
  if (day === '9999-12-31') return `${day}T23:59:59.999Z`
  const end = new Date(`${day}T12:00:00.000Z`)
  end.setUTCDate(end.getUTCDate() + 1)
  return end.toISOString()
}

/** Converts a task to the row that `wantedColumns` describes. */
function toWanted(task: CreateTask) {
  const { source, assignedTo } = task
  return {
    deduplication_key: task.deduplicationKey,
    title: task.title,
    description: task.description ?? '',
    resource_kind: source.resourceKind,
    resource_code: source.resourceCode,
    entity_id: source.entityId,
    source_title: source.title,
    source_subtitle: source.subtitle,
    priority: task.priority ?? 'Normal',
    due_at: task.dueOn ? endOfDay(task.dueOn) : (task.dueAtUtc ?? null),
    due_on: task.dueOn ?? null,
    assigned_user_id: 'userId' in assignedTo ? assignedTo.userId : null,
    primary_action_code: task.primaryActionCode ?? null,
    target: task.target ?? null,
    title_text: task.titleText ?? null,
    description_text: task.descriptionText ?? null,
  }
}
