import { newId } from '@vertical-kit/core-audit'
import { coreMigrations } from '@vertical-kit/core-audit/database'
import { contentSummary } from '@vertical-kit/core-audit/host'
import { type ContentCounter, createBusinessObjects } from '@vertical-kit/core-audit/objects'
import { migrationTemplate, openTestHost, type TestRequest } from '@vertical-kit/core-audit/testing'
import { type FreshDatabase, freshDatabase, type PostgresServer } from '@vertical-kit/dev-services'
import { sql } from 'drizzle-orm/sql'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { startOwnPostgres } from '../../../../vitest.own-postgres.ts'
import { runSql } from '../harness.ts'

// Use a separate server, because this one logs every statement.
const log: string[] = []
let server: PostgresServer
let fresh: FreshDatabase
beforeAll(async () => {
  server = await startOwnPostgres({ settings: { log_statement: 'all' }, log: (line) => log.push(line) })
  const template = await migrationTemplate('core_audit', [coreMigrations])
  fresh = await freshDatabase(server.adminUrl, { template })
  await runSql(fresh.url, 'create table public.contents (kind text not null, parent_id uuid not null)')
})
afterAll(() => server.stop())

const hidden = newId()
const businessObjects = createBusinessObjects([
  {
    kind: 'Document',
    typeCodes: ['trade.sales_invoice'],
    isReadable: async (_db, _caller, { id }) => id !== hidden,
  },
])

const counter = (content: 'attachments' | 'notes', isEnabled = true): ContentCounter => ({
  content,
  isEnabled,
  readPermission: `system.${content}.read`,
  count: ({ id }) =>
    sql`select count(*) from public.contents where kind = ${content} and parent_id = ${id}::uuid`,
})

async function openHost(counters: readonly ContentCounter[]) {
  const modules = counters.map((counter, index) => ({ name: `counter-${index}`, counter }))
  const host = await openTestHost({
    databaseUrl: fresh.url,
    database: { applicationName: 'summary-test' },
    modules: (database) => [contentSummary({ database, businessObjects, modules })],
  })
  onTestFinished(() => host.close())
  return host
}

const both = [counter('attachments'), counter('notes')]
const readsBoth = { subject: 'both', permissions: ['system.attachments.read', 'system.notes.read'] }
const readsNotes = { subject: 'notes', permissions: ['system.notes.read'] }
const readsNothing = { subject: 'nothing', permissions: [] }

const summary = (request: TestRequest, id: string, more: Readonly<Record<string, string>> = {}) =>
  request(
    'GET',
    `/api/business-objects/content-summary?${new URLSearchParams({ kind: 'Document', typeCode: 'trade.sales_invoice', objectId: id, ...more })}`,
  )

/** Creates a business object with three attachments and two notes. */
async function content(): Promise<string> {
  const id = newId()
  const values = ['attachments', 'attachments', 'attachments', 'notes', 'notes'].map(
    (kind) => `('${kind}', '${id}')`,
  )
  await runSql(fresh.url, `insert into public.contents values ${values.join()}`)
  return id
}

describe('counts', () => {
  test.each([
    ['are numbers if the caller has both permissions', both, readsBoth, { attachments: 3, notes: 2 }],
    ['are null if the caller lacks the permission', both, readsNotes, { attachments: null, notes: 2 }],
    ['are both null if the caller has no permission', both, readsNothing, { attachments: null, notes: null }],
    [
      'are null if the feature is off',
      [counter('attachments', false), counter('notes')],
      readsBoth,
      { attachments: null, notes: 2 },
    ],
    ['are null without a counter', [counter('attachments')], readsBoth, { attachments: 3, notes: null }],
  ])('%s', async (_case, counters, user, expected) => {
    const host = await openHost(counters)
    const response = await summary(await host.as(user), await content())
    expect(response.status).toBe(200)
    expect(await response.json()).toEqual(expected)
  })

  test('are null, not zero, for an administrator when the feature is off', async () => {
    const host = await openHost([counter('attachments', false), counter('notes')])
    const root = await host.as({ subject: 'root', roles: ['platform-admin'] })
    expect(await (await summary(root, await content())).json()).toEqual({ attachments: null, notes: 2 })
  })

  test('are zero for a business object without content', async () => {
    const host = await openHost(both)
    const response = await summary(await host.as(readsBoth), newId())
    expect(await response.json()).toEqual({ attachments: 0, notes: 0 })
  })
})

describe('with every feature off', () => {
  test.each([
    ['without counters', []],
    ['with disabled counters', [counter('attachments', false), counter('notes', false)]],
  ])('the endpoint %s returns feature.disabled', async (_case, counters) => {
    const host = await openHost(counters)
    const root = await host.as({ subject: 'root', roles: ['platform-admin'] })
    // The check runs before validation, so an invalid request gets this answer too.
    for (const response of [await summary(root, newId()), await summary(root, 'x', { kind: 'Register' })]) {
      expect(response.status).toBe(404)
      expect(await response.json()).toMatchObject({ code: 'feature.disabled' })
    }
  })
})

test('two counters of the same content are rejected', async () => {
  await expect(openHost([counter('notes'), counter('notes', false)])).rejects.toThrow(TypeError)
})

describe('a business object', () => {
  test('is not found if it is hidden from the caller', async () => {
    const host = await openHost(both)
    const response = await summary(await host.as(readsBoth), hidden)
    expect(response.status).toBe(404)
    expect(await response.json()).toMatchObject({ code: 'business_object.not_found' })
  })

  test('is unsupported if its type is not registered', async () => {
    const host = await openHost(both)
    const response = await summary(await host.as(readsBoth), newId(), { typeCode: 'trade.unknown' })
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({ code: 'business_object.unsupported' })
  })

  test('is invalid without an id', async () => {
    const host = await openHost(both)
    const response = await summary(await host.as(readsBoth), 'x')
    expect(await response.json()).toMatchObject({ code: 'request.invalid', errors: [{ path: 'objectId' }] })
  })
})

test('a request for a summary loads the permissions with one statement and all counts with another', async () => {
  const host = await openHost(both)
  const request = await host.as(readsBoth)
  const id = await content()
  await summary(request, id)

  // The log arrives asynchronously: two marker statements delimit the statements of the second request.
  const mark = async (text: string) => {
    await host.database.read((db) => db.execute(sql.raw(`select '${text}'`)))
    return vi.waitUntil(
      () => {
        const index = log.findIndex((line) => line.includes(`select '${text}'`))
        return index === -1 ? undefined : index + 1
      },
      { interval: 5, timeout: 30_000 },
    )
  }
  const start = await mark('before')
  expect(await (await summary(request, id)).json()).toEqual({ attachments: 3, notes: 2 })
  const end = await mark('after')

  // The log keeps the line breaks of a statement.
  const sent = log
    .slice(start, end - 1)
    .join('\n')
    .split(/^.*LOG: {2}(?:execute|statement)/m)
    .slice(1)
  expect(sent).toHaveLength(2)
  expect(sent[0]).toContain('u.subject')
  expect(sent[1]).toContain('as attachments')
})
