import type { Logger } from 'pino'
import type { Actor } from '../access/actor.ts'
import type { Caller } from '../access/caller.ts'
import type { Tx } from '../database/database.ts'

/** The variables that the kernel sets on a request. `caller`, `actor` and `callerNow` exist only after authentication. */
export interface KitEnv {
  Variables: {
    requestId: string
    logger: Logger
    /** The complete JSON body. `c.req.valid('json')` is the output of the schema, which can omit properties of the body. */
    json: unknown
    caller: Caller
    /** The time when the caller's credentials expire, in milliseconds since 1970. Long-lived connections end then. */
    credentialsExpireAtMs?: number
    /** Returns the caller as the author of a change. Creates or updates the caller's user record if necessary. */
    actor: () => Promise<Actor>
    /**
     * Returns the caller with the current permissions. Call this function after you have locked the row to change, because
     * permissions can be revoked while the request waits for the lock.
     * @throws {CoreError} auth.inactive
     */
    callerNow: (tx: Tx) => Promise<Caller>
  }
}
