import { CoreError, sql, toInstant } from '@vertical-kit/core-audit'
import { type Db, searchPattern } from '@vertical-kit/core-audit/database'
import type { RowOf } from '@vertical-kit/core-audit/schema'
import type { Substitutes, Substitution } from '../contract.ts'
import type { substitutions } from '../schema-internal.ts'

export type SubstitutionRow = RowOf<typeof substitutions, 'substituteUserId' | 'fromAt' | 'untilAt'>

/** Returns the current or future substitution of a user, or `null`. */
export async function findSubstitution(db: Db, userId: string): Promise<Substitution | null> {
  const stored = await findStoredSubstitution(db, userId)
  return stored?.hasEnded === false ? stored.substitution : null
}

/** A substitution with a row. It keeps its row after its end, until the clock deletes it. */
export interface StoredSubstitution {
  readonly substitution: Substitution
  readonly hasEnded: boolean
}

/** Returns the substitution of a user, also if it has ended, or `null`. Uses the primary key. */
export async function findStoredSubstitution(db: Db, userId: string): Promise<StoredSubstitution | null> {
  const [row] = await db.execute<SubstitutionRow & { has_ended: boolean }>(sql`
    select substitute_user_id, from_at, until_at, until_at <= statement_timestamp() as has_ended
    from work_center.substitutions
    where user_id = ${userId}::uuid`)
  return row === undefined ? null : { substitution: toSubstitution(row), hasEnded: row.has_ended }
}

/**
 * Returns the current or future substitution of a user, or `null`.
 * @throws {CoreError} users.not_found
 */
export async function findSubstitutionOf(db: Db, userId: string): Promise<Substitution | null> {
  const [user] = await db.execute(sql`select from core_audit.user_accounts where id = ${userId}::uuid`)
  if (user === undefined) throw new CoreError('users.not_found')
  return findSubstitution(db, userId)
}

export const toSubstitution = (row: SubstitutionRow): Substitution => ({
  userId: row.substitute_user_id,
  fromUtc: toInstant(row.from_at),
  untilUtc: toInstant(row.until_at),
})

/** A longer list would not help anybody to choose: users search for a name. */
const usersMax = 100

/** A search for users that a user can name as their substitute. */
export interface ListSubstitutes {
  readonly userId: string
  /** A part of the name in any case. An empty text matches every name. */
  readonly q: string
}

/**
 * Lists the users that share a role with a user and whose name contains `q`, and always the current substitute, sorted by name.
 * A user can name any other active user by id; this list only helps to choose, and shows nobody the names of unrelated users.
 */
export async function listSubstitutes(db: Db, { userId, q }: ListSubstitutes): Promise<Substitutes> {
  const rows = await db.execute<{ id: string; display_name: string }>(sql`
    (
      select u.id, u.display_name
      from core_audit.user_names u
      where u.id in (
          select m.user_id
          from core_audit.active_role_members own
          join core_audit.active_role_members m on m.role_id = own.role_id
          where own.user_id = ${userId}::uuid and m.user_id <> ${userId}::uuid
        )
        and u.display_name ~ ${searchPattern(q)}
      order by u.display_name, u.id
      limit ${usersMax}
    )
    union
    select u.id, u.display_name
    from work_center.substitutions s
    join core_audit.user_names u on u.id = s.substitute_user_id
    where s.user_id = ${userId}::uuid and s.until_at > statement_timestamp()
    order by display_name, id`)
  return { users: rows.map((row) => ({ userId: row.id, displayName: row.display_name })) }
}
