import type { Tx } from '@vertical-kit/core-audit/database'
import type { AccessChangedData } from '@vertical-kit/core-audit/identity'
import type { RowOf } from '@vertical-kit/core-audit/schema'
import { type SQL, sql } from 'drizzle-orm/sql'
import { type ItemDefinition, isMandatory } from '../definitions/definition.ts'
import { nextChange } from '../inbox/next-change.ts'
import type { SeenChange } from '../inbox/version-changes.ts'
import type { tasks } from '../schema.ts'
import { concernedIds } from './concerned-ids.ts'
import type { TaskName } from './lock-tasks.ts'
import { requestMails } from './request-mails.ts'
import { bySeen, changesOf, type SeenRow } from './seen-row.ts'
import { toJson } from './to-json.ts'

/** The users of the access changes, in joins with `core_audit.active_role_members m`. */
function isConcerned(accessChanges: readonly AccessChangedData[]): SQL {
  const { userIds, roleIds } = concernedIds(accessChanges)
  return sql`(m.user_id = any(${sql.param(userIds)}::uuid[]) or m.role_id = any(${sql.param(roleIds)}::uuid[]))`
}

/** The condition that task `t` waits for any member of its role. The index `tasks_unclaimed` serves it. */
const isUnclaimed = sql`t.closed_at is null and t.claimed_by_user_id is null and t.assigned_role_id is not null`

/**
 * Returns the unclaimed tasks of roles whose members among the given users have not received them: these users have gained
 * the role, or are active again. Requires the exclusive claims lock, so that no other transaction is creating such a task.
 */
export async function findUnseenTasks(
  tx: Tx,
  accessChanges: readonly AccessChangedData[],
): Promise<readonly TaskName[]> {
  if (accessChanges.length === 0) return []
  const rows = await tx.execute<RowOf<typeof tasks, 'code' | 'deduplicationKey'>>(sql`
    select distinct t.code, t.deduplication_key
    from core_audit.active_role_members m
    join work_center.tasks t on t.assigned_role_id = m.role_id and ${isUnclaimed}
    where ${isConcerned(accessChanges)}
      and not exists (select from work_center.entries e where e.user_id = m.user_id and e.item_id = t.id)`)
  return rows.map((row) => ({ code: row.code, deduplicationKey: row.deduplication_key }))
}

/** The tasks to join, and the users that can join them. */
export interface JoinTasks {
  readonly definitions: readonly ItemDefinition[]
  readonly accessChanges: readonly AccessChangedData[]
  /** Tasks that the users of the access changes can join. */
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
  { definitions, accessChanges, unseen, returned }: JoinTasks,
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
  const rows = await tx.execute<SeenRow>(sql`
    with joined as (
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
      join core_audit.active_role_members m on m.role_id = t.assigned_role_id and m.role_code = any(d.role_codes)
      left join work_center.preferences p on p.user_id = m.user_id and p.code = t.code and p.channel = 'InApp'
      where (n.for_all or ${isConcerned(accessChanges)})
        and (d.is_mandatory or coalesce(p.is_enabled, d.is_default))
        and not exists (select from work_center.entries e where e.user_id = m.user_id and e.item_id = t.id)
      returning user_id, item_id, view_permission
    )${requestMails(
      definitions,
      sql`select j.user_id, j.item_id, t.code from joined j join work_center.tasks t on t.id = j.item_id`,
    )}
    ${bySeen(sql`select distinct user_id, view_permission from joined`)}`)
  return changesOf(rows)
}

const noInstant = sql`null::timestamptz`
