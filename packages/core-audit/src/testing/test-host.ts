import type { Hono } from 'hono'
import type { DatabaseConfig } from '../database/config.ts'
import type { Database } from '../database/database.ts'
import type { KitEnv } from '../http/kit-env.ts'
import type { KitModule } from '../module.ts'
import type { Outbox } from '../outbox/outbox.ts'
import type { TestTokenClaims } from './test-issuer.ts'

/**
 * A user with one role that grants exactly `permissions`. Without `permissions`, the user record is created by the first
 * request that succeeds.
 */
export interface TestUser extends TestTokenClaims {
  readonly permissions?: readonly string[]
}

export interface TestHostOptions {
  readonly databaseUrl: string
  /** Makes the modules under test over the host's database. */
  modules(database: Database, outbox: Outbox): readonly KitModule[]
  readonly database?: Partial<DatabaseConfig>
  readonly administratorRoleCodes?: readonly string[]
}

/** Sends a request as one user: `body` as JSON. */
export type TestRequest = (
  method: string,
  path: string,
  options?: { readonly body?: unknown; readonly headers?: Readonly<Record<string, string>> },
) => Promise<Response>

/** A whole host for route tests: real database, real tokens, real modules; requests without a socket. */
export interface TestHost {
  readonly app: Hono<KitEnv>
  readonly database: Database
  /** With the defaults of a deployment; none of its workers run. */
  readonly outbox: Outbox
  /** Everything logged so far, a line each. */
  readonly logLines: readonly string[]
  /** Makes the user, with their role, and returns how to send requests as them. */
  as(user: TestUser): Promise<TestRequest>
  close(): Promise<void>
}

/**
 * Opens a host over a migrated database, with more patience for it than a deployment has (`database` sets other
 * limits). Close it before dropping the database. Rejects with nothing left running when `modules` throws or its
 * modules are refused.
 */
export async function openTestHost(options: TestHostOptions): Promise<TestHost> {
  // Loaded here: tests without a host import what this is exported with.
  const { openHost } = await import('./test-host/open-host.ts')
  return openHost(options)
}
