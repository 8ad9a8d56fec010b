import { request } from 'node:http'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { type DatabaseConfig, migrate } from '@vertical-kit/core-audit/database'
import { createLogger, startTenants, tenantsDefaults } from '@vertical-kit/core-audit/host'
import { startTestIssuer } from '@vertical-kit/core-audit/testing'
import { startObjectStore, startPostgres } from '@vertical-kit/dev-services'
import postgres from 'postgres'
import { readHostConfig } from '../../src/config.ts'
import { compose } from '../../src/host.ts'
import { hostMigrations } from '../../src/migrations.ts'
import { dataFolder, externalStore } from '../demo-process.ts'
import type { Counts } from './drill.ts'

/** A tenant closes after this time without a request: sooner than in a deployment, so that the drill is short. */
const idleAfterMs = 10_000
const maxOpen = 20
/** The default of PostgreSQL. The drill fails if the host needs more. */
const maxConnections = 100
const measuredSeconds = 120
/** Maximum time until all tenants have handled an event of another process: a visit per minute, on a slow machine. */
const handledLimitMs = 180_000

/**
 * Serves this number of tenants in this process, each with all features of the demo and its own database. Measures what idle
 * tenants cost. Then it appends an event to every tenant like another process, while some databases are missing or locked,
 * and checks that all others handle theirs.
 */
export async function drillTenants(count: number, report: (line: string) => void): Promise<Counts> {
  const closing: (() => Promise<unknown>)[] = []
  try {
    const folder = await dataFolder()
    closing.push(() => folder.remove())
    const server = await startPostgres({
      directory: join(folder.path, 'postgres'),
      settings: { max_connections: String(maxConnections) },
    })
    closing.push(() => server.stop('immediate'))
    const store = await startObjectStore({
      directory: join(folder.path, 'store'),
      buckets: ['vertical-kit-attachments'],
      credentials: [{ accessKeyId: 'demo', secretAccessKey: 'demo-secret-key' }],
    })
    closing.push(() => store.close())
    const issuer = await startTestIssuer()
    closing.push(() => issuer.close())
    const admin = postgres(server.url('postgres'), { max: 1, onnotice: () => {} })
    closing.push(() => admin.end())

    await server.createDatabase('model')
    await migrate({ databaseUrl: server.url('model'), packs: hostMigrations })
    const config = readHostConfig({
      DATABASE_URL: server.url('model'),
      DATABASE_POOL_MAX: '3',
      ...{ Oidc__Issuer: issuer.oidc.issuer, Oidc__Audience: issuer.oidc.audience },
      // Like the tenants of a deployment, these seal their events before they close.
      ...{ Audit__SealDelay: '00:00:01', Audit__SealInterval: '00:00:05' },
      ...{ FeatureManagement__Attachments: 'true', FeatureManagement__Notes: 'true' },
      ...externalStore(store.url),
    })
    const tenants = new Map<string, DatabaseConfig>()
    for (let number = 0; number < count; number += 1) {
      const id = `tenant-${number}`
      await admin`create database ${admin(id)} template model strategy file_copy`
      tenants.set(id, { ...config.database, url: server.url(id) })
    }
    report(`created ${count} databases`)

    const emptyBytes = heapBytes()
    const emptyCpu = await cpuPerSecond(10)
    const host = await startTenants({
      tenants,
      tenantOf: ({ headers }) => headers.host?.split('.')[0],
      open: (parts) =>
        compose({ ...config, database: { ...config.database, url: server.url(parts.id) } }, parts),
      config: { ...tenantsDefaults, idleAfterMs, maxOpen },
      logger: createLogger({ level: 'silent' }),
      server: { host: '127.0.0.1', port: 0 },
    })
    closing.push(() => host.close({ isImmediate: true }))
    const watch = watchSessions(admin)
    closing.push(async () => watch.stop())

    const token = await issuer.token({ subject: 'operator', roles: ['platform-admin'] })
    const openedCpu = process.cpuUsage()
    for (const id of tenants.keys()) await signIn(host.url, id, token)
    const { user, system } = process.cpuUsage(openedCpu)
    report(
      `every tenant answered its first request: ${((user + system) / 1_000 / count).toFixed(1)} ms of CPU each`,
    )
    while (host.openCount > 0) await delay(1_000)
    report('every tenant is closed')

    const committed = await commits(admin)
    const idleCpu = await cpuPerSecond(measuredSeconds)
    // A session reports its last transactions when it ends.
    const statements = (await commits(admin)) - committed
    const idleBytes = heapBytes() - emptyBytes
    const each = (value: number) => Number((value / count).toPrecision(3))

    const [dropped, locked] = ['tenant-0', 'tenant-1']
    await admin.unsafe(`drop database "${dropped}" with (force)`)
    const holder = postgres(server.url(locked), { max: 1, onnotice: () => {} })
    closing.push(() => holder.end({ timeout: 1 }))
    const others = [...tenants.keys()].filter((id) => id !== dropped && id !== locked)
    for (const id of [locked, ...others]) await onTenant(server.url(id), appendEvent)
    await holder.unsafe('begin; lock table core_audit.outbox_attempts')
    const appendedMs = performance.now()
    for (let waiting = others; waiting.length > 0; ) {
      await delay(1_000)
      if (performance.now() - appendedMs > handledLimitMs)
        throw new Error(`${waiting.length} events are not handled`)
      const unhandled = []
      for (const id of waiting) if (!(await onTenant(server.url(id), isHandled))) unhandled.push(id)
      waiting = unhandled
    }
    return {
      tenants: count,
      'µs of CPU per second and idle tenant': each((idleCpu - emptyCpu) * 1_000),
      'transactions per minute and idle tenant': each((statements / measuredSeconds) * 60),
      'bytes of heap per idle tenant': Math.round(idleBytes / count),
      'sessions at the server at most': watch.most(),
      'tenants that handled the event of another process': others.length,
      'seconds until the last of them': Math.round((performance.now() - appendedMs) / 1_000),
    }
  } finally {
    for (const end of closing.toReversed()) await end()
  }
}

async function signIn(url: string, id: string, token: string): Promise<void> {
  const { hostname, port } = new URL(url)
  await new Promise<void>((resolve, reject) => {
    const options = { hostname, port, path: '/api/security/me/access' }
    const headers = { Host: `${id}.localhost`, Authorization: `Bearer ${token}` }
    request({ ...options, headers }, (response) => {
      response.resume().on('end', () => {
        if (response.statusCode === 200) resolve()
        else reject(new Error(`${id} answered ${response.statusCode}`))
      })
    })
      .on('error', reject)
      .end()
  })
}

function heapBytes(): number {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  collect()
  collect()
  return process.memoryUsage().heapUsed
}

/** Returns the CPU time of this process in ms per second. */
async function cpuPerSecond(seconds: number): Promise<number> {
  const [cpu, startedMs] = [process.cpuUsage(), performance.now()]
  await delay(seconds * 1_000)
  const { user, system } = process.cpuUsage(cpu)
  return (user + system) / (performance.now() - startedMs)
}

async function commits(admin: postgres.Sql): Promise<number> {
  const [row] = await admin`
    select sum(xact_commit)::float8 as count from pg_stat_database where datname like 'tenant-%'`
  return Number(row?.['count'])
}

/** Counts the sessions of the tenants every 100 ms. */
function watchSessions(admin: postgres.Sql) {
  let most = 0
  const timer = setInterval(async () => {
    const [row] = await admin`
      select count(*)::int as count from pg_stat_activity where datname like 'tenant-%'`
    most = Math.max(most, Number(row?.['count']))
  }, 100)
  return { most: () => most, stop: () => clearInterval(timer) }
}

async function onTenant<T>(url: string, act: (sql: postgres.Sql) => Promise<T>): Promise<T> {
  const sql = postgres(url, { max: 1, onnotice: () => {} })
  try {
    return await act(sql)
  } finally {
    await sql.end()
  }
}

/** Appends an event that the Work Center handles without an effect. */
const appendEvent = (sql: postgres.Sql) => sql`
  insert into core_audit.outbox_events (id, type, source, subject, time, schema_version, data)
  values (gen_random_uuid(), 'drill.event', 'drill', 'drill', now(), 1, '{}')`

async function isHandled(sql: postgres.Sql): Promise<boolean> {
  const rows = await sql`select from core_audit.outbox_deliveries where state <> 'completed'`
  return rows.length === 0
}
