import { SpanKind, SpanStatusCode } from '@opentelemetry/api'
import type { Database } from '@vertical-kit/core-audit/database'
import type { FreshDatabase } from '@vertical-kit/dev-services'
import { sql } from 'drizzle-orm/sql'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type RecordedTelemetry, recordTelemetry } from '../../../../vitest.record-telemetry.ts'
import { openDatabase, openPool, refusalOf } from '../harness.ts'

let fresh: FreshDatabase
let telemetry: RecordedTelemetry
let database: Database
beforeAll(async () => {
  fresh = await openDatabase()
  telemetry = recordTelemetry()
})
afterAll(async () => {
  await telemetry.stop()
  await fresh.drop()
})
beforeEach(() => {
  telemetry.clear()
  database = openPool(fresh.url)
})

const canary = 'c4n4ry'

/** Runs `work` in a span and returns the tree of the trace. */
async function traced(work: () => Promise<unknown>): Promise<string> {
  const traceId = await telemetry.inSpan('request', async (span) => {
    await work().catch(() => {})
    return span.spanContext().traceId
  })
  return telemetry.tree(traceId)
}

test('each statement is a client span with the names of its operations and tables', async () => {
  const tree = await traced(() =>
    database.transaction(async (tx) => {
      await tx.execute(sql`select id from core_audit.users where email = ${canary}`)
      await tx.savepoint((part) => part.execute(sql`delete from core_audit.users where email = ${canary}`))
    }),
  )
  expect(tree.split('\n')).toEqual([
    'server request',
    '  client BEGIN',
    '  client SELECT core_audit.users',
    '  client SAVEPOINT',
    '  client DELETE core_audit.users',
    '  client RELEASE',
    '  client COMMIT',
  ])
  const select = telemetry.spans.find(({ name }) => name === 'SELECT core_audit.users')
  const url = new URL(fresh.url)
  expect(select?.kind).toBe(SpanKind.CLIENT)
  expect(select?.attributes).toEqual({
    'db.system.name': 'postgresql',
    'db.operation.name': 'SELECT',
    'db.query.summary': 'SELECT core_audit.users',
    'db.namespace': url.pathname.slice(1),
    'server.address': url.hostname,
    'server.port': Number(url.port),
  })
})

test('concurrent statements of a transaction are children of the same span', async () => {
  const one = () => database.read((db) => db.execute(sql`select 1`))
  const tree = await traced(() => Promise.all([one(), one(), one()]))
  expect(tree.split('\n')).toEqual(['server request', ...Array(3).fill('  client SELECT')])
})

test('a failed statement has its SQLSTATE, and no message', async () => {
  const tree = await traced(() =>
    database.transaction((tx) => tx.execute(sql`select ${canary}::int from core_audit.users`)),
  )
  expect(tree).toContain('client ROLLBACK')
  const failed = telemetry.spans.find(({ name }) => name === 'SELECT core_audit.users')
  expect(failed?.attributes['error.type']).toBe('22P02')
  expect(failed?.status).toEqual({ code: SpanStatusCode.ERROR })
  const rollback = telemetry.spans.find(({ name }) => name === 'ROLLBACK')
  expect(rollback?.status.code).toBe(SpanStatusCode.UNSET)
  expect(
    JSON.stringify(telemetry.spans.map(({ name, attributes, events }) => [name, attributes, events])),
  ).not.toContain(canary)
})

test('a connection that cannot be opened makes BEGIN fail', async () => {
  const closed = openPool('postgres://nobody@127.0.0.1:1/none')
  await traced(() => closed.transaction(async () => {}))
  const begin = telemetry.spans.find(({ name }) => name === 'BEGIN')
  expect(begin?.attributes['error.type']).toBe('ECONNREFUSED')
})

test('a statement outside any span creates no trace, but is measured', async () => {
  await database.read((db) => db.execute(sql`select from core_audit.roles`))
  expect(telemetry.spans).toEqual([])
  expect(await telemetry.values()).toContainEqual({
    name: 'db.client.operation.duration',
    unit: 's',
    attributes: {
      'db.system.name': 'postgresql',
      'db.operation.name': 'SELECT',
      'db.query.summary': 'SELECT core_audit.roles',
    },
    value: 1,
  })
})

test('work that waits too long for a connection is counted', async () => {
  const small = openPool(fresh.url, { poolMax: 1, poolWaitMs: 1, applicationName: 'small' })
  const release = Promise.withResolvers<void>()
  const holding = small.transaction(() => release.promise)
  expect(await refusalOf(small.read(async () => {}))).toBe('service.unavailable')
  release.resolve()
  await holding
  const attributes = { 'db.client.connection.pool.name': 'small' }
  const values = await telemetry.values()
  const of = (name: string) =>
    values.filter((one) => one.name === name && one.attributes['db.client.connection.pool.name'] === 'small')
  expect(of('db.client.connection.timeouts')).toMatchObject([{ attributes, value: 1 }])
  expect(of('db.client.connection.wait_time')).toMatchObject([{ attributes, value: 1 }])
})
