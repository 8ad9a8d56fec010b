import type { Context } from 'hono'
import type { Caller } from '../access/caller.ts'
import type { Tx } from '../database/database.ts'
import type { KitEnv } from '../http/kit-env.ts'
import type { BusinessObjectReference } from './contract.ts'

/**
 * Checks the current rights of the author of a change, after the row is locked and before any other decision: a concurrent
 * change can have revoked them. A command receives it with its input, calls it with the object that the locked row is or
 * belongs to (or with the row, if its state affects rights), and lets its errors propagate.
 */
export type Authorize<Subject = BusinessObjectReference> = (tx: Tx, subject: Subject) => Promise<void>

/**
 * Creates the {@link Authorize} of a request: each call passes the caller, with current rights, to `rule`, which throws if
 * the caller lacks access.
 *
 * @throws {CoreError} auth.inactive, by each call; and every error of `rule`
 */
export function authorizer<Subject = BusinessObjectReference>(
  c: Context<KitEnv>,
  rule: (tx: Tx, caller: Caller, subject: Subject) => void | Promise<void>,
): Authorize<Subject> {
  return async (tx, subject) => rule(tx, await c.get('callerNow')(tx), subject)
}
