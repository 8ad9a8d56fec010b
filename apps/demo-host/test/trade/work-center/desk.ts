import type { KitModule } from '@vertical-kit/core-audit'
import {
  coreMigrations,
  createDatabase,
  type Database,
  databaseDefaults,
} from '@vertical-kit/core-audit/database'
import { readConfiguration } from '@vertical-kit/core-audit/host'
import { createIdentity } from '@vertical-kit/core-audit/identity'
import { createOutbox, type Outbox, outboxDefaults } from '@vertical-kit/core-audit/outbox'
import {
  captureLog,
  migrationTemplate,
  openTestHost,
  type TestHost,
  type TestRequest,
} from '@vertical-kit/core-audit/testing'
import { freshDatabase } from '@vertical-kit/dev-services'
import { documentActionsMigrations } from '@vertical-kit/document-actions'
import { createWorkCenter, readWorkCenterConfig, workCenterMigrations } from '@vertical-kit/work-center'
import { sql } from 'drizzle-orm/sql'
import { inject } from 'vitest'
import { demoRoles, demoUsers } from '../../../src/demo-users.ts'
import { tradeMigrations } from '../../../src/trade/module.ts'
import { tradeDefinitions } from '../../../src/trade/work-center/definitions.ts'
import { tradeEventHandlers } from '../../../src/trade/work-center/event-handlers.ts'
import { tradeModules } from '../harness.ts'

/** A host with the vertical, its actions, users and Work Center. Events are handled only when a test runs a processor. */
export interface Desk extends Pick<TestHost, 'app' | 'database'> {
  /** Returns a client for a user of the demo. */
  as(user: string): Promise<TestRequest>
  /** Opens another processor with its own connections. */
  openProcessor(): Processor
  close(): Promise<void>
}

/** The outbox processing of one replica. Tests start it explicitly. */
export interface Processor {
  /** Handles all due events. Rejects if an event handler fails. */
  run(): Promise<void>
}

const config = readConfiguration({}, readWorkCenterConfig)

export async function openDesk(): Promise<Desk> {
  const packs = [coreMigrations, documentActionsMigrations, workCenterMigrations, tradeMigrations]
  const fresh = await freshDatabase(inject('postgresUrl'), {
    template: await migrationTemplate('demo_work_center', packs),
  })
  const pools: Database[] = []
  const workCenterOf = (database: Database, outbox: Outbox) =>
    createWorkCenter({
      ...{ database, outbox, config },
      definitions: tradeDefinitions,
      eventHandlers: tradeEventHandlers,
      identity: { administratorRoleCodes: [] },
    })
  const host = await openTestHost({
    databaseUrl: fresh.url,
    modules: (database, outbox) => [...tradeModules(database, outbox), workCenterOf(database, outbox)],
  })
  await seedPeople(host.database)
  return {
    app: host.app,
    database: host.database,
    as: (user) => host.as({ subject: user }),
    openProcessor() {
      const pool = createDatabase({ ...databaseDefaults, url: fresh.url })
      pools.push(pool)
      const outbox = createOutbox({ database: pool, config: { ...outboxDefaults, batchSize: 1 } })
      workCenterOf(pool, outbox)
      return { run: () => runWorkers(outbox.processing) }
    },
    async close() {
      await Promise.all(pools.map((pool) => pool.close()))
      await host.close()
      await fresh.drop()
    },
  }
}

async function runWorkers({ workers = [] }: KitModule): Promise<void> {
  const { logger, lines } = captureLog('warn')
  for (const worker of workers) await worker.runOnce(new AbortController().signal, logger)
  if (lines.length > 0) throw new Error(lines.join(''))
}

/** Creates the roles and users of the demo, with the permissions for trade only. */
async function seedPeople(database: Database): Promise<void> {
  const outbox = createOutbox({ database, config: outboxDefaults })
  const identity = createIdentity({
    ...{ database, outbox, modules: tradeModules(database, outbox) },
    tokens: { verify: () => Promise.reject(new Error('sign-in is not available here')) },
    administratorRoleCodes: ['trade.administrator'],
  })
  const roles = demoRoles.map((role) => ({
    ...role,
    permissions: role.permissions.filter((permission) => !permission.startsWith('system.')),
  }))
  const users = demoUsers.filter(({ roleCodes }) => roleCodes.length > 0)
  await database.transaction((tx) => identity.seedAccess(tx, { roles, users }))
}

/** The columns of a stored task that the tests read. */
export type StoredTask = { status: string; title: string; description: string; due_on: string | null }

export async function taskOf(
  database: Database,
  code: string,
  { id }: { readonly id: string },
): Promise<StoredTask | null> {
  const [task] = await database.read((db) =>
    db.execute<StoredTask>(sql`
      select status, title, description, due_on::text
      from work_center.tasks
      where code = ${code} and deduplication_key = ${id}`),
  )
  return task ?? null
}

/** Returns the deduplication keys of all notifications of one type about a document. */
export async function notificationsOf(
  database: Database,
  code: string,
  { id }: { readonly id: string },
): Promise<readonly string[]> {
  const rows = await database.read((db) =>
    db.execute<{ deduplication_key: string }>(sql`
      select deduplication_key
      from work_center.notifications
      where code = ${code} and entity_id = ${id}::uuid
      order by created_at`),
  )
  return rows.map((row) => row.deduplication_key)
}

/** Makes all handled events due again, to simulate repeated deliveries. */
export const deliverAgain = (database: Database) =>
  database.statement((tx) =>
    tx.execute(sql`
      update core_audit.outbox_deliveries
      set state = 'pending', attempts = 0, available_at = statement_timestamp()
      where state = 'completed'`),
  )
