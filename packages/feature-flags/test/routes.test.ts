import type { KitModule } from '@vertical-kit/core-audit'
import { api, type KitEnv } from '@vertical-kit/core-audit/http'
import { createFeatureFlags } from '@vertical-kit/feature-flags'
import { Features } from '@vertical-kit/feature-flags/contract'
import { sql } from 'drizzle-orm/sql'
import { Hono } from 'hono'
import { parse } from 'valibot'
import { expect, test } from 'vitest'
import { attachments, notes, openHost } from './harness.ts'

const flags = createFeatureFlags({ definitions: [notes, attachments], values: new Map([['Notes', true]]) })

/** Creates a module with an endpoint that requires at least one of these features. */
const guarded = (path: string, ...codes: readonly [string, ...string[]]): KitModule => ({
  name: `test${path}`,
  permissions: [],
  router: new Hono<KitEnv>().get(
    path,
    api({
      operationId: path.slice('/api/'.length),
      tag: 'Test',
      summary: 'Responds while at least one of the features is on.',
      guards: [flags.require(...codes)],
      permission: 'system.test.read',
      responses: { 200: { description: 'Open' } },
      errors: ['feature.disabled'],
    }),
    (c) => c.json('open'),
  ),
})

test('GET /api/features returns every feature and its state in the order of registration', async () => {
  const host = await openHost(flags)
  const reader = await host.as({ subject: 'any user' })
  const response = await reader('GET', '/api/features')
  expect(response.status).toBe(200)
  const body: unknown = await response.json()
  expect(body).toEqual([
    { code: 'Notes', displayName: 'Notes', group: 'Attachments & Notes', enabled: true },
    { code: 'Attachments', displayName: 'Attachments', group: 'Attachments & Notes', enabled: false },
  ])
  expect(parse(Features, body)).toEqual(body)
})

test('the response of GET /api/features must not be cached', async () => {
  const host = await openHost(flags)
  const reader = await host.as({ subject: 'reader' })
  expect((await reader('GET', '/api/features')).headers.get('cache-control')).toBe('no-store')
})

test('GET /api/features returns an empty list if no features are registered', async () => {
  const host = await openHost(createFeatureFlags({ definitions: [], values: new Map() }))
  const reader = await host.as({ subject: 'reader' })
  expect(await (await reader('GET', '/api/features')).json()).toEqual([])
})

test('GET /api/features returns 401 if the request has no token', async () => {
  const host = await openHost(flags)
  const response = await host.app.request('/api/features')
  expect(response.status).toBe(401)
  expect(response.headers.get('www-authenticate')).toBe('Bearer')
  const body: unknown = await response.json()
  expect(body).toMatchObject({ code: 'auth.required' })
  expect(JSON.stringify(body)).not.toContain('Attachments')
})

test('GET /api/features returns 403 to a deactivated user', async () => {
  const host = await openHost(flags)
  const gone = await host.as({ subject: 'gone', permissions: [] })
  expect((await gone('GET', '/api/features')).status).toBe(200)
  await host.database.statement((tx) => tx.execute(sql`update core_audit.users set is_active = false`))
  const response = await gone('GET', '/api/features')
  expect(response.status).toBe(403)
  expect(await response.json()).toMatchObject({ code: 'auth.inactive' })
})

test('no endpoint changes a feature', async () => {
  const host = await openHost(flags)
  const admin = await host.as({ subject: 'admin', roles: ['platform-admin'] })
  for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
    expect((await admin(method, '/api/features', { body: { Attachments: true } })).status).toBe(405)
    expect((await admin(method, '/api/features/Attachments', { body: { enabled: true } })).status).toBe(404)
  }
  expect(await (await admin('GET', '/api/features')).json()).toMatchObject([{}, { enabled: false }])
})

test('an endpoint with only disabled features returns 404, even to administrators', async () => {
  const host = await openHost(
    flags,
    guarded('/api/closed', 'Attachments'),
    guarded('/api/either', 'Attachments', 'Notes'),
  )
  const stranger = await host.as({ subject: 'stranger' })
  const admin = await host.as({ subject: 'admin', roles: ['platform-admin'] })
  for (const request of [stranger, admin]) {
    const response = await request('GET', '/api/closed')
    expect(response.status).toBe(404)
    expect(response.headers.get('content-type')).toBe('application/problem+json')
    expect(await response.json()).toMatchObject({
      type: 'urn:vertical-kit:problem:feature.disabled',
      title: 'Not Found',
      status: 404,
      code: 'feature.disabled',
      detail: 'This feature is not enabled in this deployment.',
    })
  }
  expect((await stranger('GET', '/api/either')).status).toBe(403)
  expect((await admin('GET', '/api/either')).status).toBe(200)
})

test('an endpoint with a disabled feature returns 401 if the request has no token', async () => {
  const host = await openHost(flags, guarded('/api/closed', 'Attachments'))
  expect((await host.app.request('/api/closed')).status).toBe(401)
})
