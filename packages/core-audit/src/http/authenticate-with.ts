import type { Context, MiddlewareHandler } from 'hono'
import type { Caller } from '../access/caller.ts'
import { CoreError } from '../errors.ts'
import type { KitEnv } from './kit-env.ts'

/** A signed-in user of an application that keeps users and rights by itself. */
export interface ApplicationUser {
  /** A UUID. Names in lists and timelines come from the record of this id: see `ensureUser`. */
  readonly userId: string
  readonly displayName: string
  readonly email?: string | null
  /** What the user may do now: `system.notes.read`, … */
  readonly permissions: Iterable<string>
}

/**
 * Makes an application's own signed-in user the caller of kit routes. `identify` is asked for each request, and again
 * whenever a change has locked its row, so that rights which were revoked meanwhile stop it; `null` is nobody.
 *
 *     app.use('/api/*', requestId(), authenticateWith(async (c) => sessions.userOf(getCookie(c, 'session'))))
 *
 * @throws {CoreError} auth.required when nobody is signed in
 */
export function authenticateWith(
  identify: (c: Context<KitEnv>) => Promise<ApplicationUser | null>,
): MiddlewareHandler<KitEnv> {
  const load = async (c: Context<KitEnv>): Promise<Caller & { readonly userId: string }> => {
    const user = await identify(c)
    if (user === null) throw new CoreError('auth.required')
    return toCaller(user)
  }
  return async (c, next) => {
    const caller = await load(c)
    const { userId, displayName } = caller
    c.set('caller', caller)
    c.set('actor', async () => ({ userId, displayName, correlationId: c.get('requestId') }))
    c.set('callerNow', () => load(c))
    await next()
  }
}

const toCaller = ({ userId, displayName, email = null, permissions }: ApplicationUser) => ({
  ...{ userId, displayName, email },
  subject: userId,
  profileChanged: false,
  isPlatformAdministrator: false,
  isAdministrator: false,
  roles: [],
  permissions: new Set(permissions),
})
