import { permitted } from './callers.ts'
import type { Endpoint } from './endpoints.ts'
import type { World } from './world.ts'

const administered = [permitted('administer')]
const role = (world: World) => ({ code: `test.${world.next()}`, name: 'Test', description: '' })
const rolePath = (world: World, action = '') => ({ path: `/api/security/roles/${world.role.id}${action}` })
const userPath = (world: World, action = '') => ({
  path: `/api/security/users/${world.idleUser.id}${action}`,
})
const administer = (
  operation: string,
  success: number,
  rest: Pick<Endpoint, 'call' | 'restore'>,
): Endpoint => ({
  operation: operation.replace(' /', ' /api/security/'),
  checks: administered,
  success,
  ...rest,
})

const securityTimelines = ['role', 'user'].map(
  (what): Endpoint => ({
    operation: 'GET /api/audit/events',
    situation: `for a ${what}`,
    checks: [permitted('view all audit')],
    success: 200,
    call: ({ role: { id: roleId }, idleUser: { id: userId } }) => {
      const objectId = what === 'role' ? roleId : userId
      const query = new URLSearchParams({ kind: 'Security', typeCode: `security.${what}`, objectId })
      return { path: `/api/audit/events?${query}` }
    },
  }),
)

/** The endpoints for administrators of users and roles. */
export const securityEndpoints: readonly Endpoint[] = [
  ...securityTimelines,
  {
    operation: 'GET /api/audit/search',
    checks: [permitted('view all audit')],
    success: 200,
    call: () => ({ path: '/api/audit/search' }),
  },
  administer('GET /permissions', 200, { call: () => ({ path: '/api/security/permissions' }) }),
  administer('GET /roles', 200, { call: () => ({ path: '/api/security/roles' }) }),
  administer('GET /roles/{id}', 200, { call: (world) => rolePath(world) }),
  administer('POST /roles', 201, {
    call: (world) => ({ path: '/api/security/roles', body: { ...role(world), permissions: [] } }),
  }),
  administer('PUT /roles/{id}', 200, { call: (world) => ({ ...rolePath(world), body: role(world) }) }),
  administer('PUT /roles/{id}/permissions', 200, {
    call: (world) => ({ ...rolePath(world, '/permissions'), body: { permissions: ['system.notes.read'] } }),
  }),
  administer('POST /roles/{id}/deactivate', 200, { call: (world) => rolePath(world, '/deactivate') }),
  administer('POST /roles/{id}/reactivate', 200, { call: (world) => rolePath(world, '/reactivate') }),
  administer('GET /users', 200, { call: () => ({ path: '/api/security/users' }) }),
  administer('POST /users', 201, {
    call: (world) => ({
      path: '/api/security/users',
      body: { subject: `test.${world.next()}`, email: null, displayName: 'Test', roleIds: [world.role.id] },
    }),
  }),
  administer('GET /users/{id}', 200, { call: (world) => userPath(world) }),
  administer('PUT /users/{id}/roles', 200, {
    call: (world) => ({ ...userPath(world, '/roles'), body: { roleIds: [world.role.id] } }),
  }),
  administer('POST /users/{id}/deactivate', 200, { call: (world) => userPath(world, '/deactivate') }),
  administer('POST /users/{id}/reactivate', 200, {
    call: (world) => userPath(world, '/reactivate'),
    // `idleUser` is the inactive user of the demo. The user must be inactive again for the next caller.
    restore: (world) => world.admin('POST', userPath(world, '/deactivate').path),
  }),
]
