import type { Role } from '@vertical-kit/core-audit/contract'
import { beforeAll, expect, test } from 'vitest'
import { everyPermission, json, problem, useSecurityHost } from './harness.ts'

const host = useSecurityHost()
let role: Role
let userId: string

beforeAll(async () => {
  role = await host.makeRole('clerk')
  userId = (await host.makeUser('clerk')).id
})

const missing = '019a0000-0000-7000-8000-000000000000'
const words = { code: 'clerk', name: 'Clerk', description: '' }

/** Every route of `/api/security`, with its permission and body. */
const routes = [
  { method: 'GET', path: '/me/access' },
  { method: 'GET', path: '/permissions', permission: 'system.permissions.view' },
  { method: 'GET', path: '/roles', permission: 'system.roles.view' },
  { method: 'POST', path: '/roles', permission: 'system.roles.manage', body: words },
  { method: 'GET', path: '/roles/:id', permission: 'system.roles.view' },
  { method: 'PUT', path: '/roles/:id', permission: 'system.roles.manage', body: words },
  {
    method: 'PUT',
    path: '/roles/:id/permissions',
    permission: 'system.roles.manage',
    body: { permissions: [] },
  },
  { method: 'POST', path: '/roles/:id/deactivate', permission: 'system.roles.manage' },
  { method: 'POST', path: '/roles/:id/reactivate', permission: 'system.roles.manage' },
  { method: 'GET', path: '/users', permission: 'system.users.view' },
  {
    method: 'POST',
    path: '/users',
    permission: 'system.users.manage',
    body: { subject: 'invited', email: null, displayName: 'Invited', roleIds: [] },
  },
  { method: 'GET', path: '/users/:id', permission: 'system.users.view' },
  { method: 'PUT', path: '/users/:id/roles', permission: 'system.users.manage', body: { roleIds: [] } },
  { method: 'POST', path: '/users/:id/deactivate', permission: 'system.users.manage' },
  { method: 'POST', path: '/users/:id/reactivate', permission: 'system.users.manage' },
] as const

type Route = { method: string; path: string; permission?: string; body?: object }
const all: readonly Route[] = routes
const guarded = all.filter((route) => route.permission !== undefined)
const withId = all.filter((route) => route.path.includes(':id'))
const withBody = all.filter((route) => route.body !== undefined)
const name = ({ method, path }: Route) => `${method} ${path}`
const each = (list: readonly Route[]) => list.map((route) => [name(route), route] as const)

const address = (route: Route, id?: string) => {
  const own = route.path.startsWith('/roles') ? role.id : userId
  return `/api/security${route.path.replace(':id', id ?? own)}`
}

test('the tests of this file cover every route below /api/security', async () => {
  const { paths } = await json<{ paths: Record<string, object> }>(await host.app.request('/openapi.json'))
  const described = Object.entries(paths)
    .filter(([path]) => path.startsWith('/api/security/'))
    .flatMap(([path, methods]) =>
      Object.keys(methods).map((method) =>
        `${method.toUpperCase()} ${path}`.replace('/api/security', '').replace('{id}', ':id'),
      ),
    )
  expect(described.sort()).toEqual(all.map(name).sort())
})

test.each(each(all))('%s requires a token', async (_, route) => {
  const response = await host.app.request(address(route), { method: route.method })
  expect(response.status).toBe(401)
  expect(response.headers.get('WWW-Authenticate')).toBe('Bearer')
  expect(await problem(response)).toMatchObject({ code: 'auth.required' })
})

test.each(each(guarded))('%s is refused if only its permission is missing', async (_, route) => {
  const others = everyPermission.filter((permission) => permission !== route.permission)
  const request = await host.as({ subject: `all-but-${route.permission}`, permissions: others })
  for (const path of withId.includes(route) ? [address(route), address(route, missing)] : [address(route)]) {
    // The body is malformed to show that the route does not read it.
    const response = await request(route.method, path, route.body ? { body: '{' } : {})
    expect(response.status).toBe(403)
    expect(await problem(response)).toMatchObject({
      code: 'permission.denied',
      context: { permission: route.permission },
    })
  }
})

test.each(each(guarded))('%s requires no permission except its own', async (_, route) => {
  const request = await host.as({
    subject: `only-${route.permission}`,
    permissions: [route.permission ?? ''],
  })
  const response = await request(route.method, address(route), route.body ? { body: route.body } : {})
  // The role already exists, so status 409 shows that the permission is sufficient.
  const created: Record<string, number> = { 'POST /roles': 409, 'POST /users': 201 }
  expect(response.status).toBe(created[name(route)] ?? 200)
  expect(response.headers.get('Cache-Control')).toBe('no-store')
})

test.each(each(withId))(
  '%s returns an identical error for unknown, foreign and malformed ids',
  async (_, route) => {
    const code = route.path.startsWith('/roles') ? 'roles.not_found' : 'users.not_found'
    const foreign = route.path.startsWith('/roles') ? userId : role.id
    const answers = []
    for (const id of [missing, foreign, 'clerk', '1', `${missing}0`, '%00', '%E0%A4%A', "'--"]) {
      const response = await host.root(
        route.method,
        address(route, id),
        route.body ? { body: route.body } : {},
      )
      expect(response.status).toBe(404)
      answers.push(await problem(response))
    }
    expect(new Set(answers.map((answer) => JSON.stringify(answer)))).toHaveLength(1)
    expect(answers[0]).toMatchObject({ code })
  },
)

test.each(each(withId))('%s accepts an id in upper case', async (_, route) => {
  const upper = route.path.startsWith('/roles') ? role.id.toUpperCase() : userId.toUpperCase()
  const response = await host.root(
    route.method,
    address(route, upper),
    route.body ? { body: route.body } : {},
  )
  expect(await json<{ id: string }>(response)).toMatchObject({ id: upper.toLowerCase() })
})

test.each(each(withBody))('%s rejects invalid bodies', async (_, route) => {
  const send = (body: unknown, headers = {}) => host.root(route.method, address(route), { body, headers })
  expect(await problem(await send('{'))).toMatchObject({ status: 400, code: 'request.malformed' })
  expect(await problem(await send([]))).toMatchObject({ status: 400, code: 'request.invalid' })
  expect(await problem(await send('null'))).toMatchObject({ status: 400, code: 'request.invalid' })
  expect(await problem(await send({}))).toMatchObject({ status: 400, code: 'request.invalid' })
  const asForm = { 'Content-Type': 'application/x-www-form-urlencoded' }
  expect(await problem(await send('code=clerk', asForm))).toMatchObject({
    status: 415,
    code: 'request.unsupported_media_type',
  })
  const large = { ...route.body, more: 'x'.repeat(1024 * 1024) }
  expect(await problem(await send(large))).toMatchObject({ status: 413, code: 'request.too_large' })
})
