import { auditTimeline } from '@vertical-kit/core-audit'
import { Id, PageLimit } from '@vertical-kit/core-audit/contract'
import { contentSummary } from '@vertical-kit/core-audit/host'
import { api, type KitEnv } from '@vertical-kit/core-audit/http'
import { createBusinessObjects } from '@vertical-kit/core-audit/objects'
import packageJson from '@vertical-kit/core-audit/package.json' with { type: 'json' }
import { openTestHost } from '@vertical-kit/core-audit/testing'
import { Hono } from 'hono'
import * as v from 'valibot'
import { beforeAll, describe, expect, test } from 'vitest'

type Json = Record<string, unknown>

const Part = v.pipe(v.object({ name: v.string() }), v.metadata({ ref: 'Part', title: 'A part' }))
const Shelf = v.pipe(
  v.object({
    main: Part,
    spare: v.nullable(Part),
    all: v.array(Part),
    byName: v.record(v.string(), Part),
    either: v.union([Part, v.number()]),
  }),
  v.metadata({ ref: 'Shelf' }),
)

const shelves = new Hono<KitEnv>()
  .get(
    '/api/shelves/:shelfId/parts/:partId',
    api({
      operationId: 'getPart',
      tag: 'Shelves',
      summary: 'Returns one part.',
      description: 'Additional text.',
      permission: 'system.shelves.view',
      query: v.object({
        limit: v.optional(v.pipe(v.string(), v.transform(Number)), '5'),
        colour: v.picklist(['red', 'blue']),
      }),
      responses: { 200: { description: 'The shelf', schema: Shelf } },
      errors: ['business_object.not_found', 'feature.disabled'],
    }),
    (c) => c.json({}),
  )
  .put(
    '/api/shelves/:shelfId/parts/:partId',
    api({
      operationId: 'putPart',
      tag: 'Shelves',
      summary: 'Replaces a part.',
      permission: ['system.shelves.update', 'system.shelves.create'],
      headers: {
        'If-Match': { description: 'The version that was read.', isRequired: true },
        'X-Reason': { description: 'Why.', isRequired: false },
      },
      body: v.object({ part: Part, tags: v.array(v.string()) }),
      responses: { 204: { description: 'Replaced' } },
    }),
    (c) => c.body(null, 204),
  )

/** Returns the OpenAPI document of a host with all kernel routes and the shelves. */
async function describeHost(): Promise<{ document: Json; routes: readonly string[] }> {
  const businessObjects = createBusinessObjects([])
  const host = await openTestHost({
    databaseUrl: 'postgres://nobody@127.0.0.1:1/none',
    modules: (database) => [
      auditTimeline({ database, businessObjects, modules: [] }),
      contentSummary({ database, businessObjects, modules: [] }),
      { name: 'shelves', permissions: [], router: shelves },
    ],
  })
  const document = (await (await host.app.request('/openapi.json')).json()) as Json
  const routes = host.app.routes
    .filter(({ method, path }) => method !== 'ALL' && path.startsWith('/api/'))
    .map(({ method, path }) => `${method.toLowerCase()} ${path.replace(/:(\w+)/g, '{$1}')}`)
  await host.close()
  return { document, routes: [...new Set(routes)] }
}

let document: Json
let routes: readonly string[]
beforeAll(async () => {
  ;({ document, routes } = await describeHost())
})

/** Yields every object in a tree, with its path. */
function* objectsIn(value: unknown, path = '#'): Generator<readonly [path: string, object: Json]> {
  if (typeof value !== 'object' || value === null) return
  yield [path, value as Json]
  for (const [key, inner] of Object.entries(value)) {
    yield* objectsIn(inner, `${path}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`)
  }
}

const resolve = (reference: string): unknown =>
  reference
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce<unknown>((at, key) => (at as Json | undefined)?.[key], document)

const operations = () =>
  Object.entries(document['paths'] as Record<string, Record<string, Json>>).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  )

const operationOf = (operationId: string): Json =>
  operations().find(({ operation }) => operation['operationId'] === operationId)?.operation ?? {}

describe('the document', () => {
  test('is OpenAPI 3.1 and contains the title and version', () => {
    expect(document).toMatchObject({
      openapi: '3.1.0',
      info: { title: 'Test host', version: packageJson.version },
      security: [{ bearer: [] }],
      components: { securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } } },
    })
  })

  test('describes exactly the routes below /api', () => {
    const described = operations().map(({ method, path }) => `${method} ${path}`)
    expect(described.toSorted()).toEqual(routes.toSorted())
    expect(described.length).toBeGreaterThan(4)
  })

  test('contains no broken references', () => {
    const references = [...objectsIn(document)].flatMap(([, object]) =>
      typeof object['$ref'] === 'string' ? [object['$ref']] : [],
    )
    expect(references).toContain('#/components/schemas/Part')
    expect(references.filter((reference) => typeof resolve(reference) !== 'object')).toEqual([])
  })

  test('contains every named schema once and no unused schema', () => {
    const text = JSON.stringify(document)
    const names = Object.keys((document['components'] as Json)['schemas'] as Json)
    expect(names).toEqual(
      expect.arrayContaining(['ProblemDetails', 'AuditEvent', 'AuditEventPage', 'Shelf', 'Part']),
    )
    expect(names.filter((name) => !text.includes(`"#/components/schemas/${name}"`))).toEqual([])
  })

  test('contains no metadata of the schema conversion', () => {
    const leaks = [...objectsIn(document)].filter(
      ([path, object]) =>
        !path.endsWith('/properties') && ('ref' in object || '$schema' in object || '$defs' in object),
    )
    expect(leaks.map(([path]) => path)).toEqual([])
  })
})

describe('every operation', () => {
  test('has a unique id, a tag and a summary', () => {
    const ids = operations().map(({ operation }) => operation['operationId'])
    expect(new Set(ids).size).toBe(ids.length)
    for (const { operation } of operations()) {
      expect(operation).toMatchObject({
        operationId: expect.stringMatching(/^[a-z][A-Za-z]+$/),
        tags: [expect.any(String)],
        summary: expect.stringMatching(/\.$/),
      })
    }
  })

  test('has one successful response, and describes its failures as problem documents', () => {
    for (const { operation } of operations()) {
      const responses = Object.entries(operation['responses'] as Record<string, Json>)
      expect(responses.filter(([status]) => status.startsWith('2'))).toHaveLength(1)
      for (const [status, response] of responses) {
        expect(response['description']).toEqual(expect.stringMatching(/\S/))
        if (!status.startsWith('2')) {
          expect(response['content']).toEqual({
            'application/problem+json': { schema: { $ref: '#/components/schemas/ProblemDetails' } },
          })
        }
      }
      expect(responses.map(([status]) => status)).toEqual(
        expect.arrayContaining(['401', '403', '500', '503']),
      )
    }
  })

  test('declares exactly the parameters of its path', () => {
    for (const { path, operation } of operations()) {
      const declared = (operation['parameters'] as readonly Json[]).filter((it) => it['in'] === 'path')
      const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)
      expect(declared.map((parameter) => parameter['name'])).toEqual(inPath)
      expect(declared.every((parameter) => parameter['required'] === true)).toBe(true)
    }
  })
})

test('an operation contains the description that its route passes to api()', () => {
  expect(operationOf('getPart')).toMatchObject({
    description: 'Additional text.',
    'x-permission': 'system.shelves.view',
    parameters: [
      { name: 'shelfId', in: 'path', required: true, schema: { type: 'string' } },
      { name: 'partId', in: 'path', required: true, schema: { type: 'string' } },
      // The schema before the transformation, because it describes the text that clients send.
      { name: 'limit', in: 'query', required: false, schema: { type: 'string', default: '5' } },
      { name: 'colour', in: 'query', required: true, schema: { enum: ['red', 'blue'] } },
    ],
    responses: {
      200: {
        description: 'The shelf',
        content: { 'application/json': { schema: { $ref: '#/components/schemas/Shelf' } } },
      },
      400: { description: expect.stringContaining('`request.invalid`') },
      403: { description: expect.stringContaining('`permission.denied`') },
      404: {
        description: expect.stringMatching(/`business_object.not_found`: .*\n\n`feature.disabled`: /),
      },
    },
  })
})

test('an operation names the permission that it requires and the alternatives', () => {
  expect(operationOf('putPart')).toMatchObject({
    'x-permission': 'system.shelves.update',
    'x-permission-alternatives': ['system.shelves.create'],
    responses: { 403: { description: expect.stringContaining('`permission.denied`') } },
  })
  expect(operationOf('getPart')).not.toHaveProperty('x-permission-alternatives')
})

/** Returns the pattern of a query parameter. */
const patternOf = (operationId: string, name: string): RegExp => {
  const parameters = operationOf(operationId)['parameters'] as readonly Json[]
  const schema = parameters.find((parameter) => parameter['name'] === name)?.['schema'] as Json | undefined
  return new RegExp(String(schema?.['pattern']))
}

test('the pattern of an id accepts the same ids as the server: in upper, lower and mixed case', () => {
  const id = '019a0000-0000-7000-8000-00000000abcd'
  const ids = [id, id.toUpperCase(), `${id.slice(0, -1)}D`, `${id.slice(0, -1)}g`, id.slice(1)]
  const pattern = patternOf('listAuditEvents', 'objectId')
  expect(ids.map((each) => pattern.test(each))).toEqual([true, true, true, false, false])
  expect(ids.map((each) => v.is(Id, each))).toEqual([true, true, true, false, false])
})

test('the pattern of a page size accepts whole numbers from 1 to 100', () => {
  const pattern = patternOf('listAuditEvents', 'limit')
  const texts = [...Array(1_100).keys()].flatMap((number) => [
    String(number),
    String(number).padStart(2, '0'),
    String(number).padStart(5, '0'),
  ])
  expect(texts.filter((text) => pattern.test(text))).toEqual(
    texts.filter((text) => Number(text) >= 1 && Number(text) <= 100),
  )
  const others = ['', '-1', '+1', '1.0', ' 1', '1\n', 'ten']
  expect(others.filter((text) => pattern.test(text))).toEqual([])
  expect(v.parse(PageLimit, '007')).toBe(7)
})

test('a response lists the media types that a client can request instead of JSON', () => {
  for (const operationId of ['listAuditEvents', 'searchAuditEvents']) {
    const { content } = (operationOf(operationId)['responses'] as Record<string, Json>)['200'] as Json
    expect(content).toEqual({
      'application/json': { schema: { $ref: '#/components/schemas/AuditEventPage' } },
      'text/csv': { schema: { type: 'string' } },
      'application/x-ndjson': { schema: { type: 'string' } },
    })
  }
})

test('a body is described inline, with references to named schemas and the error codes of bodies', () => {
  const put = operationOf('putPart')
  expect(put['requestBody']).toEqual({
    required: true,
    content: {
      'application/json': {
        schema: {
          type: 'object',
          properties: {
            part: { $ref: '#/components/schemas/Part' },
            tags: { type: 'array', items: { type: 'string' } },
          },
          required: ['part', 'tags'],
        },
      },
    },
  })
  expect(Object.keys(put['responses'] as Json)).toEqual(expect.arrayContaining(['400', '413', '415']))
  expect((put['responses'] as Json)['204']).toEqual({ description: 'Replaced' })
})

test('a header parameter follows the path parameters and shows whether it is required', () => {
  expect((operationOf('putPart')['parameters'] as readonly Json[]).slice(2)).toEqual([
    {
      name: 'If-Match',
      in: 'header',
      required: true,
      description: 'The version that was read.',
      schema: { type: 'string' },
    },
    { name: 'X-Reason', in: 'header', required: false, description: 'Why.', schema: { type: 'string' } },
  ])
  expect(JSON.stringify(operationOf('getPart')['parameters'])).not.toContain('header')
})

test('a named schema is referenced wherever it occurs', () => {
  const part = { $ref: '#/components/schemas/Part' }
  expect(resolve('#/components/schemas/Shelf')).toMatchObject({
    properties: {
      main: part,
      spare: { anyOf: [part, { type: 'null' }] },
      all: { type: 'array', items: part },
      byName: { additionalProperties: part },
      either: { anyOf: [part, { type: 'number' }] },
    },
  })
  expect(resolve('#/components/schemas/Part')).toEqual({
    type: 'object',
    title: 'A part',
    properties: { name: { type: 'string' } },
    required: ['name'],
  })
})
