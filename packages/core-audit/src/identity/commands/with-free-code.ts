import { brokenConstraint } from '../../database/database-errors.ts'
import { CoreError } from '../../errors.ts'

/**
 * Runs a statement that sets a role's code.
 * @throws {CoreError} roles.code_taken
 */
export async function withFreeCode<T>(code: string, write: () => Promise<T>): Promise<T> {
  try {
    return await write()
  } catch (error) {
    if (brokenConstraint(error) !== 'roles_code_key') throw error
    throw new CoreError('roles.code_taken', { context: { code }, cause: error })
  }
}
