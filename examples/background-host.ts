/**
 * A host of background jobs: no server, no users, only the workers of its modules. Any number of them run beside the
 * hosts that serve the API, over the database that those have migrated.
 */
import { attachmentsFeature, createAttachments, readAttachmentsConfig } from '@vertical-kit/attachments'
import { createDatabase, readDatabaseConfig } from '@vertical-kit/core-audit/database'
import { createLogger, readConfiguration, startBackgroundHost } from '@vertical-kit/core-audit/host'
import { createBusinessObjects } from '@vertical-kit/core-audit/objects'
import { createOutbox, readOutboxConfig } from '@vertical-kit/core-audit/outbox'
import { createDocumentActions, readDocumentActionsConfig } from '@vertical-kit/document-actions'
import { createFeatureFlags } from '@vertical-kit/feature-flags'
import { createWorkCenter, readWorkCenterConfig } from '@vertical-kit/work-center'

const config = readConfiguration(process.env, (env) => ({
  database: readDatabaseConfig(env),
  outbox: readOutboxConfig(env),
  attachments: readAttachmentsConfig(env, { isEnabled: false }),
  documentActions: readDocumentActionsConfig(env),
  workCenter: readWorkCenterConfig(env),
}))
const logger = createLogger({ level: 'info' })
const database = createDatabase(config.database)

/** Prunes events that every consumer is done with. */
const outbox = createOutbox({ database, config: config.outbox })

/** Expires uploads that were not completed; it asks no store, so the feature is off here. */
const attachments = createAttachments({
  database,
  businessObjects: createBusinessObjects([]),
  features: createFeatureFlags({ definitions: [attachmentsFeature], values: new Map() }),
  config: { ...config.attachments, isUploadExpirationEnabled: true },
})

/** Forgets executions past their retention, of whatever type. */
const actions = createDocumentActions({ database, outbox, config: config.documentActions, types: [] })

/** Wakes snoozed tasks, expires notifications and prunes what is over, of whatever definition. */
const workCenter = createWorkCenter({
  ...{ database, outbox, config: config.workCenter },
  definitions: [],
  eventHandlers: [],
  identity: { administratorRoleCodes: ['admin'] },
})

// Without outbox.processing, realtime and identity: those belong to the hosts that serve the API.
const modules = [outbox, attachments, actions, workCenter]
const host = await startBackgroundHost({ database, modules, logger })
process.once('SIGTERM', () => void host.close())
console.log('ready background')
