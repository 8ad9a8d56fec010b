import {
  attachmentsFeature,
  attachmentsMigrations,
  createAttachments,
  readAttachmentsConfig,
  type ScanFile,
} from '@vertical-kit/attachments'
import { auditTimeline, objectActivity } from '@vertical-kit/core-audit'
import {
  coreMigrations,
  createDatabase,
  type Database,
  type MigrationPack,
  readDatabaseConfig,
} from '@vertical-kit/core-audit/database'
import {
  contentSummary,
  createLogger,
  type EnvironmentReader,
  readConfiguration,
  startHost as startKitHost,
} from '@vertical-kit/core-audit/host'
import { createIdentity, oidcTokens, readOidcConfig } from '@vertical-kit/core-audit/identity'
import { createBusinessObjects } from '@vertical-kit/core-audit/objects'
import { createOutbox, readOutboxConfig } from '@vertical-kit/core-audit/outbox'
import {
  createDocumentActions,
  documentActionsMigrations,
  readDocumentActionsConfig,
} from '@vertical-kit/document-actions'
import { createFeatureFlags, readFeatures } from '@vertical-kit/feature-flags'
import { createNotes, notesFeature, notesMigrations, readNotesConfig } from '@vertical-kit/notes'
import {
  createRealtime,
  createWorkCenter,
  readRealtimeConfig,
  readWorkCenterConfig,
  workCenterMigrations,
} from '@vertical-kit/work-center'
import { businessObjects, customerTarget, documentTypes, tradeModule } from './documents.ts'
import { definitions, invoiceHandler } from './inbox.ts'
import { access } from './people.ts'

/** The migrations of every module of the kit. The vertical of the tests has no tables. */
export const migrations: readonly MigrationPack[] = [
  coreMigrations,
  attachmentsMigrations,
  notesMigrations,
  documentActionsMigrations,
  workCenterMigrations,
]

function readHost(env: EnvironmentReader) {
  const features = readFeatures(env, [attachmentsFeature, notesFeature])
  return {
    database: readDatabaseConfig(env),
    oidc: readOidcConfig(env),
    features,
    attachments: readAttachmentsConfig(env, {
      isEnabled: features.values.get(attachmentsFeature.code) ?? false,
    }),
    notes: readNotesConfig(env),
    documentActions: readDocumentActionsConfig(env),
    outbox: readOutboxConfig(env),
    workCenter: readWorkCenterConfig(env),
    realtime: readRealtimeConfig(env),
    server: { host: '127.0.0.1', port: env.integer('PORT', { default: 0, min: 0, max: 65_535 }) },
  }
}

/** A host that listens on a real port. */
export interface RunningHost {
  readonly url: string
  readonly database: Database
  close(): Promise<void>
}

/** Options of a host in addition to its environment. */
export interface HostOptions {
  /** Scans uploads for malware. Default: uploads are not scanned. */
  readonly scanner?: ScanFile
}

/** Starts a host with every module of the kit on a migrated database. Port 0 selects a free port. */
export async function startHost(
  environment: Readonly<Record<string, string>>,
  options: HostOptions = {},
): Promise<RunningHost> {
  const config = readConfiguration(environment, readHost)
  const logger = createLogger({ level: 'silent' })
  const database = createDatabase(config.database)
  const outbox = createOutbox({ database, config: config.outbox })
  const objects = createBusinessObjects(businessObjects)
  const features = createFeatureFlags(config.features)
  const actions = createDocumentActions({
    ...{ database, outbox, config: config.documentActions },
    types: documentTypes,
    navigationTargets: [customerTarget],
  })
  const content = { database, businessObjects: objects, features }
  const attachments = createAttachments({ ...content, ...options, config: config.attachments })
  const notes = createNotes({ ...content, config: config.notes })
  const workCenter = createWorkCenter({
    ...{ database, outbox, config: config.workCenter },
    identity: { administratorRoleCodes: [] },
    definitions,
    eventHandlers: [invoiceHandler],
    announce: (versions) => realtime.publish(versions),
  })
  const parts = [tradeModule, actions, features, attachments, notes, workCenter]
  const views = { database, businessObjects: objects, modules: parts }
  const modules = [...parts, contentSummary(views), auditTimeline(views), objectActivity(views)]
  const identity = createIdentity({
    ...{ database, outbox, modules },
    tokens: oidcTokens(config.oidc, database.clock),
    administratorRoleCodes: [],
  })
  const { authenticate } = identity
  const realtime = createRealtime({
    ...{ authenticate, database, config: config.realtime, logger },
    databaseUrl: config.database.url,
  })
  const host = await startKitHost({
    ...{ title: 'Test host', database, authenticate, logger, server: config.server },
    modules: [identity, ...modules, outbox, realtime, outbox.processing],
    prepare: (tx) => identity.seedAccess(tx, access),
    // Do not wait for requests that a finished test has not completed.
    graceMs: 0,
  })
  return { url: host.url, database, close: () => host.close() }
}
