import { coreMigrations, type MigrationPack } from '@vertical-kit/core-audit/database'
import { migrationTemplate, startTestIssuer, type TestTokenClaims } from '@vertical-kit/core-audit/testing'
import { freshDatabase } from '@vertical-kit/dev-services'
import postgres from 'postgres'
import { inject, vi } from 'vitest'
import { openReplica, type Replica, type ReplicaOptions } from './replica.ts'

/** A user with a user record and tokens. */
export interface TestAccount {
  readonly subject: string
  readonly userId: string
}

/** One database, one issuer of tokens and one clock, which any number of replicas share. */
export interface Deployment {
  readonly databaseUrl: string
  /** A connection with all privileges on the database. */
  readonly operator: postgres.Sql
  /** The clock of all replicas. The time changes only when a test sets it. */
  readonly clock: { nowMs: number }
  openReplica(options?: ReplicaOptions): Promise<Replica>
  addAccount(): Promise<TestAccount>
  token(account: { readonly subject: string }, claims?: Partial<TestTokenClaims>): Promise<string>
  /** Commits a version without announcing it. */
  commitVersion(account: TestAccount, version: number): Promise<void>
  deactivate(account: TestAccount): Promise<void>
  /** Waits until exactly `count` database sessions listen, and returns their process ids. */
  listeners(count: number): Promise<readonly number[]>
  close(): Promise<void>
}

const versionTable: MigrationPack = {
  name: 'work-center-test-versions',
  directory: new URL('./fixtures/', import.meta.url),
}

let accountCount = 0

/** Opens a deployment without replicas. By default, it uses the shared test server. Closing it also closes its replicas. */
export async function openDeployment(adminUrl: string = inject('postgresUrl')): Promise<Deployment> {
  const template = await migrationTemplate('work_center_realtime', [coreMigrations, versionTable])
  const fresh = await freshDatabase(adminUrl, { template })
  const issuer = await startTestIssuer()
  const operator = postgres(fresh.url, { max: 1, onnotice: () => {} })
  const clock = { nowMs: Date.now() }
  const replicas: Replica[] = []
  return {
    databaseUrl: fresh.url,
    operator,
    clock,
    async openReplica(options = {}) {
      const place = { databaseUrl: fresh.url, oidc: issuer.oidc, now: () => clock.nowMs }
      const replica = await openReplica(place, options)
      replicas.push(replica)
      return replica
    },
    async addAccount() {
      accountCount += 1
      const subject = `user-${accountCount}`
      const [row] = await operator<{ id: string }[]>`
        insert into core_audit.users (id, subject, display_name)
        values (gen_random_uuid(), ${subject}, ${subject})
        returning id`
      return { subject, userId: row?.id ?? '' }
    },
    token: ({ subject }, claims = {}) =>
      issuer.token({ subject, name: subject, expiresAtMs: clock.nowMs + 3_600_000, ...claims }),
    async commitVersion({ userId }, version) {
      await operator`
        insert into work_center.user_versions (user_id, version)
        values (${userId}, ${version})
        on conflict (user_id) do update set version = excluded.version`
    },
    async deactivate({ userId }) {
      await operator`update core_audit.users set is_active = false where id = ${userId}`
    },
    async listeners(count) {
      const listening = async (): Promise<readonly number[]> => {
        const rows = await operator<{ pid: number }[]>`
          select pid from pg_stat_activity
          where datname = current_database() and application_name = 'vertical-kit-realtime'
            and state = 'idle' and query ~ '^(listen |select pg_catalog.pg_notify)'`
        return rows.map(({ pid }) => pid)
      }
      return vi.waitUntil(
        async () => {
          const pids = await listening()
          return pids.length === count && pids
        },
        { interval: 5, timeout: 20_000 },
      )
    },
    async close() {
      await Promise.all(replicas.map((replica) => replica.close()))
      await operator.end()
      await issuer.close()
      await fresh.drop()
    },
  }
}
