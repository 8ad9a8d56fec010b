import { Hono } from 'hono'
import type { Caller } from '../access/caller.ts'
import { api } from '../http/api.ts'
import type { KitEnv } from '../http/kit-env.ts'
import type { KitModule } from '../module.ts'
import { version } from '../version.ts'
import { MeAccess } from './contract.ts'

/**
 * Creates the module with the route `GET /api/security/me/access`, from which pages learn what their user may do. Add it to the
 * modules of an application with `authenticateWith`; `createIdentity` contains it.
 */
export const callerAccess = (): KitModule => ({
  name: '@vertical-kit/core-audit/caller-access',
  version,
  router: callerAccessRoute(({ permissions }) => [...permissions].sort()),
})

/** Creates the route of {@link callerAccess}. `permissionsOf` returns the permissions of a caller, sorted. */
export const callerAccessRoute = (permissionsOf: (caller: Caller) => string[]): Hono<KitEnv> =>
  new Hono<KitEnv>().get(
    '/api/security/me/access',
    api({
      operationId: 'getMyAccess',
      tag: 'Security',
      summary: 'Returns the profile, active roles and permissions of the caller.',
      responses: { 200: { description: 'The access', schema: MeAccess } },
    }),
    async (c) => {
      const caller = c.get('caller')
      // The first request of a new user creates the user record and returns its id.
      const userId = caller.userId ?? (await c.get('actor')()).userId
      const access: MeAccess = {
        userId,
        subject: caller.subject,
        email: caller.email,
        displayName: caller.displayName,
        // Inactive users never reach this code: authentication rejects them with `auth.inactive`.
        isActive: true,
        isAdministrator: caller.isAdministrator,
        roles: caller.roles.toSorted((one, other) => (one.code < other.code ? -1 : 1)),
        permissions: permissionsOf(caller),
      }
      return c.json(access)
    },
  )
