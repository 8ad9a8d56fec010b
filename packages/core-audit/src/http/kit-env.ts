import type { Logger } from 'pino'
import type { Actor } from '../access/actor.ts'
import type { Caller, RoleName } from '../access/caller.ts'
import type { Db, Tx } from '../database/database.ts'

/** The variables that the kernel sets on a request. Those from `caller` on exist only after authentication. */
export interface KitEnv {
  Variables: {
    requestId: string
    logger: Logger
    /** The complete JSON body. `c.req.valid('json')` is the output of the schema, which can omit properties of the body. */
    json: unknown
    caller: Caller
    /** The time when the caller's credentials expire, in milliseconds since 1970. Long-lived connections end then. */
    credentialsExpireAtMs?: number
    /**
     * Returns the caller as the author of a change. Creates or updates the caller's user record if necessary: with `tx`, in
     * this transaction, and without `tx` immediately, on another connection. A refused request must not create a record, so
     * use `changeAs(database, c.var, …)`. Call `actor()` only before a single statement that can no longer be refused.
     * @throws {CoreError} auth.inactive if an administrator has deactivated the user since the start of the request
     */
    actor: (tx?: Tx) => Promise<Actor>
    /**
     * Returns the caller with the current permissions. Call this function after you have locked the row to change, because
     * permissions can be revoked while the request waits for the lock. A response that takes long calls it for each part.
     * Changes call it together with the statement that locks, so middleware of your own must first run a statement on `db`.
     * @throws {CoreError} auth.inactive
     */
    callerNow: (db: Db) => Promise<Caller>
    /**
     * Returns the active roles that grant all of these permissions, sorted by code, with one statement. Administrator roles
     * are included. Empty with `authenticateWith`, because the application manages its own roles.
     */
    rolesHolding: (db: Db, permissions: readonly string[]) => Promise<readonly RoleName[]>
    /**
     * Returns the caller with the current permissions, for connections that outlive the request. Concurrent calls share a
     * statement.
     * @throws {CoreError} auth.inactive
     */
    callerLater?: () => Promise<Caller>
  }
}
