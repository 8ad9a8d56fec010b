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

/** Adds to the author of a change the current rights of the caller. */
export function administratorOf(c: Context<KitEnv>, actor: Actor, permission: string): Administrator {
  return {
    actor,
    permission,
    authorize: async (tx) => requirePermission(await c.get('callerNow')(tx), permission),
  }
}
