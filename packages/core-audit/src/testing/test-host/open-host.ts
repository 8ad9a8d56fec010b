import type { Hono } from 'hono'
import { databaseDefaults } from '../../database/config.ts'
import { createDatabase, type Database } from '../../database/database.ts'
import { sql } from '../../database/sql.ts'
import { createApplication } from '../../host/application.ts'
import type { KitEnv } from '../../http/kit-env.ts'
import { createIdentity } from '../../identity/module.ts'
import { oidcTokens } from '../../identity/oidc-tokens.ts'
import { newId } from '../../new-id.ts'
import { outboxDefaults } from '../../outbox/config.ts'
import { createOutbox } from '../../outbox/outbox.ts'
import { captureLog } from '../capture-log.ts'
import type { TestHost, TestHostOptions, TestRequest, TestUser } from '../test-host.ts'
import { startTestIssuer, type TestIssuer } from '../test-issuer.ts'

/** These limits are far above those of a deployment: a test must not fail because its machine is busy. */
const patience = {
  poolWaitMs: 30_000,
  connectTimeoutSeconds: 30,
  statementTimeoutMs: 45_000,
  lockTimeoutMs: 30_000,
  idleInTransactionTimeoutMs: 45_000,
}

/** Implements `openTestHost`, in a separate file because it loads a whole host. */
export async function openHost(options: TestHostOptions): Promise<TestHost> {
  const issuer = await startTestIssuer()
  const database = createDatabase({
    ...databaseDefaults,
    ...patience,
    ...options.database,
    url: options.databaseUrl,
  })
  const close = async () => {
    try {
      await database.close()
    } finally {
      await issuer.close()
    }
  }
  try {
    return { ...composeHost(options, database, issuer), close }
  } catch (error) {
    await close()
    throw error
  }
}

function composeHost(
  options: TestHostOptions,
  database: Database,
  issuer: TestIssuer,
): Omit<TestHost, 'close'> {
  const outbox = createOutbox({ database, config: outboxDefaults })
  const modules = options.modules(database, outbox)
  const identity = createIdentity({
    database,
    outbox,
    tokens: oidcTokens(issuer.oidc, database.clock),
    administratorRoleCodes: options.administratorRoleCodes ?? [],
    modules,
  })
  const { logger, lines: logLines } = captureLog()
  const { authenticate } = identity
  // A test mounts only its subject, so contributions without a gatherer are no mistake here.
  const gathered = (['auditSource', 'counter'] as const).map((contribution) => ({
    name: `test host: ${contribution}`,
    gathers: { contribution, modules },
  }))
  const all = [identity, ...modules, ...gathered]
  const app = createApplication({ title: 'Test host', authenticate, database, modules: all, logger })
  return {
    app,
    database,
    outbox,
    logLines,
    async as(user) {
      if (user.permissions !== undefined) await grant(database, user, user.permissions)
      return requester(app, await issuer.token(user))
    },
  }
}

function requester(app: Hono<KitEnv>, token: string): TestRequest {
  return async (method, path, { body, headers } = {}) =>
    app.request(path, {
      method,
      headers: {
        Authorization: `Bearer ${token}`,
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
}

async function grant(database: Database, user: TestUser, permissions: readonly string[]): Promise<void> {
  await database.statement((tx) =>
    tx.execute(sql`
      with account as (
        insert into core_audit.users (id, subject, email, display_name)
        values (
          ${newId()}, ${user.subject}, ${user.email ?? `${user.subject}@example.com`}, ${user.name ?? user.subject}
        )
        on conflict (subject) do update set subject = excluded.subject
        returning id
      ), granted as (
        insert into core_audit.roles (id, code, name, permissions)
        values (${newId()}, ${`test.${newId()}`}, ${user.subject}, ${sql.param(permissions)}::text[])
        returning id
      )
      insert into core_audit.user_roles (user_id, role_id)
      select account.id, granted.id from account, granted`),
  )
}
