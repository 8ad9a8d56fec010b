import type { Context } from 'hono'
import type { Caller } from '../access/caller.ts'
import type { Tx } from '../database/database.ts'
import type { KitEnv } from '../http/kit-env.ts'
import type { BusinessObjectReference } from './contract.ts'

/**
 * Looks again at what the author of a change may do, once the row is locked and before anything else is decided: the
 * change that was waited for may have revoked it. A command takes it with its input, calls it with the object the
 * locked row is or belongs to (or with the row, where its state decides about rights), and lets what it throws rise.
 * Throws when they may not.
 */
export type Authorize<Subject = BusinessObjectReference> = (tx: Tx, subject: Subject) => Promise<void>

/**
 * Makes the {@link Authorize} of a request: each call asks `rule` about the caller with their rights as of then. The
 * rule throws when they may not.
 *
 * @throws {CoreError} auth.inactive, by each call; and whatever `rule` throws
 */
export function authorizer<Subject = BusinessObjectReference>(
  c: Context<KitEnv>,
  rule: (tx: Tx, caller: Caller, subject: Subject) => void | Promise<void>,
): Authorize<Subject> {
  return async (tx, subject) => rule(tx, await c.get('callerNow')(tx), subject)
}
