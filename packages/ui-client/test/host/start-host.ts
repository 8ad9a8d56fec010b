import {
  attachmentsFeature,
  attachmentsMigrations,
  createAttachments,
  readAttachmentsConfig,
} from '@vertical-kit/attachments'
import {
  coreMigrations,
  createApplication,
  createAuditTimeline,
  createBell,
  createBusinessObjects,
  createContentSummary,
  createDatabase,
  createIdentity,
  createLogger,
  type Database,
  type EnvironmentReader,
  listen,
  type MigrationPack,
  readConfiguration,
  readDatabaseConfig,
  readOidcConfig,
  startWorkers,
} from '@vertical-kit/core-audit'
import {
  createDocumentActions,
  documentActionsMigrations,
  readDocumentActionsConfig,
} from '@vertical-kit/document-actions'
import { createFeatureFlags, readFeatureValues } from '@vertical-kit/feature-flags'
import { createNotes, notesFeature, notesMigrations, readNotesConfig } from '@vertical-kit/notes'
import {
  createRealtime,
  createWorkCenter,
  readRealtimeConfig,
  readWorkCenterConfig,
  workCenterMigrations,
} from '@vertical-kit/work-center'
import { businessObjects, customerTarget, documentTypes, tradeAuditSource, tradeModule } from './documents.ts'
import { definitions, invoicePolicy } from './inbox.ts'
import { access } from './people.ts'

/** The tables of every module. The vertical has none of its own. */
export const migrations: readonly MigrationPack[] = [
  coreMigrations,
  attachmentsMigrations,
  notesMigrations,
  documentActionsMigrations,
  workCenterMigrations,
]

function readHost(env: EnvironmentReader) {
  const features = [attachmentsFeature, notesFeature]
  const values = readFeatureValues(env, features)
  return {
    database: readDatabaseConfig(env),
    oidc: readOidcConfig(env),
    features: { definitions: features, values },
    attachments: readAttachmentsConfig(env, { isEnabled: values.get(attachmentsFeature.code) ?? false }),
    notes: readNotesConfig(env),
    documentActions: readDocumentActionsConfig(env),
    workCenter: readWorkCenterConfig(env),
    realtime: readRealtimeConfig(env),
    server: { host: '127.0.0.1', port: env.integer('PORT', { default: 0, min: 0, max: 65_535 }) },
  }
}

/** A host that serves on a real port. */
export interface RunningHost {
  readonly url: string
  readonly database: Database
  close(): Promise<void>
}

/** Starts a host with every module of the kit over a migrated database. Port 0 takes a free one. */
export async function startHost(environment: Readonly<Record<string, string>>): Promise<RunningHost> {
  const config = readConfiguration(environment, readHost)
  const logger = createLogger({ level: 'silent' })
  const database = createDatabase(config.database)
  const outboxBell = createBell()
  const onEventsCommitted = outboxBell.ring
  const parents = createBusinessObjects(businessObjects)
  const features = createFeatureFlags(config.features)
  const actions = createDocumentActions({
    database,
    config: config.documentActions,
    types: documentTypes,
    navigationTargets: [customerTarget],
    onEventsCommitted,
  })
  const content = { database, businessObjects: parents, features }
  const attachments = createAttachments({ ...content, config: config.attachments })
  const notes = createNotes({ ...content, config: config.notes })
  const counters = [attachments.counter, notes.counter]
  const sources = [tradeAuditSource, actions.auditSource, attachments.auditSource, notes.auditSource]
  const granting = [
    ...[tradeModule, actions, features, attachments, notes],
    createContentSummary({ database, businessObjects: parents, counters }),
    createAuditTimeline({ database, businessObjects: parents, sources }),
  ]
  const identity = createIdentity({
    database,
    oidc: config.oidc,
    administratorRoleCodes: [],
    modules: granting,
    onEventsCommitted,
  })
  const realtime = createRealtime({
    identify: identity.identify,
    database,
    databaseUrl: config.database.url,
    config: config.realtime,
    logger,
  })
  const workCenter = createWorkCenter({
    database,
    config: config.workCenter,
    definitions,
    policies: [invoicePolicy],
    administratorRoleCodes: [],
    announce: realtime.publish,
    outboxBell,
  })
  const modules = [identity, ...granting, workCenter, realtime]
  const app = createApplication({ title: 'Test host', identity, modules, logger })

  await database.transaction((tx) => identity.seedAccess(tx, access))
  const server = await listen(app, config.server)
  realtime.start(server.server)
  const workers = [workCenter.outboxProcessing.worker, ...modules.flatMap((module) => module.workers ?? [])]
  const running = startWorkers(workers, logger)
  return {
    url: server.url,
    database,
    async close() {
      // A test that ends leaves requests behind that nobody waits for.
      await Promise.all([realtime.close(), server.close(0), running.stop()])
      await database.close()
    },
  }
}
