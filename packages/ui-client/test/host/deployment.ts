import { migrationTemplate, startTestIssuer } from '@vertical-kit/core-audit/testing'
import { freshDatabase } from '@vertical-kit/dev-services'
import type { DocumentReference } from '@vertical-kit/ui-client'
import { inject } from 'vitest'
import { addDocument, invoiceType, paymentType, removeDocument } from './documents.ts'
import { nameOf } from './people.ts'
import { type HostOptions, migrations, startHost } from './start-host.ts'

type Environment = Readonly<Record<string, string>>

/** A host that runs in the test process and listens on a real port. It uses the database of its deployment. */
export interface Host {
  readonly url: string
  /** Returns a token for a user of `people.ts`. By default, the token expires after one hour. */
  token(user: string, expiresAtMs?: number): Promise<string>
  /** Adds a draft invoice. */
  addInvoice(): Promise<DocumentReference>
  addPayment(): Promise<DocumentReference>
  /** Deletes a document without notifying the client under test. */
  remove(document: DocumentReference): Promise<void>
  /** Stops the host. A second call waits until the first call is complete. */
  close(): Promise<void>
}

/** Hosts that share a database and an identity provider. */
export interface Deployment {
  openHost(environment?: Environment, options?: HostOptions): Promise<Host>
  /** Closes the deployment and all of its hosts. */
  close(): Promise<void>
}

/** Opens a deployment without hosts. */
export async function openDeployment(): Promise<Deployment> {
  const template = await migrationTemplate('ui_client', migrations)
  const database = await freshDatabase(inject('postgresUrl'), { template })
  const issuer = await startTestIssuer()
  const standard: Environment = {
    DATABASE_URL: database.url,
    Oidc__Issuer: issuer.oidc.issuer,
    Oidc__Audience: issuer.oidc.audience,
    FeatureManagement__Attachments: 'true',
    FeatureManagement__Notes: 'true',
    // No object store listens at this address. Tests with files open their own store (stores/attachments-stage.ts).
    ...storageAt('http://127.0.0.1:9'),
    WorkCenter__OutboxPollInterval: '00:00:01',
  }
  const hosts: Host[] = []
  return {
    async openHost(environment = {}, options = {}) {
      const running = await startHost({ ...standard, ...environment }, options)
      let closed: Promise<void> | undefined
      const host: Host = {
        url: running.url,
        token: (subject, expiresAtMs) =>
          issuer.token({
            subject,
            name: nameOf(subject),
            ...(expiresAtMs === undefined ? {} : { expiresAtMs }),
          }),
        addInvoice: () => addDocument(running.database, invoiceType),
        addPayment: () => addDocument(running.database, paymentType),
        remove: (document) => removeDocument(running.database, document),
        close: () => (closed ??= running.close()),
      }
      hosts.push(host)
      return host
    },
    async close() {
      await Promise.all(hosts.map((host) => host.close()))
      await issuer.close()
      await database.drop()
    },
  }
}

/** Opens a deployment with one host. Closing the host closes the deployment. */
export async function openHost(environment: Environment = {}, options: HostOptions = {}): Promise<Host> {
  const deployment = await openDeployment()
  return { ...(await deployment.openHost(environment, options)), close: () => deployment.close() }
}

/** The credentials of the object store that a test opens. */
export const storeCredentials = { accessKeyId: 'test', secretAccessKey: 'test-secret-key' }

/** Returns the environment of a host that stores files in the object store at this URL. */
export const storageAt = (url: string): Environment => ({
  Attachments__Storage__InternalEndpoint: url,
  Attachments__Storage__PublicEndpoint: url,
  Attachments__Storage__AccessKey: storeCredentials.accessKeyId,
  Attachments__Storage__SecretKey: storeCredentials.secretAccessKey,
  Attachments__Storage__AllowInsecureHttp: 'true',
})
