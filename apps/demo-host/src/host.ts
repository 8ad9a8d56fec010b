import { createAttachments } from '@vertical-kit/attachments'
import { auditTimeline, objectActivity } from '@vertical-kit/core-audit'
import { createAuditSealing } from '@vertical-kit/core-audit/audit'
import { createDatabase } from '@vertical-kit/core-audit/database'
import {
  contentSummary,
  createLogger,
  type HostOptions,
  type TenantOptions,
  type TenantParts,
} from '@vertical-kit/core-audit/host'
import { createIdentity, oidcTokens } from '@vertical-kit/core-audit/identity'
import { createBusinessObjects } from '@vertical-kit/core-audit/objects'
import { createOutbox } from '@vertical-kit/core-audit/outbox'
import { createDocumentActions } from '@vertical-kit/document-actions'
import { createFeatureFlags } from '@vertical-kit/feature-flags'
import { createNotes, noteMentioned, notesFeature } from '@vertical-kit/notes'
import { createRealtime, createWorkCenter } from '@vertical-kit/work-center'
import { createMail } from '@vertical-kit/work-center/mail'
import type { HostConfig } from './config.ts'
import { administratorRoleCode, demoAccess } from './demo-users.ts'
import { mountPage } from './page/page.ts'
import type { PageFiles } from './page/page-files.ts'
import { TradeActionsError } from './trade/actions/errors.ts'
import { tradeDocumentTypes, tradeNavigationTargets } from './trade/actions/trade-document-types.ts'
import { tradeBusinessObjects } from './trade/business-objects.ts'
import { numberLinker } from './trade/documents/number-linker.ts'
import { createTrade } from './trade/module.ts'
import { tradeDefinitions } from './trade/work-center/definitions.ts'
import { tradeEventHandlers } from './trade/work-center/event-handlers.ts'
import { describeObjects } from './trade/work-center/queries/describe-objects.ts'

/** Creates all modules of the host. The modules connect and run only after `startHost` receives the returned options. */
export function composeHost(config: HostConfig, page?: PageFiles): HostOptions {
  const parts = {
    logger: createLogger({ level: config.logLevel }),
    database: createDatabase(config.database),
  }
  const { server, metrics } = config
  return { ...parts, ...compose(config, parts, page), server, metrics }
}

/** Creates all modules over a database, for a host or for one tenant of a process. */
export function compose(
  config: HostConfig,
  { database, logger }: Omit<TenantParts, 'id'>,
  page?: PageFiles,
): TenantOptions {
  const outbox = createOutbox({ database, config: config.outbox })
  const businessObjects = createBusinessObjects(tradeBusinessObjects, {
    administratorRoleCodes: [administratorRoleCode],
  })
  const features = createFeatureFlags(config.features)

  const actions = createDocumentActions({
    ...{ database, outbox, config: config.documentActions },
    types: tradeDocumentTypes,
    navigationTargets: tradeNavigationTargets,
    handlerErrors: [TradeActionsError],
  })
  const attachments = createAttachments({ database, businessObjects, features, config: config.attachments })
  const notes = createNotes({
    ...{ database, businessObjects, features, outbox, config: config.notes },
    linkers: [numberLinker],
  })
  const trade = createTrade({ database, outbox })
  const workCenter = createWorkCenter({
    ...{ database, outbox, config: config.workCenter },
    identity: { administratorRoleCodes: [administratorRoleCode] },
    definitions: tradeDefinitions,
    channels: config.mail === null ? ['InApp'] : ['InApp', 'Email'],
    eventHandlers: tradeEventHandlers,
    watch: {
      ...{ businessObjects, describe: describeObjects },
      mentioned: noteMentioned,
      offersMentions: features.isEnabled(notesFeature.code),
      modules: [trade, actions, attachments, notes],
    },
    // Realtime needs identity, and identity needs the permissions of this module.
    announce: (versions) => realtime.publish(versions),
  })
  const parts = [features, trade, actions, attachments, notes, workCenter]
  const views = { database, businessObjects, modules: parts }
  const modules = [...parts, contentSummary(views), auditTimeline(views)]

  const identity = createIdentity({
    ...{ database, outbox, modules },
    tokens: oidcTokens(config.oidc, database.clock),
    administratorRoleCodes: [administratorRoleCode],
  })
  const { authenticate } = identity
  const { storeAnchor } = attachments
  const sealing = createAuditSealing({ database, config: config.auditSealing, storeAnchor })
  const realtime = createRealtime({
    ...{ authenticate, database, businessObjects, config: config.realtime, logger },
    databaseUrl: config.database.directUrl,
    databasePassword: config.database.password,
  })
  const mail =
    config.mail === null ? [] : [createMail({ database, identity, workCenter, config: config.mail })]

  const activity = objectActivity({ database, businessObjects, modules: parts })

  return {
    ...{ title: 'Vertical Kit demo', authenticate, rateLimit: config.rateLimit },
    // A host that runs only background jobs omits the last two modules.
    modules: [
      ...[identity, ...modules, sealing, outbox, activity, ...mail],
      ...[realtime, outbox.processing],
    ],
    prepare: (tx) => identity.seedAccess(tx, demoAccess),
    mount(app) {
      if (page === undefined) return
      const objectStore = config.attachments.storage?.publicEndpoint
      mountPage(app, { files: page, issuer: config.oidc.issuer, objectStore })
    },
  }
}
