import { isKitError, type KitModule } from '@vertical-kit/core-audit'
import {
  coreMigrations,
  createDatabase,
  type Database,
  type DatabaseConfig,
  databaseDefaults,
} from '@vertical-kit/core-audit/database'
import type { KitEnv } from '@vertical-kit/core-audit/http'
import { migrationTemplate, openTestHost, type TestHost } from '@vertical-kit/core-audit/testing'
import { type FreshDatabase, freshDatabase } from '@vertical-kit/dev-services'
import type { Hono } from 'hono'
import postgres from 'postgres'
import { inject, onTestFinished } from 'vitest'

/** A migrated database of its own for a test file. */
export async function openDatabase(): Promise<FreshDatabase> {
  const template = await migrationTemplate('core_audit', [coreMigrations])
  return freshDatabase(inject('postgresUrl'), { template })
}

/** A pool for one test. */
export function openPool(url: string, config: Partial<DatabaseConfig> = {}): Database {
  const database = createDatabase({ ...databaseDefaults, ...config, url })
  onTestFinished(() => database.close())
  return database
}

/** A connection beside the pool, for one test: holds locks, looks at the server. */
export function openConnection(url: string): postgres.Sql {
  const connection = postgres(url, { max: 1, onnotice: () => {} })
  onTestFinished(() => connection.end({ timeout: 1 }))
  return connection
}

/** Runs SQL text of any length, as a superuser. */
export async function runSql(url: string, text: string): Promise<void> {
  const connection = postgres(url, { max: 1, onnotice: () => {} })
  try {
    await connection.unsafe(text)
  } finally {
    await connection.end()
  }
}

/** The code a promise is refused with; whatever else happens to it fails the test. */
export async function refusalOf(promise: Promise<unknown>): Promise<string> {
  const outcome: unknown = await promise.catch((error: unknown) => error)
  if (isKitError(outcome)) return outcome.code
  throw new Error('expected a refusal', { cause: outcome })
}

/** A host for one test with routes of its own outside of `/api`: nobody signs in, and no database is there. */
export async function openHostWithout(
  router: Hono<KitEnv>,
  module: Partial<KitModule> = {},
): Promise<TestHost> {
  const host = await openTestHost({
    databaseUrl: 'postgres://nobody@127.0.0.1:1/none',
    modules: () => [{ name: 'test', permissions: [], router, ...module }],
  })
  onTestFinished(() => host.close())
  return host
}

/** The lines a host has logged at a level, parsed. */
export function loggedAt(host: TestHost, level: string): readonly Record<string, unknown>[] {
  return host.logLines
    .map((line) => JSON.parse(line) as Record<string, unknown>)
    .filter((line) => line['level'] === level)
}
