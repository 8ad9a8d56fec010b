import { CoreError } from '@vertical-kit/core-audit'
import { Id, PageLimit, Target } from '@vertical-kit/core-audit/contract'
import { api, type KitEnv, parseRequest } from '@vertical-kit/core-audit/http'
import { openTestHost, refusalOf, type TestHost, type TestRequest } from '@vertical-kit/core-audit/testing'
import type { FreshDatabase } from '@vertical-kit/dev-services'
import { Hono } from 'hono'
import * as v from 'valibot'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openDatabase } from '../harness.ts'

let fresh: FreshDatabase
let host: TestHost
let clerk: TestRequest
let outsider: TestRequest
let isEnabled = true

const router = new Hono<KitEnv>().post(
  '/api/shelves',
  api({
    operationId: 'addShelf',
    tag: 'Shelves',
    summary: 'Adds a shelf.',
    guards: [
      () => {
        if (!isEnabled) throw new CoreError('feature.disabled')
      },
    ],
    permission: 'system.shelves.create',
    query: v.object({ limit: PageLimit }),
    body: v.object({ name: v.pipe(v.string(), v.maxLength(5)), target: Target }),
    responses: { 200: { description: 'The parsed request' } },
    errors: ['feature.disabled'],
  }),
  (c) => c.json({ query: c.req.valid('query'), body: c.req.valid('json') }),
)
router.delete(
  '/api/shelves',
  api({
    operationId: 'deleteShelf',
    tag: 'Shelves',
    summary: 'Deletes a shelf.',
    permission: ['system.shelves.delete', 'system.shelves.create'],
    responses: { 204: { description: 'Deleted' } },
  }),
  (c) => c.body(null, 204),
)

beforeAll(async () => {
  fresh = await openDatabase()
  host = await openTestHost({
    databaseUrl: fresh.url,
    modules: () => [{ name: 'shelves', permissions: [], router }],
  })
  clerk = await host.as({ subject: 'clerk', permissions: ['system.shelves.create'] })
  outsider = await host.as({ subject: 'outsider' })
})
afterAll(async () => {
  await host.close()
  await fresh.drop()
})

const id = '019a0000-0000-7000-8000-00000000000A'
const body = { name: 'top', target: { kind: 'CatalogItem', typeCode: 'trade.item', id } }

test('the handler receives the parsed query and body without unknown properties', async () => {
  const response = await clerk('POST', '/api/shelves?limit=7&colour=blue', {
    body: { ...body, isMine: true },
  })
  expect(await response.json()).toEqual({
    query: { limit: 7 },
    body: { ...body, target: { ...body.target, id: id.toLowerCase() } },
  })
})

test.each(['limit=1&limit=2', 'limit=1&limit=1', 'limit=&limit=2', 'limit=2&limit='])(
  'a repeated parameter of the schema is refused: %s',
  async (query) => {
    const response = await clerk('POST', `/api/shelves?${query}`, { body })
    expect(await refusalOf(response)).toMatchObject({
      ...{ status: 400, code: 'request.invalid' },
      errors: [{ path: 'limit', message: 'must not be repeated' }],
    })
  },
)

test.each(['%FF', '%ED%A0%80', '%C3', '%C3%28'])('invalid UTF-8 is refused: %s', async (bytes) => {
  const response = await clerk('POST', `/api/shelves?limit=7&other=${bytes}`, { body })
  expect(response.status).toBe(400)
  expect(await response.json()).toMatchObject({ code: 'request.malformed' })
})

test('a percent sign that encodes nothing is text', async () => {
  const response = await clerk('POST', '/api/shelves?limit=7&other=100%&more=50%+x%C3%A4', { body })
  expect(await response.json()).toMatchObject({ query: { limit: 7 } })
})

test('a repeated unknown parameter is ignored', async () => {
  const response = await clerk('POST', '/api/shelves?colour=blue&colour=red&limit=7', { body })
  expect(await response.json()).toMatchObject({ query: { limit: 7 } })
})

describe('the order of checks', () => {
  const invalid = { body: { name: 7 } }
  const refused = async (request: typeof clerk, options: object) => {
    const { code, context } = (await (
      await request('POST', '/api/shelves?limit=0', options)
    ).json()) as Record<string, unknown>
    return { code, context }
  }

  test('the feature guard runs before the permission check', async () => {
    isEnabled = false
    try {
      expect(await refused(outsider, invalid)).toEqual({ code: 'feature.disabled', context: undefined })
      expect(await refused(clerk, invalid)).toEqual({ code: 'feature.disabled', context: undefined })
    } finally {
      isEnabled = true
    }
  })

  test('the permission is checked before the query and the body', async () => {
    const denied = { code: 'permission.denied', context: { permission: 'system.shelves.create' } }
    expect(await refused(outsider, invalid)).toEqual(denied)
    expect(await refused(outsider, { body: '{' })).toEqual(denied)
    expect(await refused(outsider, { body: 'x'.repeat(2_000_000) })).toEqual(denied)
  })

  test('one of several alternative permissions is sufficient, and the error names the first permission', async () => {
    expect((await clerk('DELETE', '/api/shelves')).status).toBe(204)
    const response = await outsider('DELETE', '/api/shelves')
    expect(response.status).toBe(403)
    expect(await response.json()).toMatchObject({
      code: 'permission.denied',
      context: { permission: 'system.shelves.delete' },
    })
  })

  test('the query is checked before the body', async () => {
    expect(await refused(clerk, { body: '{' })).toMatchObject({ code: 'request.invalid' })
  })
})

test('the error lists every invalid field with its path and the expected value', async () => {
  const response = await clerk('POST', '/api/shelves', {
    body: { name: 'too long', target: { kind: 7, id: 'x' } },
  })
  expect(await response.json()).toMatchObject({
    code: 'request.invalid',
    status: 400,
    errors: [
      { path: 'name', message: 'expected <=5' },
      { path: 'target.kind', message: 'expected string' },
      { path: 'target.typeCode', message: 'is required' },
      { path: 'target.id', message: 'expected a UUID' },
    ],
  })
})

describe('parseRequest', () => {
  const failureOf = (schema: v.GenericSchema, input: unknown) => {
    try {
      return parseRequest(schema, input)
    } catch (error) {
      return error
    }
  }

  test('the error for an empty text is “must not be empty”', () => {
    const failure = failureOf(v.pipe(v.string(), v.nonEmpty()), '')
    expect(failure).toMatchObject({ errors: [{ message: 'must not be empty' }] })
  })

  test.each<[string, v.GenericSchema]>([
    ['a type', v.object({ value: v.number() })],
    ['a literal', v.object({ value: v.literal('x') })],
    ['a choice', v.object({ value: v.picklist(['a', 'b']) })],
    ['a length', v.object({ value: v.pipe(v.string(), v.maxLength(2)) })],
    ['a pattern', v.object({ value: v.pipe(v.string(), v.regex(/^x$/)) })],
    [
      'a check without its own message',
      v.object({
        value: v.pipe(
          v.string(),
          v.check(() => false),
        ),
      }),
    ],
    ['an instant', v.object({ value: v.pipe(v.string(), v.isoTimestamp()) })],
    ['a union', v.object({ value: v.union([v.number(), v.boolean()]) })],
    ['an ending', v.object({ value: v.pipe(v.string(), v.endsWith('x')) })],
  ])('never quotes the input if %s does not match', (_case, schema) => {
    const failure = failureOf(schema, { value: 'c4n4ry' })
    expect(failure).toMatchObject({
      code: 'request.invalid',
      errors: [{ path: 'value', message: expect.stringMatching(/^expected /) }],
    })
    expect(JSON.stringify(failure)).not.toContain('c4n4ry')
  })

  const order = v.object({ note: v.optional(v.string()) })
  test.each<[what: string, schema: v.GenericSchema, input: unknown, path: string]>([
    ['a body', order, [], ''],
    ['a property', v.object({ order }), { order: ['x'] }, 'order'],
    ['an optional property', v.object({ order: v.optional(order, {}) }), { order: [] }, 'order'],
    ['a nullable property', v.object({ order: v.nullable(order) }), { order: [] }, 'order'],
    ['an element', v.object({ orders: v.array(order) }), { orders: [{}, []] }, 'orders.1'],
    ['an element of a tuple', v.tuple([v.string(), order]), ['x', []], '1'],
    ['a record', v.object({ orders: v.record(v.string(), order) }), { orders: [] }, 'orders'],
    ['a value of a record', v.record(v.string(), order), { one: [] }, 'one'],
    ['a loose object', v.looseObject({}), [], ''],
    ['a strict object', v.strictObject({}), [], ''],
    ['both alternatives', v.union([order, v.object({ other: v.optional(v.string()) })]), [], ''],
    [
      'a variant',
      v.variant('verb', [v.object({ verb: v.literal('a'), order })]),
      { verb: 'a', order: [] },
      'order',
    ],
    ['an intersection', v.intersect([v.object({ order }), v.object({})]), { order: [] }, 'order'],
    ['the result of a function', v.lazy(() => order), [], ''],
    [
      'the second schema of a pipe',
      v.pipe(
        v.unknown(),
        v.check(() => true),
        order,
      ),
      [],
      '',
    ],
  ])('rejects an array in place of an object: %s', (_what, schema, input, path) => {
    expect(failureOf(schema, input)).toMatchObject({
      code: 'request.invalid',
      errors: [{ path, message: 'expected Object' }],
    })
  })

  test.each<[what: string, schema: v.GenericSchema, input: unknown]>([
    ['as one of several alternatives', v.union([order, v.array(v.string())]), ['x']],
    ['as any value', v.object({ value: v.unknown(), other: v.any() }), { value: [], other: [] }],
    ['as a property that the schema does not define', order, { more: [] }],
  ])('accepts an array %s', (_what, schema, input) => {
    expect(failureOf(schema, input)).not.toBeInstanceOf(Error)
  })

  test('accepts an array that the schema transforms into an object', () => {
    const Entries = v.pipe(
      v.array(v.tuple([v.string(), v.number()])),
      v.transform((entries) => Object.fromEntries(entries)),
      v.record(v.string(), v.number()),
    )
    expect(failureOf(v.object({ counts: Entries }), { counts: [['a', 1]] })).toEqual({ counts: { a: 1 } })
  })

  test('reports at most 100 invalid fields', () => {
    const schema = v.array(v.string())
    expect(failureOf(schema, Array(100).fill(1))).toHaveProperty('errors.length', 100)
    expect(failureOf(schema, Array(101).fill(1))).toHaveProperty('errors.length', 100)
  })

  test('reports only the first invalid field of a very large body', () => {
    const invalid = (count: number) =>
      failureOf(
        v.array(v.string()),
        Array.from({ length: count }, () => 1),
      )
    expect(invalid(4_999)).toHaveProperty('errors.length', 100)
    expect(invalid(5_000)).toMatchObject({ errors: [{ path: '0', message: 'expected string' }] })
    expect(invalid(5_000)).toHaveProperty('errors.length', 1)
    const large = Array.from({ length: 6_000 }, (_, index) => String(index))
    expect(parseRequest(v.array(v.string()), large)).toEqual(large)
  })

  describe('with a strict schema', () => {
    const line = v.strictObject({ name: v.string() })
    const schema = v.object({ order: v.strictObject({ name: v.string(), lines: v.optional(v.array(line)) }) })

    test.each<[what: string, order: string, paths: readonly string[]]>([
      ['one property', '{"name":"A","more":1}', ['order.more']],
      [
        'several properties',
        '{"more":1,"name":"A","less":null,"other":{}}',
        ['order.more', 'order.less', 'order.other'],
      ],
      [
        'nested properties',
        '{"name":"A","lines":[{"name":"B"},{"name":"C","x":1,"y":2}]}',
        ['order.lines.1.x', 'order.lines.1.y'],
      ],
      [
        'properties at two levels',
        '{"name":"A","lines":[{"name":"B","x":1}],"more":1}',
        ['order.lines.0.x', 'order.more'],
      ],
      [
        'properties with the names of standard object members',
        '{"name":"A","__proto__":{"lines":[]},"constructor":1,"toString":2,"hasOwnProperty":3}',
        ['order.__proto__', 'order.constructor', 'order.toString', 'order.hasOwnProperty'],
      ],
    ])('reports every unknown property: %s', (_what, order, paths) => {
      const message = 'is not a known property'
      expect(failureOf(schema, JSON.parse(`{"order":${order}}`))).toMatchObject({
        code: 'request.invalid',
        errors: paths.map((path) => ({ path, message })),
      })
    })

    test('reports unknown properties after the errors of known properties', () => {
      expect(failureOf(schema, { order: { more: 1, name: 7, less: 2 } })).toMatchObject({
        errors: [
          { path: 'order.name', message: 'expected string' },
          { path: 'order.more', message: 'is not a known property' },
          { path: 'order.less', message: 'is not a known property' },
        ],
      })
    })

    test('never quotes the values of unknown properties', () => {
      const failure = failureOf(v.strictObject({}), { more: 'c4n4ry' })
      expect(failure).toMatchObject({ errors: [{ path: 'more', message: 'is not a known property' }] })
      expect(JSON.stringify(failure)).not.toContain('c4n4ry')
    })

    test('reports at most 100 unknown properties, and only the first unknown property of a very large body', () => {
      const unknown = (count: number) =>
        failureOf(
          v.strictObject({}),
          Object.fromEntries(Array.from({ length: count }, (_, i) => [`p${i}`, i])),
        )
      expect(unknown(101)).toHaveProperty('errors.length', 100)
      expect(unknown(5_000)).toHaveProperty('errors.length', 1)
    })
  })

  test('reports an error of the whole input with an empty path', () => {
    expect(failureOf(v.object({}), 'x')).toMatchObject({ errors: [{ path: '', message: 'expected Object' }] })
    expect(failureOf(v.object({}), undefined)).toMatchObject({
      errors: [{ path: '', message: 'is required' }],
    })
  })
})

describe('the schemas of the kernel', () => {
  test.each([
    ['019a0000-0000-7000-8000-00000000000a', true],
    ['019A0000-0000-7000-8000-00000000000A', true],
    ['00000000-0000-0000-0000-000000000000', true],
    ['019a0000000070008000000000000000', false],
    ['{019a0000-0000-7000-8000-00000000000a}', false],
    ['019a0000-0000-7000-8000-00000000000g', false],
    ['019a0000-0000-7000-8000-00000000000a\n', false],
    ['', false],
  ])('validation of %j with Id returns %j', (text, isId) => {
    expect(v.is(Id, text)).toBe(isId)
    if (isId) expect(v.parse(Id, text)).toBe(text.toLowerCase())
  })

  test.each([
    [undefined, 50],
    ['1', 1],
    ['100', 100],
    ['007', 7],
  ])('PageLimit parses %j as %j', (text, limit) => {
    expect(v.parse(PageLimit, text)).toBe(limit)
  })

  test.each([
    ['0', 'expected at least 1'],
    ['-1', 'expected at least 1'],
    ['101', 'expected at most 100'],
    ['1000', 'expected at most 100'],
    ['9'.repeat(400), 'expected at most 100'],
    ['1.0', 'expected a whole number'],
    ['1e1', 'expected a whole number'],
    [' 1', 'expected a whole number'],
    ['', 'expected a whole number'],
    ['-', 'expected a whole number'],
    ['all', 'expected a whole number'],
    ['１', 'expected a whole number'],
  ])('PageLimit rejects %j: %s', (text, message) => {
    expect(v.safeParse(PageLimit, text).issues?.map((issue) => issue.message)).toEqual([message])
  })
})
