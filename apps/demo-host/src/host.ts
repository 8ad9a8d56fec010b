import { createAttachments } from '@vertical-kit/attachments'
import {
  createApplication,
  createAuditTimeline,
  createBell,
  createBusinessObjects,
  createContentSummary,
  createDatabase,
  createIdentity,
  createLogger,
  databaseHealth,
  listen,
  startWorkers,
  surviveDriverRejections,
} from '@vertical-kit/core-audit'
import { createDocumentActions } from '@vertical-kit/document-actions'
import { createFeatureFlags } from '@vertical-kit/feature-flags'
import { createNotes } from '@vertical-kit/notes'
import { createRealtime, createWorkCenter } from '@vertical-kit/work-center'
import type { HostConfig } from './config.ts'
import { administratorRoleCode, demoAccess } from './demo-users.ts'
import { mountPage } from './page/page.ts'
import type { PageFiles } from './page/page-files.ts'
import { TradeActionsError } from './trade/actions/errors.ts'
import { tradeDocumentTypes, tradeNavigationTargets } from './trade/actions/trade-document-types.ts'
import { tradeBusinessObjects } from './trade/business-objects.ts'
import { createTrade } from './trade/module.ts'
import { tradeDefinitions } from './trade/work-center/definitions.ts'
import { tradePolicies } from './trade/work-center/policies.ts'

/** A serving host. */
export interface RunningHost {
  readonly url: string
  /**
   * Asks open pages to come back, stops accepting, finishes requests in flight, stops workers between transactions, lets the
   * database go.
   */
  close(): Promise<void>
}

/** What a request in flight gets to finish. With the rest of the way down it stays below the 10 s of a stop. */
const graceMs = 6_000

/**
 * Starts the host over a migrated database, with the page it shows, if any: the whole composition, top to bottom.
 * Rejects, with nothing left behind, when the database cannot be reached or the port is taken.
 */
export async function startHost(config: HostConfig, page?: PageFiles): Promise<RunningHost> {
  const logger = createLogger({ level: config.logLevel })
  const stopSurviving = surviveDriverRejections(logger)
  const database = createDatabase(config.database)
  const businessObjects = createBusinessObjects(tradeBusinessObjects)
  const features = createFeatureFlags(config.features)
  const outboxBell = createBell()

  const trade = createTrade({ database })
  const actions = createDocumentActions({
    database,
    config: config.documentActions,
    types: tradeDocumentTypes,
    navigationTargets: tradeNavigationTargets,
    handlerErrors: [TradeActionsError],
    onEventsCommitted: outboxBell.ring,
  })
  const attachments = createAttachments({ database, businessObjects, features, config: config.attachments })
  const notes = createNotes({ database, businessObjects, features, config: config.notes })
  const summary = createContentSummary({
    database,
    businessObjects,
    counters: [attachments.counter, notes.counter],
  })
  const timeline = createAuditTimeline({
    database,
    businessObjects,
    sources: [trade.auditSource, actions.auditSource, attachments.auditSource, notes.auditSource],
  })
  const granting = [trade, actions, features, attachments, notes, summary, timeline]

  const administratorRoleCodes = [administratorRoleCode]
  const identity = createIdentity({
    database,
    oidc: config.oidc,
    administratorRoleCodes,
    modules: granting,
    onEventsCommitted: outboxBell.ring,
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
    definitions: tradeDefinitions,
    policies: tradePolicies,
    administratorRoleCodes,
    announce: realtime.publish,
    outboxBell,
  })
  const modules = [identity, ...granting, workCenter, realtime]

  const app = createApplication({
    title: 'Vertical Kit demo',
    identity,
    modules,
    logger,
    health: [databaseHealth(database), workCenter.outboxProcessing.health],
  })
  if (page !== undefined) {
    const objectStore = config.attachments.storage?.publicEndpoint
    mountPage(app, { files: page, issuer: config.oidc.issuer, objectStore })
  }

  try {
    await database.transaction((tx) => identity.seedAccess(tx, demoAccess))
    const server = await listen(app, config.server)
    // Two registrations that every API host makes, and a host of background jobs leaves out.
    realtime.start(server.server)
    const outboxProcessing = startWorkers([workCenter.outboxProcessing.worker], logger)
    const workers = startWorkers(
      modules.flatMap((module) => module.workers ?? []),
      logger,
    )
    return {
      url: server.url,
      async close() {
        // All at once, in this order: whoever is asked to come back finds this replica closed, and goes to another.
        await Promise.all([realtime.close(), server.close(graceMs), outboxProcessing.stop(), workers.stop()])
        await database.close()
        stopSurviving()
      },
    }
  } catch (error) {
    await database.close()
    stopSurviving()
    throw error
  }
}
