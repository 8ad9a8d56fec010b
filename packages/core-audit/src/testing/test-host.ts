import type { Hono } from 'hono'
import type { DatabaseConfig } from '../database/config.ts'
import type { Database } from '../database/database.ts'
import type { KitEnv } from '../http/kit-env.ts'
import type { KitModule } from '../module.ts'
import type { Outbox } from '../outbox/outbox.ts'
import type { TestTokenClaims } from './test-issuer.ts'

/**
 * A user with one role that grants exactly `permissions`. Without `permissions`, the first successful request creates the
 * user record.
 */
export interface TestUser extends TestTokenClaims {
  readonly permissions?: readonly string[]
}

/** `databaseUrl` names a migrated database. By default, no role is an administrator role. */
export interface TestHostOptions {
  readonly databaseUrl: string
  /** Creates the modules under test over the host's database. */
  modules(database: Database, outbox: Outbox): readonly KitModule[]
  readonly database?: Partial<DatabaseConfig>
  readonly administratorRoleCodes?: readonly string[]
}

/** Sends a request of one user. `body` is sent as JSON. */
export type TestRequest = (
  method: string,
  path: string,
  options?: { readonly body?: unknown; readonly headers?: Readonly<Record<string, string>> },
) => Promise<Response>

/** A complete host for route tests, with a real database, real tokens and real modules. Requests need no socket. */
export interface TestHost {
  readonly app: Hono<KitEnv>
  readonly database: Database
  /** The outbox has the default options of a deployment. None of its workers run. */
  readonly outbox: Outbox
  /** All log lines so far. */
  readonly logLines: readonly string[]
  /** Creates the user with the role, and returns a function that sends requests as this user. */
  as(user: TestUser): Promise<TestRequest>
  close(): Promise<void>
}

/**
 * Opens a host over a migrated database. Its time limits for the database are longer than in a deployment; `database`
 * overrides them. Close the host before dropping the database. When `modules` throws or its modules are rejected, this
 * function rejects and nothing keeps running.
 */
export async function openTestHost(options: TestHostOptions): Promise<TestHost> {
  // Loaded lazily: tests without a host import this module too.
  const { openHost } = await import('./test-host/open-host.ts')
  return openHost(options)
}
