import { EventEmitter } from 'node:events'
import type { HttpBindings } from '@hono/node-server'
import type { KitModule } from '@vertical-kit/core-audit'
import {
  coreMigrations,
  createDatabase,
  type DatabaseConfig,
  databaseDefaults,
  type Tx,
} from '@vertical-kit/core-audit/database'
import {
  type TenantOptions,
  type TenantParts,
  tenantsDefaults,
  type Worker,
} from '@vertical-kit/core-audit/host'
import type { KitEnv } from '@vertical-kit/core-audit/http'
import { createOutbox, outboxDefaults } from '@vertical-kit/core-audit/outbox'
import { captureLog, migrationTemplate } from '@vertical-kit/core-audit/testing'
import { freshDatabase } from '@vertical-kit/dev-services'
import { sql } from 'drizzle-orm/sql'
import { Hono } from 'hono'
import postgres from 'postgres'
import { inject, onTestFinished } from 'vitest'
import type { TenantsConfig } from '../../../src/host/tenants/config.ts'
import { createTenants, type Tenants } from '../../../src/host/tenants/tenants.ts'
import { runSql } from '../../harness.ts'

/** Tenants whose databases are real, and whose clock stands still until the test moves it. */
export interface Fleet {
  readonly tenants: Tenants
  /** The databases of all tenants. A test can change entries. */
  readonly databases: Map<string, DatabaseConfig>
  readonly ids: readonly string[]
  /** Replaces what the consumer of a tenant does with an event, before it stores the event. */
  readonly handlers: Map<string, (tx: Tx) => Promise<void>>
  /** Replaces the composition of a tenant. */
  readonly compositions: Map<string, (parts: TenantParts) => TenantOptions | Promise<TenantOptions>>
  readonly log: ReturnType<typeof captureLog>
  /** Moves the clock of the visits forward. */
  pass(ms: number): void
  /** The address of a tenant's database, without a proxy. */
  urlOf(id: string): string
  get(id: string, path: string): Promise<Response>
  /** Sends a request to a tenant. Its response is still being sent until the returned function is called. */
  hold(id: string): Promise<() => void>
  /** Appends an event with this subject through the tenant itself. Returns the status. */
  append(id: string, subject: string): Promise<number>
  /** Appends an event with this subject like another process. */
  appendElsewhere(id: string, subject: string): Promise<void>
  /** Resolves when the consumer of the tenant has committed its handling of this subject. */
  handled(id: string, subject: string): Promise<void>
  /** Returns the stored subjects in the database of a tenant. */
  stored(id: string): Promise<readonly string[]>
  /** Returns the number of sessions that the tenants have at the server. */
  sessions(): Promise<number>
}

export interface FleetOptions {
  readonly count: number
  readonly config?: Partial<TenantsConfig>
  /** Spreads the first visits; by default, all of them are due at once. */
  readonly random?: () => number
  readonly visitTimeoutMs?: number
  /** Additional workers of each tenant. */
  readonly workers?: (parts: TenantParts) => readonly Worker[]
}

const applicationName = 'tenants-under-test'
/** A test must not fail because its machine is busy. */
const patience = { poolWaitMs: 30_000, connectTimeoutSeconds: 30 }

/** Opens this number of tenants, `t0`, `t1`, …, each with its own database. */
export async function openFleet(options: FleetOptions): Promise<Fleet> {
  const { count, config, random = () => 0, workers, ...limits } = options
  const admin = postgres(inject('postgresUrl'), { max: 1, onnotice: () => {} })
  onTestFinished(() => admin.end())
  const template = await tenantTemplate()
  const fresh = await Promise.all(
    Array.from({ length: count }, () => freshDatabase(inject('postgresUrl'), { template })),
  )
  onTestFinished(async () => void (await Promise.all(fresh.map((one) => one.drop()))))
  const urls = new Map(fresh.map(({ url }, index) => [`t${index}`, url]))
  const databases = new Map<string, DatabaseConfig>(
    [...urls].map(([id, url]) => [
      id,
      { ...databaseDefaults, ...patience, applicationName, poolMax: 3, url },
    ]),
  )
  const urlOf = (id: string): string => urls.get(id) ?? ''
  const handlers: Fleet['handlers'] = new Map()
  const compositions: Fleet['compositions'] = new Map()
  const arrivals = new Map<string, PromiseWithResolvers<void>>()
  const arrival = (id: string, subject: string) => {
    const key = `${id} ${subject}`
    const found = arrivals.get(key) ?? Promise.withResolvers<void>()
    arrivals.set(key, found)
    return found
  }
  const log = captureLog()
  let nowMs = 0

  const compose = ({ id, database, ...parts }: TenantParts): TenantOptions => {
    const outbox = createOutbox({ database, config: outboxDefaults })
    outbox.consume({
      name: 'shop',
      healthName: 'shopOutbox',
      async handle(tx, events) {
        await handlers.get(id)?.(tx)
        for (const { subject } of events) {
          await tx.execute(sql`insert into public.handled (subject) values (${subject})`)
        }
        return events.map(({ subject }) => subject)
      },
      onCommitted: (subjects) => {
        for (const subject of subjects) arrival(id, subject).resolve()
      },
    })
    const router = new Hono<KitEnv>()
      .get('/database', async (c) => {
        const [row] = await database.read((db) => db.execute(sql`select current_database() as name`))
        return c.json(row)
      })
      .post('/events/:subject', async (c) => {
        const { subject } = c.req.param()
        await database.transaction((tx) => outbox.append(tx, eventOf(subject)))
        return c.body(null, 204)
      })
    const shop: KitModule = { name: 'shop', router, workers: workers?.({ id, database, ...parts }) ?? [] }
    return {
      title: id,
      authenticate: (_c, next) => next(),
      modules: [shop, outbox, outbox.processing],
    }
  }

  const tenants = createTenants({
    tenants: databases,
    open: (parts) => (compositions.get(parts.id) ?? compose)(parts),
    config: { ...tenantsDefaults, ...config },
    logger: log.logger,
    now: () => nowMs,
    random,
    ...limits,
  })
  onTestFinished(() => tenants.close())
  const send = (id: string, path: string, init?: RequestInit) =>
    tenants.fetch(id, new Request(`http://localhost${path}`, init), {})

  return {
    ...{ tenants, databases, handlers, compositions, log, urlOf },
    ids: [...urls.keys()],
    pass(ms) {
      nowMs += ms
    },
    get: (id, path) => send(id, path),
    async hold(id) {
      const outgoing = Object.assign(new EventEmitter(), { closed: false })
      const request = new Request('http://localhost/database')
      await tenants.fetch(id, request, { outgoing } as unknown as Partial<HttpBindings>)
      return () => void outgoing.emit('close')
    },
    append: async (id, subject) => (await send(id, `/events/${subject}`, { method: 'POST' })).status,
    async appendElsewhere(id, subject) {
      const database = createDatabase({ ...databaseDefaults, ...patience, url: urlOf(id) })
      const { append } = createOutbox({ database, config: outboxDefaults })
      await database.transaction((tx) => append(tx, eventOf(subject)))
      await database.close()
    },
    handled: (id, subject) => arrival(id, subject).promise,
    async stored(id) {
      const connection = postgres(urlOf(id), { max: 1 })
      const rows = await connection`select subject from public.handled order by subject`
      await connection.end()
      return rows.map(({ subject }) => String(subject))
    },
    async sessions() {
      const [row] = await admin`
        select count(*)::int as count from pg_stat_activity
        where application_name = ${applicationName} and datname in ${admin(fresh.map(({ name }) => name))}`
      return Number(row?.['count'])
    },
  }
}

const eventOf = (subject: string) => ({
  ...{ type: 'shop.event', source: 'shop', subject, schemaVersion: 1, data: {} },
  ...{ actorUserId: null, correlationId: null, causationId: null },
})

async function tenantTemplate() {
  const core = await migrationTemplate('core_tenant', [coreMigrations])
  const setUp = `create table public.handled (subject text not null);
    select core_audit.register_outbox_consumer('shop');`
  return {
    name: core.name,
    fingerprint: core.fingerprint + setUp,
    async prepare(url: string) {
      await core.prepare(url)
      await runSql(url, setUp)
    },
  }
}
