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
import { inject, onTestFinished, vi } from 'vitest'

/** Creates a migrated database for one test file. */
export async function openDatabase(): Promise<FreshDatabase> {
  const template = await migrationTemplate('core_audit', [coreMigrations])
  return freshDatabase(inject('postgresUrl'), { template })
}

/** Opens a pool for one test. */
export function openPool(url: string, config: Partial<DatabaseConfig> = {}): Database {
  const database = createDatabase({ ...databaseDefaults, ...config, url })
  onTestFinished(() => database.close())
  return database
}

/** Opens a connection outside the pool for one test, to hold locks and query the server. */
export function openConnection(url: string): postgres.Sql {
  const connection = postgres(url, { max: 1, onnotice: () => {} })
  onTestFinished(() => connection.end({ timeout: 1 }))
  return connection
}

/** Runs SQL text with any number of statements, as a superuser. */
export async function runSql(url: string, text: string): Promise<void> {
  const connection = postgres(url, { max: 1, onnotice: () => {} })
  try {
    await connection.unsafe(text)
  } finally {
    await connection.end()
  }
}

const systemNow = Date.now

/** Shifts the host's clock until `vi.restoreAllMocks`. The monotonic clock keeps its pace. */
export const shiftHostClock = (shiftMs: number) =>
  vi.spyOn(Date, 'now').mockImplementation(() => systemNow() + shiftMs)

/** Returns the error code of a promise that rejects with a refusal. Throws for any other outcome. */
export async function refusalOf(promise: Promise<unknown>): Promise<string> {
  const outcome: unknown = await promise.catch((error: unknown) => error)
  if (isKitError(outcome)) return outcome.code
  throw new Error('expected a refusal', { cause: outcome })
}

/** Opens a host for one test with routes outside `/api`, without sign-in and without a database. */
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

/** Returns the parsed lines that a host has logged at a level. */
export function loggedAt(host: TestHost, level: string): readonly Record<string, unknown>[] {
  return host.logLines
    .map((line) => JSON.parse(line) as Record<string, unknown>)
    .filter((line) => line['level'] === level)
}
