import { type SQL, sql } from '@vertical-kit/core-audit'
import { type Db, searchPattern } from '@vertical-kit/core-audit/database'
import type { Assignment } from '../commands/create-tasks.ts'
import { selectRecipients } from '../commands/recipients.ts'
import type { TaskRecipients } from '../contract.ts'
import type { TaskDefinition } from '../definitions/definition.ts'
import { grantsView } from './invisible-tasks.ts'

/** A task for which recipients are searched. */
export interface ForwardedTask {
  readonly definition: TaskDefinition
  /** `<resourceKind>.<resourceCode>.view` of the task's source. */
  readonly viewPermission: string
  readonly assignedRoleId: string | null
}

/** The users that receive a forwarded task. */
export interface Recipient {
  /** The name of the user or the role. */
  readonly name: string
  /** The role of the definition through which the user may have the task, or the role to which it is forwarded. */
  readonly roleId: string
  readonly userIds: readonly string[]
}

/**
 * Returns the recipients of a forwarded task, or `undefined` if it cannot be forwarded there. A user must be active, have a
 * role of the definition, and may view the source; the task reaches them even if they have switched the definition off. A role
 * must be active and of the definition. Its recipients are those of a new task, and at least one of them may view the source.
 */
export async function findRecipient(
  db: Db,
  administratorRoleCodes: readonly string[],
  { to, ...task }: ForwardedTask & { readonly to: Assignment },
): Promise<Recipient | undefined> {
  const statement =
    'userId' in to
      ? userAsRecipient(administratorRoleCodes, task, to.userId)
      : roleAsRecipient(administratorRoleCodes, task, to.roleCode)
  const [row] = await db.execute<{ name: string; role_id: string; user_ids: string }>(statement)
  return row === undefined
    ? undefined
    : { name: row.name, roleId: row.role_id, userIds: row.user_ids.split(',') }
}

/** Selects the user's own role of the definition: the assigned role if they have it. */
const userAsRecipient = (
  administratorRoleCodes: readonly string[],
  { definition, viewPermission, assignedRoleId }: ForwardedTask,
  userId: string,
): SQL => sql`
    select u.display_name as name, m.role_id, u.id::text as user_ids
    from core_audit.active_role_members m
    join core_audit.user_names u on u.id = m.user_id
    where m.user_id = ${userId}::uuid
      and m.role_code = any(${sql.param(definition.roleCodes)}::text[])
      and ${maySee(sql`u.id`, viewPermission, administratorRoleCodes)}
    order by (m.role_id is not distinct from ${assignedRoleId}::uuid) desc, m.role_code
    limit 1`

const roleAsRecipient = (
  administratorRoleCodes: readonly string[],
  { definition, viewPermission }: ForwardedTask,
  roleCode: string,
): SQL => sql`
    select r.name, r.id as role_id, string_agg(c.user_id::text, ',') as user_ids
    from (${selectRecipients(definition, [{ roleCodes: [roleCode] }])}) c
    join core_audit.role_names r on r.id = c.role_id
    group by r.id, r.name
    having bool_or(${maySee(sql`c.user_id`, viewPermission, administratorRoleCodes)})`

/** The condition that an active user may view the source of the task. The user id must not be a column of `m`. */
const maySee = (userId: SQL, viewPermission: string, administratorRoleCodes: readonly string[]): SQL => sql`
      exists (
        select
        from core_audit.active_role_members m
        where m.user_id = ${userId} and ${grantsView(sql`${viewPermission}::text`, administratorRoleCodes)}
      )`

/** A longer list would not help anybody to choose: users search for a name. */
const usersMax = 100

/** Lists the users whose name contains `q`, and the roles, to which a task can be forwarded: see {@link findRecipient}. */
export async function listRecipients(
  db: Db,
  administratorRoleCodes: readonly string[],
  { definition, viewPermission, q }: ForwardedTask & { readonly q: string },
): Promise<TaskRecipients> {
  const [row] = await db.execute<{
    users: TaskRecipients['users'] | null
    roles: TaskRecipients['roles'] | null
  }>(sql`
    with member as materialized (
      select distinct c.user_id, c.role_id
      from core_audit.active_role_members c
      where c.role_code = any(${sql.param(definition.roleCodes)}::text[])
        and ${maySee(sql`c.user_id`, viewPermission, administratorRoleCodes)}
    )
    select
      (
        select jsonb_agg(jsonb_build_object('userId', u.id, 'displayName', u.display_name) order by u.display_name, u.id)
        from (
          select u.id, u.display_name
          from core_audit.user_names u
          where u.id in (select user_id from member) and u.display_name ~ ${searchPattern(q)}
          order by u.display_name, u.id
          limit ${usersMax}
        ) u
      ) as users,
      (
        select jsonb_agg(jsonb_build_object('code', r.code, 'name', r.name) order by r.name, r.code)
        from core_audit.role_names r
        where r.id in (select role_id from member)
      ) as roles`)
  return { users: row?.users ?? [], roles: row?.roles ?? [] }
}
