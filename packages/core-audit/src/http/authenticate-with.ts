import type { Context, MiddlewareHandler } from 'hono'
import type { Caller } from '../access/caller.ts'
import type { Db } from '../database/database.ts'
import { CoreError } from '../errors.ts'
import { isUuid } from './contract.ts'
import type { KitEnv } from './kit-env.ts'

/** A signed-in user of an application that manages its own users and permissions. */
export interface ApplicationUser {
  /** A UUID. Lists and timelines show the name from the user record with this id, which `ensureUser` returns. */
  readonly userId: string
  readonly displayName: string
  readonly email?: string | null
  /** The user's current permissions, such as `system.notes.read`. */
  readonly permissions: Iterable<string>
}

/**
 * Returns middleware that makes the application's signed-in user the caller of the kit's routes. `identify` returns the
 * user, or `null` if no user is signed in. It runs for each request. It runs again after a change has locked its row, and
 * after the handler of a document action, so that permissions revoked during a wait for a lock are noticed. Then it
 * receives the connection of the change as `db`: use this connection, because all others can be held by changes that
 * wait for theirs.
 *
 *     app.use('/api/*', requestId(), authenticateWith(async (c) => sessions.userOf(getCookie(c, 'session'))))
 *
 * @throws {CoreError} auth.required if no user is signed in
 * @throws {TypeError} during a request, if `userId` is not a UUID
 */
export function authenticateWith(
  identify: (c: Context<KitEnv>, db?: Db) => Promise<ApplicationUser | null>,
): MiddlewareHandler<KitEnv> {
  const load = async (c: Context<KitEnv>, db?: Db): Promise<Caller & { readonly userId: string }> => {
    const user = await identify(c, db)
    if (user === null) throw new CoreError('auth.required')
    return toCaller(user)
  }
  return async (c, next) => {
    const caller = await load(c)
    const { userId, displayName } = caller
    c.set('caller', caller)
    c.set('actor', async () => ({ userId, displayName, correlationId: c.get('requestId') }))
    c.set('callerNow', async (db) => {
      // A change asks for its lock and for the rights at once. The lock is held when this statement is answered, because the
      // connection answers in order.
      await db.execute(await anyStatement())
      return load(c, db)
    })
    c.set('rolesHolding', async () => [])
    c.set('callerLater', () => load(c))
    await next()
  }
}

/** Loaded on demand, because the entry point also serves packages that send no statement. */
const anyStatement = async () => (await import('../database/sql.ts')).sql`select`

function toCaller({ userId: given, displayName, email = null, permissions }: ApplicationUser) {
  // Reads would accept any text, but the first write would fail in the database.
  if (!isUuid(given))
    throw new TypeError('authenticateWith: userId is not a UUID; return the id of ensureUser')
  const userId = given.toLowerCase()
  return {
    ...{ userId, displayName, email },
    subject: userId,
    profileChanged: false,
    isPlatformAdministrator: false,
    isAdministrator: false,
    roles: [],
    permissions: new Set(permissions),
  }
}
