import { recordAudit } from '../../audit/commands/record-audit.ts'
import { fieldChanges } from '../../audit/field-changes.ts'
import type { Tx } from '../../database/database.ts'
import { brokenConstraint } from '../../database/database-errors.ts'
import { sql } from '../../database/sql.ts'
import { CoreError } from '../../errors.ts'
import { appendToOutbox } from '../../outbox/commands/append-to-outbox.ts'
import { accessChangeOf } from '../access-changed.ts'
import type { Administrator } from '../administrator.ts'
import { userEvent } from '../audit.ts'
import type { User } from '../contract.ts'
import { type AccessRules, mayDecideOver } from '../policy.ts'
import { findUser } from '../queries/find-user.ts'
import { requireRoles } from '../queries/require-roles.ts'
import type { UserProfile } from './ensure-user.ts'

export interface CreateUser extends UserProfile {
  /** Lower-case UUIDs; duplicates count once. */
  readonly roleIds: readonly string[]
  readonly by: Administrator
}

/**
 * Invites a person: creates the user record with its roles before the person's first request. Only administrators can
 * assign an administrator role. The insert runs first: it waits for a concurrent insert of the same subject, and the rights
 * are checked after that wait.
 *
 * @throws {CoreError} users.subject_taken · permission.denied · request.invalid for a role that does not exist
 */
export async function createUser(tx: Tx, rules: AccessRules, input: CreateUser): Promise<User> {
  const { subject, email, displayName, by } = input
  const id = await insertUser(tx, input)
  const caller = await by.authorize(tx)
  const roles = await requireRoles(tx, input.roleIds)
  const roleCodes = roles.map((role) => role.code)
  if (!mayDecideOver(rules, caller, roleCodes)) {
    throw new CoreError('permission.denied', { context: { permission: by.permission } })
  }
  const changes = fieldChanges(null, { subject, email, displayName, roles: roleCodes })
  await recordAudit(tx, userEvent({ id, actionCode: 'users.created', actor: by.actor, changes }))
  if (roles.length > 0) {
    await Promise.all([
      tx.execute(sql`
        insert into core_audit.user_roles (user_id, role_id)
        select ${id}::uuid, unnest(${sql.param(roles.map((role) => role.id))}::uuid[])`),
      appendToOutbox(tx, accessChangeOf({ userId: id }, by.actor)),
    ])
  }
  return findUser(tx, id)
}

async function insertUser(tx: Tx, { subject, email, displayName }: UserProfile): Promise<string> {
  const id = tx.newId()
  try {
    await tx.execute(sql`
      insert into core_audit.users (id, subject, email, display_name, is_changed_by_person)
      values (${id}::uuid, ${subject}, ${email}, ${displayName}, true)`)
  } catch (error) {
    if (brokenConstraint(error) !== 'users_subject_key') throw error
    throw new CoreError('users.subject_taken', { context: { subject }, cause: error })
  }
  return id
}
