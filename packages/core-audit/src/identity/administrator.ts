import type { Context } from 'hono'
import type { Actor } from '../access/actor.ts'
import { type Caller, requirePermission } from '../access/caller.ts'
import type { Tx } from '../database/database.ts'
import type { KitEnv } from '../http/kit-env.ts'

/** The author of a change to a role or a user. */
export interface Administrator {
  readonly actor: Actor
  /** The permission that the change requires. */
  readonly permission: string
  /**
   * Returns the caller with current rights. Call it after locking the row, because a concurrent change can have revoked
   * rights of the caller.
   * @throws {CoreError} auth.inactive · permission.denied
   */
  authorize(tx: Tx): Promise<Caller>
}

/**
 * Returns the caller of a request as the author of a change. Creates the user record if necessary, on a separate
 * connection: call the function before the transaction, not inside it.
 */
export async function administratorOf(c: Context<KitEnv>, permission: string): Promise<Administrator> {
  return {
    actor: await c.get('actor')(),
    permission,
    authorize: async (tx) => requirePermission(await c.get('callerNow')(tx), permission),
  }
}
