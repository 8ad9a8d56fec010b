import type { Caller } from '../../access/caller.ts'
import type { Db } from '../../database/database.ts'
import type { RowOf } from '../../database/row-of.ts'
import { searchPattern } from '../../database/search-pattern.ts'
import { type SQL, sql } from '../../database/sql.ts'
import type { users } from '../schema.ts'
import { permissionSet } from './load-accounts.ts'

/** The rules for users as callers that send no request. */
export interface StoredRights {
  /** Codes of the application roles that grant all permissions. */
  readonly administratorRoleCodes: readonly string[]
}

/** One assigned active role of an active user. A user without roles has one row, with null values. */
type Row = RowOf<typeof users, 'id' | 'subject' | 'email' | 'displayName'> & {
  role_id: string | null
  role_code: string
  role_name: string
  permissions: string
  is_code_trusted: boolean | null
}

/**
 * Returns the active users among these ids as callers with their assigned roles, in one statement and in no order. Roles that
 * only a token grants are unknown here. Uses the primary keys of users, user roles and roles.
 */
export function loadCallers(
  db: Db,
  rights: StoredRights,
  userIds: readonly string[],
): Promise<readonly Caller[]> {
  return callersOf(
    db,
    rights,
    sql`select id, 0 as place from core_audit.users where id = any(${sql.param(userIds)}::uuid[])`,
  )
}

/** A search for users by their names. */
export interface SearchCallers {
  /** A part of the name in any case. An empty text matches every name. */
  readonly text: string
  /** Users with this permission come first. */
  readonly permission: string
  readonly limit: number
}

/**
 * Returns active users whose name contains the text as callers, in one statement: first the users with the permission, among
 * them names that begin with the text, then by name. Reads the names of all active users, because a text can occur anywhere
 * in a name: 10 ms for 25,000 users.
 */
export function searchCallers(
  db: Db,
  rights: StoredRights,
  { text, permission, limit }: SearchCallers,
): Promise<readonly Caller[]> {
  const pattern = searchPattern(text)
  return callersOf(
    db,
    rights,
    sql`
      select u.id, row_number() over (
        order by able.user_id is null, u.display_name !~ ${`^${pattern}`}, lower(u.display_name), u.id
      ) as place
      from core_audit.users u
      left join (
        select distinct ur.user_id
        from core_audit.roles r
        join core_audit.user_roles ur on ur.role_id = r.id
        where r.is_active
          and (
            ${permission}::text = any(r.permissions)
            or r.is_code_trusted and r.code = any(${sql.param(rights.administratorRoleCodes)}::text[])
          )
      ) able on able.user_id = u.id
      where u.is_active and u.display_name ~ ${pattern}
      order by place
      limit ${limit}::int`,
  )
}

/** `selection` selects the columns `id` and `place`, by which the callers are sorted. */
async function callersOf(db: Db, rights: StoredRights, selection: SQL): Promise<readonly Caller[]> {
  const rows = await db.execute<Row>(sql`
    with selected as materialized (${selection})
    select u.id, u.subject, u.email, u.display_name,
      r.id as role_id, r.code as role_code, r.name as role_name, array_to_string(r.permissions, ' ') as permissions,
      r.is_code_trusted
    from selected s
    join core_audit.users u on u.id = s.id and u.is_active
    left join core_audit.user_roles ur on ur.user_id = u.id
    left join core_audit.roles r on r.id = ur.role_id and r.is_active
    order by s.place`)
  return [...Map.groupBy(rows, ({ id }) => id).values()].map((all) =>
    toCaller(all as [Row, ...Row[]], rights),
  )
}

function toCaller(rows: readonly [Row, ...Row[]], { administratorRoleCodes }: StoredRights): Caller {
  const [{ id, subject, email, display_name }] = rows
  const held = rows.filter(({ role_id }) => role_id !== null)
  return {
    ...{ subject, email, displayName: display_name, userId: id },
    profileChanged: false,
    isPlatformAdministrator: false,
    isAdministrator: held.some(
      ({ role_code, is_code_trusted }) => is_code_trusted && administratorRoleCodes.includes(role_code),
    ),
    roles: held.map((row) => ({
      id: row.role_id as string,
      code: row.role_code,
      name: row.role_name,
      source: 'assigned',
    })),
    permissions: permissionSet(held.map(({ permissions }) => permissions).join(' ')),
  }
}
