import { sql } from 'drizzle-orm/sql'
import type { CallerRole } from '../../access/caller.ts'
import type { Db } from '../../database/database.ts'
import type { RowOf } from '../../database/row-of.ts'
import type { users } from '../schema.ts'

/** A user record with its active roles and their permissions, all read at the same moment. */
export interface Account {
  readonly userId: string
  readonly email: string | null
  readonly displayName: string
  readonly isActive: boolean
  readonly roles: readonly CallerRole[]
  readonly permissions: ReadonlySet<string>
}

/** One row for each role; a user without roles has one row with an empty role. */
type Row = RowOf<typeof users, 'id' | 'email' | 'displayName' | 'isActive'> & {
  role_id: string | null
  role_code: string
  role_name: string
  permissions: string
}

/**
 * Reads the permission snapshot with one statement. Every request reads it, so a change applies to the next request on
 * every replica. The statement uses `users_subject_key` and the primary keys of `user_roles` and `roles`. Plain rows with
 * joined text cost PostgreSQL and the driver about half as much as one aggregated JSON value.
 */
export async function loadAccount(db: Db, subject: string): Promise<Account | undefined> {
  const rows = await db.execute<Row>(sql`
    select u.id, u.email, u.display_name, u.is_active,
      r.id as role_id, r.code as role_code, r.name as role_name, array_to_string(r.permissions, ' ') as permissions
    from core_audit.users u
    left join core_audit.user_roles ur on ur.user_id = u.id
    left join core_audit.roles r on r.id = ur.role_id and r.is_active
    where u.subject = ${subject}`)
  const [user] = rows
  if (user === undefined) return undefined
  const active = rows.filter((row) => row.role_id !== null)
  return {
    userId: user.id,
    email: user.email,
    displayName: user.display_name,
    isActive: user.is_active,
    roles: active.map((row) => ({ id: row.role_id as string, code: row.role_code, name: row.role_name })),
    permissions: permissionSet(active.map((row) => row.permissions).join(' ')),
  }
}

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
