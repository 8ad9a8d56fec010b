import type { Tx } from '../../database/database.ts'
import { brokenConstraint } from '../../database/database-errors.ts'
import { sql } from '../../database/sql.ts'
import { CoreError } from '../../errors.ts'

/**
 * Reserves a role code until the transaction ends: adds an inactive role with this code, and returns its id. The insert
 * waits for a concurrent transaction that sets or frees the code, so check the rights of the caller after it. The token of
 * the caller can contain this code. The role grants nothing while it is inactive, so it cannot give the caller the right to
 * the change itself.
 *
 * @throws {CoreError} roles.code_taken
 */
export async function reserveRoleCode(tx: Tx, code: string): Promise<string> {
  const id = tx.newId()
  try {
    await tx.execute(sql`
      insert into core_audit.roles (id, code, name, is_active)
      values (${id}::uuid, ${code}, ${code}, false)`)
  } catch (error) {
    if (brokenConstraint(error) !== 'roles_code_key') throw error
    throw new CoreError('roles.code_taken', { context: { code }, cause: error })
  }
  return id
}
