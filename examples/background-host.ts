/**
 * A host for background jobs. It has no server and no users, and runs only the workers of its modules. Any number of such
 * hosts can run next to API hosts. They share one database, and the API hosts must have migrated it.
 */
import { attachmentsFeature, createAttachments, readAttachmentsConfig } from '@vertical-kit/attachments'
import { createDatabase, readDatabaseConfig } from '@vertical-kit/core-audit/database'
import {
  createLogger,
  readConfiguration,
  readLogLevel,
  readMetricsConfig,
  runHost,
  startBackgroundHost,
} from '@vertical-kit/core-audit/host'
import { createBusinessObjects } from '@vertical-kit/core-audit/objects'
import { createOutbox, readOutboxConfig } from '@vertical-kit/core-audit/outbox'
import { createDocumentActions, readDocumentActionsConfig } from '@vertical-kit/document-actions'
import { createFeatureFlags } from '@vertical-kit/feature-flags'
import { createWorkCenter, readWorkCenterConfig } from '@vertical-kit/work-center'

await runHost(async () => {
  const config = readConfiguration(process.env, (env) => ({
    database: readDatabaseConfig(env),
    outbox: readOutboxConfig(env),
    attachments: readAttachmentsConfig(env, { isEnabled: false }),
    documentActions: readDocumentActionsConfig(env),
    workCenter: readWorkCenterConfig(env),
    metrics: readMetricsConfig(env),
    logLevel: readLogLevel(env),
  }))
  const logger = createLogger({ level: config.logLevel })
  const database = createDatabase(config.database)

  // Deletes events that all consumers have handled.
  const outbox = createOutbox({ database, config: config.outbox })

  // Expires incomplete uploads. This job needs no store, so the attachments feature is off in this host.
  const attachments = createAttachments({
    database,
    businessObjects: createBusinessObjects([]),
    features: createFeatureFlags({ definitions: [attachmentsFeature], values: new Map() }),
    config: { ...config.attachments, isUploadExpirationEnabled: true },
  })

  // Deletes executions of all document types after their retention.
  const actions = createDocumentActions({ database, outbox, config: config.documentActions, types: [] })

  // Ends snoozes, expires notifications and deletes finished items, for all tasks and notifications of the deployment.
  const workCenter = createWorkCenter({
    ...{ database, outbox, config: config.workCenter },
    definitions: [],
    eventHandlers: [],
    identity: { administratorRoleCodes: ['admin'] },
  })

  // This host does not run outbox.processing, realtime and identity, because the API hosts run them.
  const modules = [outbox, attachments, actions, workCenter]
  const host = await startBackgroundHost({ database, modules, logger, metrics: config.metrics })
  console.log('ready background')
  return host
})
