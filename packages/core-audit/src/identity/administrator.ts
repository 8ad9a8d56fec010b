import type { Context } from 'hono'
import type { Actor } from '../access/actor.ts'
import { type Caller, requirePermission } from '../access/caller.ts'
import type { Tx } from '../database/database.ts'
import type { KitEnv } from '../http/kit-env.ts'

/** Who changes a role or a user. */
export interface Administrator {
  readonly actor: Actor
  /** What the change takes. */
  readonly permission: string
  /**
   * Their rights as of now. To be asked once the row to change is locked: the change that was waited for may have
   * revoked them.
   * @throws {CoreError} auth.inactive · permission.denied
   */
  authorize(tx: Tx): Promise<Caller>
}

/**
 * The caller of a request as the one who changes a role or a user. Makes their user record when needed, on a
 * connection of its own: to be called before the transaction, not in it.
 */
export async function administratorOf(c: Context<KitEnv>, permission: string): Promise<Administrator> {
  return {
    actor: await c.get('actor')(),
    permission,
    authorize: async (tx) => requirePermission(await c.get('callerNow')(tx), permission),
  }
}
