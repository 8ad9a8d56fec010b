import type { Logger } from 'pino'
import type { Actor } from '../access/actor.ts'
import type { Caller } from '../access/caller.ts'
import type { Tx } from '../database/database.ts'

/** What the kernel puts on every request; `caller` and `actor` are there below `/api`, after authentication. */
export interface KitEnv {
  Variables: {
    requestId: string
    logger: Logger
    /** The body as it was sent, for what goes by all of it: `c.req.valid('json')` is what its schema makes of it. */
    json: unknown
    caller: Caller
    /** When the caller's credentials end, by the clock of `Date.now`: what outlives a request ends then. */
    credentialsExpireAtMs?: number
    /** The caller as the author of a change: creates or updates their user record when needed. */
    actor: () => Promise<Actor>
    /**
     * The caller with their rights as of now. To be asked once the row to change is locked: the change that was waited
     * for may have revoked them.
     * @throws {CoreError} auth.inactive
     */
    callerNow: (tx: Tx) => Promise<Caller>
  }
}
