import { type SQL, sql } from '@vertical-kit/core-audit'
import { planOnce, type Tx } from '@vertical-kit/core-audit/database'
import type { AccessChangedData } from '@vertical-kit/core-audit/identity'
import type { RowOf } from '@vertical-kit/core-audit/schema'
import { type ItemDefinition, isMandatory } from '../definitions/definition.ts'
import { nextChange } from '../inbox/next-change.ts'
import type { SeenChange } from '../inbox/version-changes.ts'
import type { tasks } from '../schema.ts'
import { concernedIds } from './concerned-ids.ts'
import type { TaskName } from './lock-tasks.ts'
import { requestMails } from './request-mails.ts'
import { bySeen, changesOf, type SeenRow } from './seen-row.ts'
import { toJson } from './to-json.ts'

/**
 * Selects the users of the access changes with their active roles. Two selects, because the view joins two tables: for an `or`
 * of their columns, PostgreSQL would read all members of all roles.
 */
function selectConcerned(accessChanges: readonly AccessChangedData[], after: string | null): SQL {
  const { userIds, roleIds } = concernedIds(accessChanges)
  const members = (condition: SQL) => sql`
      select m.user_id, m.role_id
      from core_audit.active_role_members m
      where ${condition} ${after === null ? sql`` : sql`and m.user_id > ${after}::uuid`}`
  return sql`${members(sql`m.user_id = any(${sql.param(userIds)}::uuid[])`)}
      union
      ${members(sql`m.role_id = any(${sql.param(roleIds)}::uuid[])`)}`
}

/** The condition that task `t` waits for any member of its role. The index `tasks_unclaimed` serves it. */
const isUnclaimed = sql`t.closed_at is null and t.claimed_by_user_id is null and t.assigned_role_id is not null`

/** The maximum number of entries that one transaction creates for new members of roles, because claims wait for it. */
const maxEntries = 20_000

/** The next members of the roles whose access has changed, and what they can join. */
export interface NextJoiners {
  readonly userIds: readonly string[]
  /** The tasks that some of the users have not received. */
  readonly unseen: readonly TaskName[]
  /** The last of the users, if more follow. */
  readonly last: string | null
}

/**
 * Returns the next members among the given users, in the order of their ids, with the unclaimed tasks of their roles that they
 * have not received: they have gained the role, or are active again. Requires the exclusive claims lock, so that no other
 * transaction is creating such a task.
 *
 * @param after the last of the users before, or `null` for the first users
 */
export async function findJoiners(
  tx: Tx,
  accessChanges: readonly AccessChangedData[],
  after: string | null,
): Promise<NextJoiners> {
  if (accessChanges.length === 0) return { userIds: [], unseen: [], last: null }
  type Row = Partial<RowOf<typeof tasks, 'code' | 'deduplicationKey'>> & {
    user_ids: readonly string[] | null
    has_more: boolean
  }
  const rows = await tx.execute<Row>(
    planOnce(sql`
    with member as materialized (${selectConcerned(accessChanges, after)}
    ),
    task as materialized (
      select t.id, t.code, t.deduplication_key, t.assigned_role_id as role_id
      from work_center.tasks t
      where ${isUnclaimed} and t.assigned_role_id in (select role_id from member)
    ),
    joiner as materialized (
      select distinct m.user_id
      from member m
      where exists (select from task)
      order by m.user_id
      limit (select greatest(1, ${maxEntries}::int / greatest(1, count(*))) from task)
    ),
    joining as materialized (
      select m.user_id, m.role_id from member m join joiner on joiner.user_id = m.user_id
    )
    select t.code, t.deduplication_key, j.user_ids,
      exists (select from member m where m.user_id > j.last) as has_more
    from (select array_agg(user_id) as user_ids, max(user_id::text)::uuid as last from joiner) j
    left join lateral (
      select t.code, t.deduplication_key
      from task t
      where exists (
        select
        from joining j
        where j.role_id = t.role_id
          and ${hasNoEntry(sql`j.user_id`, sql`t.id`)}
      )
    ) t on true`),
  )
  const userIds = rows[0]?.user_ids ?? []
  return {
    userIds,
    unseen: rows.flatMap(({ code, deduplication_key: deduplicationKey }) =>
      code == null || deduplicationKey == null ? [] : [{ code, deduplicationKey }],
    ),
    last: rows[0]?.has_more === true ? (userIds.toSorted().at(-1) ?? null) : null,
  }
}

/** The tasks to join, and the users that can join them. */
export interface JoinTasks {
  readonly definitions: readonly ItemDefinition[]
  /** Users who can join the tasks `unseen`. */
  readonly userIds: readonly string[]
  readonly unseen: readonly TaskName[]
  /** Tasks that were given back, which every member of their role can join: some may have gained it during the claim. */
  readonly returned: readonly TaskName[]
}

/**
 * Makes members of a role recipients of its unclaimed tasks, unless they have switched the definition off. Returns the
 * changes that they see. The tasks must be locked; tasks that were claimed or closed before the lock are skipped.
 */
export async function joinTasks(
  tx: Tx,
  { definitions, userIds, unseen, returned }: JoinTasks,
): Promise<readonly SeenChange[]> {
  const names = [
    ...unseen.map(({ code, deduplicationKey }) => ({ code, key: deduplicationKey, for_all: false })),
    ...returned.map(({ code, deduplicationKey }) => ({ code, key: deduplicationKey, for_all: true })),
  ]
  if (names.length === 0) return []
  const kinds = definitions.map((definition) => ({
    code: definition.code,
    role_codes: definition.roleCodes,
    is_default: definition.defaultEnabled,
    is_mandatory: isMandatory(definition),
  }))
  const rows = await tx.execute<SeenRow>(
    planOnce(sql`
    with member as materialized (
      select m.user_id, m.role_id, m.role_code, false as for_all
      from core_audit.active_role_members m
      where m.user_id = any(${sql.param(userIds)}::uuid[])
      union all
      select m.user_id, m.role_id, m.role_code, true
      from core_audit.active_role_members m
      where m.role_id in (
        select t.assigned_role_id
        from jsonb_to_recordset(${toJson(names)}::jsonb) n (code text, key text, for_all boolean)
        join work_center.tasks t on t.code = n.code and t.deduplication_key = n.key
        where n.for_all
      )
    ),
    joined as (
      insert into work_center.entries (
        user_id, item_id, kind, role_id, view_permission, resource_code, priority, due_at, sort_at, changes_at
      )
      select m.user_id, t.id, 'Task', m.role_id,
        t.resource_kind || '.' || t.resource_code || '.view', t.resource_code, t.priority, t.due_at, t.sort_at,
        ${nextChange({ isOpen: sql`true`, snoozedUntil: noInstant, dueAt: sql`t.due_at`, expiresAt: noInstant })}
      from jsonb_to_recordset(${toJson(names)}::jsonb) n (code text, key text, for_all boolean)
      join work_center.tasks t on t.code = n.code and t.deduplication_key = n.key and ${isUnclaimed}
      join jsonb_to_recordset(${toJson(kinds)}::jsonb)
        d (code text, role_codes text[], is_default boolean, is_mandatory boolean) on d.code = t.code
      join member m
        on m.role_id = t.assigned_role_id and m.role_code = any(d.role_codes) and m.for_all = n.for_all
      left join work_center.preferences p on p.user_id = m.user_id and p.code = t.code and p.channel = 'InApp'
      where (d.is_mandatory or coalesce(p.is_enabled, d.is_default))
        and ${hasNoEntry(sql`m.user_id`, sql`t.id`)}
      order by m.user_id, t.id
      returning user_id, item_id, view_permission
    )${requestMails(
      definitions,
      sql`select j.user_id, j.item_id, t.code from joined j join work_center.tasks t on t.id = j.item_id`,
    )}
    ${bySeen(sql`select distinct user_id, view_permission from joined`)}`),
  )
  return changesOf(rows)
}

/**
 * The condition that a user has no entry of an item. PostgreSQL looks up each user and item in an index, because a sub-select
 * never becomes a join. With `not exists`, it could compare each item with all entries while its statistics know no entries of
 * new tasks. `between` makes it prefer `entries_pkey`: with `=`, it could read the entries of all users in `entries_by_item`.
 */
const hasNoEntry = (user: SQL, item: SQL): SQL => sql`(
          select e.item_id
          from work_center.entries e
          where e.user_id = ${user} and e.item_id between ${item} and ${item}
        ) is null`

const noInstant = sql`null::timestamptz`
