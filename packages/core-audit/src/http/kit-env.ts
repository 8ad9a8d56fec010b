import type { Logger } from 'pino'
import type { Actor } from '../access/actor.ts'
import type { Caller } from '../access/caller.ts'
import type { Tx } from '../database/database.ts'

/** The variables that the kernel sets on every request; `caller` and `actor` exist below `/api`, after authentication. */
export interface KitEnv {
  Variables: {
    requestId: string
    logger: Logger
    /** The body as sent. `c.req.valid('json')` is the output of the schema, which can omit properties. */
    json: unknown
    caller: Caller
    /** When the caller's credentials expire, as a `Date.now` value. Connections that outlive the request end then. */
    credentialsExpireAtMs?: number
    /** Returns the caller as the author of a change; creates or updates their user record when needed. */
    actor: () => Promise<Actor>
    /**
     * Returns the caller with their current permissions. Call it after locking the row to change: the previous holder of
     * the lock may have revoked them.
     * @throws {CoreError} auth.inactive
     */
    callerNow: (tx: Tx) => Promise<Caller>
  }
}
