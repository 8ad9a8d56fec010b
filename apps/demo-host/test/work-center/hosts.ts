import { startHost } from '@vertical-kit/core-audit/host'
import { migrationTemplate, startTestIssuer } from '@vertical-kit/core-audit/testing'
import { type FreshDatabase, freshDatabase } from '@vertical-kit/dev-services'
import { inject } from 'vitest'
import { readHostConfig } from '../../src/config.ts'
import { composeHost } from '../../src/host.ts'
import { hostMigrations } from '../../src/migrations.ts'
import { type Request, requester } from '../demo-process.ts'

/** A host that runs in the test process and uses the shared database of its deployment. */
export interface Replica {
  readonly url: string
  /** Returns a client for a user of the demo. */
  as(user: string): Promise<Request>
  /** Returns an access token. Without `expiresAtMs`, the token is valid for one hour. */
  token(user: string, expiresAtMs?: number): Promise<string>
  close(): Promise<void>
}

/** The services that replicas share: a database without sample data and an identity provider. */
export interface Deployment {
  readonly databaseUrl: string
  /** Opens a replica. Without its workers, the other replicas handle all events. */
  openReplica(
    environment?: Readonly<Record<string, string>>,
    options?: { readonly hasWorkers: boolean },
  ): Promise<Replica>
  /** Closes the deployment and all of its replicas. */
  close(): Promise<void>
}

/** Opens a fresh, migrated database of the shared server. */
async function openDatabase(): Promise<Pick<FreshDatabase, 'url' | 'drop'>> {
  const template = await migrationTemplate('demo_host', hostMigrations)
  return freshDatabase(inject('postgresUrl'), { template })
}

/**
 * Opens a deployment without replicas. Replicas are real hosts on real ports and poll the outbox every second.
 * @param opening a migrated database, by default a fresh one
 */
export async function openDeployment(
  opening: Promise<Pick<FreshDatabase, 'url' | 'drop'>> = openDatabase(),
): Promise<Deployment> {
  const database = await opening
  const issuer = await startTestIssuer()
  const token = (subject: string, expiresAtMs?: number) =>
    issuer.token({
      subject,
      roles: subject === 'admin' ? ['platform-admin'] : [],
      ...(expiresAtMs === undefined ? {} : { expiresAtMs }),
    })
  const replicas: Replica[] = []
  return {
    databaseUrl: database.url,
    async openReplica(environment = {}, { hasWorkers } = { hasWorkers: true }) {
      const config = readHostConfig({
        DATABASE_URL: database.url,
        Oidc__Issuer: issuer.oidc.issuer,
        Oidc__Audience: issuer.oidc.audience,
        PORT: '0',
        LOG_LEVEL: 'silent',
        SHUTDOWN_DELAY: '00:00:00',
        WorkCenter__OutboxPollInterval: '00:00:01',
        ...environment,
      })
      const options = composeHost(config)
      if (!hasWorkers)
        for (const module of options.modules) Object.defineProperty(module, 'workers', { value: [] })
      const host = await startHost(options)
      let closed: Promise<void> | undefined
      const replica: Replica = {
        url: host.url,
        as: async (user) => requester(host.url, await token(user)),
        token,
        close: () => (closed ??= host.close()),
      }
      replicas.push(replica)
      return replica
    },
    async close() {
      await Promise.all(replicas.map((replica) => replica.close()))
      await issuer.close()
      await database.drop()
    },
  }
}
