import { api, type KitEnv } from '@vertical-kit/core-audit/http'
import { Hono } from 'hono'
import * as v from 'valibot'
import { expect, test } from 'vitest'
import { openHostWithout } from '../harness.ts'

const endpoint = (operationId: string, more: object = {}) =>
  api({ operationId, tag: 'T', summary: 'S.', responses: { 200: { description: 'D' } }, ...more })
const named = () => v.pipe(v.object({}), v.metadata({ ref: 'Twice' }))

test.each<[string, Hono<KitEnv>, string]>([
  [
    'an unknown error code',
    new Hono<KitEnv>().get('/a', endpoint('a', { errors: ['shelves.full'] })),
    'a names the unknown error code shelves.full',
  ],
  [
    'a duplicate operation id',
    new Hono<KitEnv>().get('/a', endpoint('a')).get('/b', endpoint('a')),
    'Two endpoints have the operation id a',
  ],
  [
    'two endpoints with one route',
    new Hono<KitEnv>()
      .get('/a/:id', endpoint('a'))
      .post('/a/:id', endpoint('b'))
      .get('/a/:code', endpoint('c')),
    'Two endpoints have the route GET /a/{}',
  ],
  [
    'two schemas with the same name',
    new Hono<KitEnv>().get(
      '/a',
      endpoint('a', { query: named(), responses: { 200: { description: 'D', schema: v.array(named()) } } }),
    ),
    'Two schemas have the name Twice',
  ],
])('a host does not start if its OpenAPI document has %s', async (_case, router, message) => {
  await expect(openHostWithout(router)).rejects.toThrow(new TypeError(message))
})
