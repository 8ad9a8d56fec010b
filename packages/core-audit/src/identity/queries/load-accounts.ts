import { type SQL, sql } from 'drizzle-orm/sql'
import type { CallerRole } from '../../access/caller.ts'
import type { Db, ReadPosition } from '../../database/database.ts'
import type { RowOf } from '../../database/row-of.ts'
import type { users } from '../schema.ts'

/** The stored profile of a user. */
export interface UserRecord {
  readonly userId: string
  readonly email: string | null
  readonly displayName: string
  readonly isActive: boolean
}

/** A user record with its active roles and their permissions, all read at the same moment. */
export interface Account {
  /** `null` for a subject without a user record. Such a subject can have roles of its token. */
  readonly record: UserRecord | null
  /** Each role once, even if it is both assigned and of the token. */
  readonly roles: readonly CallerRole[]
  readonly permissions: ReadonlySet<string>
  /** The value of the requested position; null if no position was requested. */
  readonly position: ReadPosition | null
}

export interface AccountQuery {
  readonly subject: string
  /** Codes of the roles that the credentials grant. */
  readonly tokenRoleCodes: readonly string[]
  /** The column that reads the position of the primary, if a standby serves lists. */
  readonly position?: SQL<ReadPosition | null> | undefined
}

/** One row for each role; a subject without roles has one row, with an empty role, if it has a user record. */
type Row = Partial<RowOf<typeof users, 'email' | 'displayName' | 'isActive'>> & {
  id: string | null
  role_id: string | null
  role_code: string
  role_name: string
  source: CallerRole['source']
  permissions: string
  position?: ReadPosition | null
}

/**
 * Reads the permission snapshot with one statement. Every request reads it, so a change applies to the next request on
 * every replica. Plain rows with joined text cost PostgreSQL and the driver about half as much as one aggregated JSON value.
 */
export async function loadAccount(db: Db, query: AccountQuery): Promise<Account> {
  const rows = await db.execute<Row>(
    query.tokenRoleCodes.length === 0 ? assignedRoles(query) : allRoles(query),
  )
  const [user] = rows
  const roles = new Map<string, Row>()
  for (const row of rows) {
    if (row.role_id !== null && roles.get(row.role_id)?.source !== 'assigned') roles.set(row.role_id, row)
  }
  const held = [...roles.values()]
  return {
    record: user === undefined || user.id === null ? null : toRecord(user, user.id),
    roles: held.map((row) => ({
      id: row.role_id as string,
      code: row.role_code,
      name: row.role_name,
      source: row.source,
    })),
    permissions: permissionSet(held.map((row) => row.permissions).join(' ')),
    position: user?.position ?? null,
  }
}

const toRecord = (row: Row, userId: string): UserRecord => ({
  userId,
  email: row.email ?? null,
  displayName: row.display_name ?? '',
  isActive: row.is_active ?? false,
})

const positionColumn = (position: AccountQuery['position']): SQL =>
  position === undefined ? sql.empty() : sql`, ${position} as position`

/** Uses `users_subject_key` and the primary keys of `user_roles` and `roles`. */
const assignedRoles = ({ subject, position }: AccountQuery): SQL => sql`
    select u.id, u.email, u.display_name, u.is_active, 'assigned' as source,
      r.id as role_id, r.code as role_code, r.name as role_name, array_to_string(r.permissions, ' ') as permissions${positionColumn(position)}
    from core_audit.users u
    left join core_audit.user_roles ur on ur.user_id = u.id
    left join core_audit.roles r on r.id = ur.role_id and r.is_active
    where u.subject = ${subject}`

/** Also uses `roles_code_key`. Returns the roles of the token even if the subject has no user record. */
const allRoles = ({ subject, tokenRoleCodes, position }: AccountQuery): SQL => sql`
    with account as materialized (
      select id, email, display_name, is_active
      from core_audit.users
      where subject = ${subject}
    ), held as (
      select ur.role_id, 'assigned' as source
      from account
      join core_audit.user_roles ur on ur.user_id = account.id
      union all
      select id, 'token'
      from core_audit.roles
      where code = any(${sql.param(tokenRoleCodes)}::text[])
    )
    select account.id, account.email, account.display_name, account.is_active, held.source,
      r.id as role_id, r.code as role_code, r.name as role_name, array_to_string(r.permissions, ' ') as permissions${positionColumn(position)}
    from account
    full join (held join core_audit.roles r on r.id = held.role_id and r.is_active) on true`

/** Maximum number of remembered permission sets. A deployment has about one set for each role. */
const setsMax = 256

const sets = new Map<string, ReadonlySet<string>>()

/**
 * Splits joined permissions into a set. The separator is a blank: identity refuses to start with a permission that contains
 * one. The key of a remembered set is the exact text from PostgreSQL, so the set is never out of date. We remember sets
 * because building a set of about fifty strings for every request was visible in the profile of small requests.
 */
function permissionSet(joined: string): ReadonlySet<string> {
  const known = sets.get(joined)
  if (known !== undefined) return known
  if (sets.size >= setsMax) sets.clear()
  const made = new Set(joined.split(' ').filter((permission) => permission !== ''))
  sets.set(joined, made)
  return made
}
