import type { Context } from 'hono'
import type { Caller } from '../access/caller.ts'
import type { Tx } from '../database/database.ts'
import type { KitEnv } from '../http/kit-env.ts'
import type { BusinessObjectReference } from './contract.ts'

/**
 * Checks the current rights of the author of a change. A command receives this function with its input. It calls the
 * function after locking the row and before any other decision, because a concurrent change can have revoked rights.
 * `subject` is the business object of the locked row, or the row itself if its state affects rights. The command lets
 * errors of the function propagate.
 */
export type Authorize<Subject = BusinessObjectReference> = (tx: Tx, subject: Subject) => Promise<void>

/**
 * Creates the {@link Authorize} of a request: each call passes the caller, with current rights, to `rule`, which throws if
 * the caller lacks access.
 *
 * @throws {CoreError} auth.inactive, when the returned function is called; it also throws every error of `rule`
 */
export function authorizer<Subject = BusinessObjectReference>(
  c: Context<KitEnv>,
  rule: (tx: Tx, caller: Caller, subject: Subject) => void | Promise<void>,
): Authorize<Subject> {
  return async (tx, subject) => rule(tx, await c.get('callerNow')(tx), subject)
}
