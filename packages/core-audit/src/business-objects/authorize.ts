import type { Context } from 'hono'
import type { Tx } from '../database/database.ts'
import type { KitEnv } from '../http/environment.ts'
import type { Caller } from '../identity/caller.ts'
import type { BusinessObjectReference } from './contract.ts'

/**
 * Looks again at what the author of a change may do, once the row is locked and before anything else is decided: the
 * change that was waited for may have revoked it. A command takes it with its input, calls it with the object the
 * locked row is or belongs to, and lets what it throws rise. Throws when they may not.
 */
export type Authorize = (tx: Tx, target: BusinessObjectReference) => Promise<void>

/**
 * Makes the {@link Authorize} of a request: each call asks `rule` about the caller with their rights as of then. The
 * rule throws when they may not.
 *
 * @throws {CoreError} auth.inactive, by each call; and whatever `rule` throws
 */
export function authorizer(
  c: Context<KitEnv>,
  rule: (tx: Tx, caller: Caller, target: BusinessObjectReference) => void | Promise<void>,
): Authorize {
  return async (tx, target) => rule(tx, await c.get('callerNow')(tx), target)
}
