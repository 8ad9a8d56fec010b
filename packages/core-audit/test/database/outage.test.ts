import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { auditTimeline } from '@vertical-kit/core-audit'
import { coreMigrations, type Database } from '@vertical-kit/core-audit/database'
import { createBusinessObjects } from '@vertical-kit/core-audit/objects'
import { migrationTemplate, openTestHost } from '@vertical-kit/core-audit/testing'
import { type FreshDatabase, freshDatabase, type PostgresServer } from '@vertical-kit/dev-services'
import { sql } from 'drizzle-orm/sql'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { startOwnPostgres } from '../../../../vitest.own-postgres.ts'
import { openConnection, openPool, refusalOf } from '../harness.ts'

// These tests use a separate server, because they stop it.
let server: PostgresServer
let fresh: FreshDatabase
beforeAll(async () => {
  server = await startOwnPostgres()
  const template = await migrationTemplate('core_audit', [coreMigrations])
  fresh = await freshDatabase(server.adminUrl, { template })
})
afterAll(() => server.stop())

const ask = (database: Database) => database.read((db) => db.execute<{ one: number }>(sql`select 1 as one`))

async function openHost() {
  const businessObjects = createBusinessObjects([
    { kind: 'Document', typeCodes: ['trade.sales_invoice'], isReadable: async () => true },
  ])
  const host = await openTestHost({
    databaseUrl: fresh.url,
    modules: (database) => [auditTimeline({ database, businessObjects, modules: [] })],
  })
  onTestFinished(() => host.close())
  return host
}

const timeline =
  '/api/audit/events?kind=Document&typeCode=trade.sales_invoice&objectId=019a0000-0000-7000-8000-000000000000'

test('a host returns 503 while the database is down and reconnects without a restart', async () => {
  const host = await openHost()
  const auditor = await host.as({ subject: 'auditor', permissions: ['system.audit.view'] })
  expect((await auditor('GET', timeline)).status).toBe(200)

  await server.restart({
    whileDown: async () => {
      const response = await auditor('GET', timeline)
      expect(response.status).toBe(503)
      expect(response.headers.get('Retry-After')).toBe('1')
      const { requestId, ...body } = (await response.json()) as Record<string, unknown>
      expect(body).toEqual({
        type: 'urn:vertical-kit:problem:service.unavailable',
        title: 'Service Unavailable',
        status: 503,
        detail: 'The service is busy, or one of its components cannot be reached. Try again.',
        code: 'service.unavailable',
      })
      const logged = host.logLines.filter(
        (line) => line.includes(String(requestId)) && line.includes('"error"'),
      )
      expect(logged).toHaveLength(1)
      expect(logged[0]).not.toContain(new URL(fresh.url).password)
    },
  })

  expect((await auditor('GET', timeline)).status).toBe(200)
})

test('statements that run during a server crash are rejected, and the pool works after the restart', async () => {
  const database = openPool(fresh.url, { poolMax: 3 })
  const watcher = openConnection(server.adminUrl)
  await ask(database)
  const lasting = Array.from({ length: 6 }, (_, index) =>
    refusalOf(database.read((db) => db.execute(sql`select pg_sleep(60), ${index}::int`))),
  )
  const sleeping = async () =>
    (await watcher`select from pg_stat_activity where wait_event = 'PgSleep'`).count === 3
  await expect.poll(sleeping, { interval: 5, timeout: 30_000 }).toBe(true)

  // Simulates a crash: the server ends no session cleanly.
  await server.restart({ mode: 'immediate', whileDown: () => Promise.all(lasting) })

  expect(new Set(await Promise.all(lasting))).toEqual(new Set(['service.unavailable']))
  expect(database.load).toMatchObject({ runningCount: 0, waitingCount: 0 })
  const answers = await Promise.all(Array.from({ length: 12 }, () => ask(database)))
  expect(answers.flatMap((rows) => [...rows])).toEqual(Array.from({ length: 12 }, () => ({ one: 1 })))
})

test('a transaction interrupted by a crash is rolled back', async () => {
  const database = openPool(fresh.url)
  const { promise: written, resolve: resolveWritten } = Promise.withResolvers<void>()
  const { promise: crashed, resolve: resolveCrashed } = Promise.withResolvers<void>()
  const attempt = refusalOf(
    database.transaction(async (tx) => {
      await tx.execute(sql`
        insert into core_audit.roles (id, code, name)
        values ('019a0000-0000-7000-8000-000000000001', 'cut.off', 'Cut off')`)
      resolveWritten()
      await crashed
      await tx.execute(sql`select 1`)
    }),
  )
  await written
  await server.restart({ mode: 'immediate' })
  resolveCrashed()
  expect(await attempt).toBe('service.unavailable')
  const rows = await database.read((db) =>
    db.execute(sql`select from core_audit.roles where code = 'cut.off'`),
  )
  expect(rows.length).toBe(0)
})

test('a read is rejected with service.unavailable if no server listens on the port', async () => {
  const port = await new Promise<number>((resolve) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const { port: free } = probe.address() as AddressInfo
      probe.close(() => resolve(free))
    })
  })
  const database = openPool(`postgres://nobody:secret@127.0.0.1:${port}/none`)
  expect(await refusalOf(ask(database))).toBe('service.unavailable')
})

test('a read is rejected after the connect timeout if the server accepts the connection but never answers', async () => {
  const silent = createServer(() => {}).listen(0, '127.0.0.1')
  await new Promise((resolve) => silent.once('listening', resolve))
  onTestFinished(() => void silent.close())
  const { port } = silent.address() as AddressInfo
  const database = openPool(`postgres://nobody:secret@127.0.0.1:${port}/none`, { connectTimeoutSeconds: 0.1 })
  expect(await refusalOf(ask(database))).toBe('service.unavailable')
})

test('a pool that was opened while the server was down connects once the server is up', async () => {
  let database: Database | undefined
  await server.restart({
    whileDown: async () => {
      database = openPool(fresh.url)
      expect(await refusalOf(ask(database))).toBe('service.unavailable')
    },
  })
  expect(database && [...(await ask(database))]).toEqual([{ one: 1 }])
})
