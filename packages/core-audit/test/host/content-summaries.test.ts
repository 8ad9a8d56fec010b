import { newId } from '@vertical-kit/core-audit'
import type { BusinessObjectReference } from '@vertical-kit/core-audit/contract'
import { contentSummary } from '@vertical-kit/core-audit/host'
import {
  type BusinessObjectTypes,
  type ContentCounter,
  createBusinessObjects,
  type FindAll,
} from '@vertical-kit/core-audit/objects'
import {
  openTestHost,
  recordStatements,
  type TestHost,
  type TestRequest,
} from '@vertical-kit/core-audit/testing'
import { sql } from 'drizzle-orm/sql'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { openDatabase, runSql } from '../harness.ts'

const record = recordStatements()
let host: TestHost
let reader: TestRequest
const [busy, quiet, hidden, item] = [newId(), newId(), newId(), newId()]

const invoice = (id: string): BusinessObjectReference => ({ kind: 'Document', typeCode: 'trade.invoice', id })
const itemOf = (id: string): BusinessObjectReference => ({ kind: 'CatalogItem', typeCode: 'trade.item', id })

/** Finds the objects with one statement. */
const findAll: FindAll = async (db, _caller, references) => {
  const ids = sql.param(references.map(({ id }) => id))
  const rows = await db.execute<{ id: string; type_code: string }>(sql`
    select id, type_code from public.objects where id = any(${ids}::uuid[])`)
  return rows.map(({ id, type_code: typeCode }) => ({
    ...{ id, typeCode, display: `The ${typeCode}`, target: null },
    isReadable: id !== hidden,
  }))
}

const types: readonly BusinessObjectTypes[] = [
  { kind: 'Document', typeCodes: ['trade.invoice'], isReadable: async () => false, findAll },
  { kind: 'CatalogItem', typeCodes: ['trade.item'], isReadable: async () => false, findAll },
  {
    kind: 'CatalogItem',
    typeCodes: ['trade.unlisted'],
    isReadable: async (_db, _caller, { id }) => id === item,
  },
]

const counter = (content: 'attachments' | 'notes'): ContentCounter => ({
  ...{ content, isEnabled: true, readPermission: `system.${content}.read` },
  count: ({ id }) =>
    sql`select count(*) from public.contents where content = ${content} and parent_id = ${id}::uuid`,
})

beforeAll(async () => {
  const fresh = await openDatabase()
  await runSql(
    fresh.url,
    `create table public.objects (id uuid, type_code text);
     create table public.contents (content text, parent_id uuid);
     insert into public.objects values
       ('${busy}', 'trade.invoice'), ('${quiet}', 'trade.invoice'), ('${hidden}', 'trade.invoice'), ('${item}', 'trade.item');
     insert into public.contents values
       ('notes', '${busy}'), ('notes', '${busy}'), ('attachments', '${busy}'), ('notes', '${hidden}'), ('notes', '${item}')`,
  )
  host = await openTestHost({
    databaseUrl: fresh.url,
    modules: (database) => [
      contentSummary({
        database: record.observe(database),
        businessObjects: createBusinessObjects(types),
        modules: [
          { name: 'files', counter: counter('attachments') },
          { name: 'notes', counter: counter('notes') },
        ],
      }),
    ],
  })
  reader = await host.as({
    subject: 'reader',
    permissions: ['system.attachments.read', 'system.notes.read'],
  })
  return async () => {
    await host.close()
    await fresh.drop()
  }
})

beforeEach(() => record.reset())

const ask = (request: TestRequest, targets: unknown) =>
  request('POST', '/api/business-objects/content-summaries', { body: { targets } })

async function items(request: TestRequest, targets: readonly object[]): Promise<readonly unknown[]> {
  const response = await ask(request, targets)
  expect(response.status).toBe(200)
  return ((await response.json()) as { items: unknown[] }).items
}

describe('summaries of several objects', () => {
  test('have the order of the request, also for repeated objects', async () => {
    expect(await items(reader, [invoice(quiet), itemOf(item), invoice(busy), invoice(quiet)])).toEqual([
      { target: invoice(quiet), attachments: 0, notes: 0 },
      { target: itemOf(item), attachments: 0, notes: 1 },
      { target: invoice(busy), attachments: 1, notes: 2 },
      { target: invoice(quiet), attachments: 0, notes: 0 },
    ])
  })

  test('show hidden, missing and unsupported objects alike, and nothing else about them', async () => {
    const unavailable = [
      invoice(hidden),
      invoice(newId()),
      itemOf(busy),
      { kind: 'Document', typeCode: 'trade.unknown', id: busy },
      { kind: 'Register', typeCode: 'trade.invoice', id: busy },
      { kind: '__proto__', typeCode: 'constructor', id: busy },
    ]
    expect(await items(reader, unavailable)).toEqual(
      unavailable.map((target) => ({ target, isAvailable: false })),
    )
  })

  test('have null for content that the caller may not read', async () => {
    const request = await host.as({ subject: 'notes only', permissions: ['system.notes.read'] })
    expect(await items(request, [invoice(busy)])).toEqual([
      { target: invoice(busy), attachments: null, notes: 2 },
    ])
  })

  test('of a type without a set-based search ask for each object', async () => {
    const target = { kind: 'CatalogItem', typeCode: 'trade.unlisted', id: item }
    expect(await items(reader, [target])).toEqual([{ target, attachments: 0, notes: 1 }])
  })

  test('need one statement for each kind and one for all counts, however many objects', async () => {
    const statementsOf = async (targets: readonly object[]) => {
      record.reset()
      await items(reader, targets)
      return record.count
    }
    expect(await statementsOf([invoice(busy)])).toBe(2)
    const many = Array.from({ length: 50 }, () => [invoice(newId()), itemOf(newId())]).flat()
    expect(await statementsOf(many)).toBe(3)
  })
})

test.each([
  ['no objects', [], 'targets'],
  ['101 objects', Array.from({ length: 101 }, () => invoice(busy)), 'targets'],
  ['a malformed id', [{ ...invoice(busy), id: 'x' }], 'targets.0.id'],
  ['text that cannot be stored', [{ ...invoice(busy), typeCode: '\0' }], 'targets.0.typeCode'],
  ['no list', 'all', 'targets'],
])('a request with %s is invalid and reads nothing', async (_case, targets, path) => {
  const response = await ask(reader, targets)
  expect(response.status).toBe(400)
  expect(await response.json()).toMatchObject({ code: 'request.invalid', errors: [{ path }] })
  expect(record.count).toBe(0)
})
