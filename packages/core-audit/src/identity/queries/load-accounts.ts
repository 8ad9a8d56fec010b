import type { CallerRole } from '../../access/caller.ts'
import type { Db, ReadPosition } from '../../database/database.ts'
import { planOnce } from '../../database/render-statement.ts'
import type { RowOf } from '../../database/row-of.ts'
import { type SQL, sql } from '../../database/sql.ts'
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
  /** The codes of the roles, without those that a user without full access has chosen. Only these can be administrator codes. */
  readonly trustedRoleCodes: readonly string[]
  /** The value of the requested position; null if no position was requested. */
  readonly position: ReadPosition | null
}

/** The credentials of one request. */
export interface AccountQuery {
  readonly subject: string
  /** Codes of the roles that the credentials grant. */
  readonly tokenRoleCodes: readonly string[]
}

/** A role of a subject, or of the token if `subject` is null. A subject without roles has one row, with an empty role. */
type Row = Partial<RowOf<typeof users, 'email' | 'displayName' | 'isActive'>> & {
  subject: string | null
  id: string | null
  role_id: string | null
  role_code: string
  role_name: string
  permissions: string
  is_code_trusted: boolean | null
  position?: ReadPosition | null
}

/**
 * Reads the permission snapshots of several requests with one statement. Every request reads its own, so a change applies to
 * the next request on every replica. Plain rows with joined text cost PostgreSQL and the driver about half as much as one
 * aggregated JSON value.
 *
 * @param position the column that reads the position of the primary, if a standby serves lists
 * @returns the accounts in the order of the queries
 */
export async function loadAccounts(
  db: Db,
  queries: readonly AccountQuery[],
  position?: SQL<ReadPosition | null>,
): Promise<readonly Account[]> {
  const rows = await db.execute<Row>(planOnce(accountRows(queries, position)))
  const rowsOf = Map.groupBy(rows, ({ subject }) => subject)
  const tokenRoles = rowsOf.get(null) ?? []
  return queries.map(({ subject, tokenRoleCodes }) => {
    const assigned = rowsOf.get(subject) ?? []
    const granted = tokenRoles.filter(({ role_code }) => tokenRoleCodes.includes(role_code))
    return toAccount(assigned, granted)
  })
}

function toAccount(assigned: readonly Row[], granted: readonly Row[]): Account {
  const held = assigned.filter(({ role_id }) => role_id !== null)
  const assignedIds = new Set(held.map(({ role_id }) => role_id))
  const others = granted.filter(({ role_id }) => !assignedIds.has(role_id))
  const [user] = assigned
  return {
    record: user === undefined || user.id === null ? null : toRecord(user, user.id),
    roles: [...held.map(toRole('assigned')), ...others.map(toRole('token'))],
    permissions: permissionSet([...held, ...others].map(({ permissions }) => permissions).join(' ')),
    trustedRoleCodes: [...held, ...others].filter((row) => row.is_code_trusted).map((row) => row.role_code),
    position: (user ?? granted[0])?.position ?? null,
  }
}

const toRole =
  (source: CallerRole['source']) =>
  (row: Row): CallerRole => ({
    id: row.role_id as string,
    code: row.role_code,
    name: row.role_name,
    source,
  })

const toRecord = (row: Row, userId: string): UserRecord => ({
  userId,
  email: row.email ?? null,
  displayName: row.display_name ?? '',
  isActive: row.is_active ?? false,
})

/** Uses `users_subject_key` and the primary keys of `user_roles` and `roles`; for roles of tokens also `roles_code_key`. */
function accountRows(queries: readonly AccountQuery[], position: SQL<ReadPosition | null> | undefined): SQL {
  const subjects = [...new Set(queries.map(({ subject }) => subject))]
  const codes = [...new Set(queries.flatMap(({ tokenRoleCodes }) => tokenRoleCodes))]
  const positionColumn = position === undefined ? sql.empty() : sql`, ${position} as position`
  const roleColumns = sql`
    r.id as role_id, r.code as role_code, r.name as role_name, array_to_string(r.permissions, ' ') as permissions, r.is_code_trusted${positionColumn}`
  const assigned = sql`
    select u.subject, u.id, u.email, u.display_name, u.is_active, ${roleColumns}
    from core_audit.users u
    left join core_audit.user_roles ur on ur.user_id = u.id
    left join core_audit.roles r on r.id = ur.role_id and r.is_active
    where u.subject = any(${sql.param(subjects)}::text[])`
  if (codes.length === 0) return assigned
  return sql`${assigned}
    union all
    select null, null, null, null, null, ${roleColumns}
    from core_audit.roles r
    where r.code = any(${sql.param(codes)}::text[]) and r.is_active`
}

/** Maximum number of remembered permission sets. A deployment has about one set for each role. */
const setsMax = 256

const sets = new Map<string, ReadonlySet<string>>()

/**
 * Splits joined permissions into a set. The separator is a blank: identity refuses to start with a permission that contains
 * one. The key of a remembered set is the exact text from PostgreSQL, so the set is never out of date. We remember sets
 * because building a set of about fifty strings for every request was visible in the profile of small requests.
 */
export function permissionSet(joined: string): ReadonlySet<string> {
  const known = sets.get(joined)
  if (known !== undefined) return known
  if (sets.size >= setsMax) sets.clear()
  const made = new Set(joined.split(' ').filter((permission) => permission !== ''))
  sets.set(joined, made)
  return made
}
