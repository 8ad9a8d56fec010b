import type { AuditSource, KitModule } from '@vertical-kit/core-audit'
import type { Database, MigrationPack } from '@vertical-kit/core-audit/database'
import type { KitEnv } from '@vertical-kit/core-audit/http'
import type { Outbox } from '@vertical-kit/core-audit/outbox'
import { Hono } from 'hono'
import { TradeActionsError } from './actions/errors.ts'
import { catalogTypes } from './catalogs/catalog-types.ts'
import { CatalogsError } from './catalogs/errors.ts'
import { catalogRoutes, unknownCatalogRoutes } from './catalogs/routes.ts'
import { knownMetadata } from './documents/audit.ts'
import { documentTypes } from './documents/document-types.ts'
import { DocumentsError } from './documents/errors.ts'
import { documentRoutes, unknownDocumentRoutes } from './documents/routes.ts'
import { tradePermissions } from './permissions.ts'
import { receivableRoutes } from './receivables/routes.ts'

/** The migrations of the vertical's own tables. The migrations of core-audit must run first. */
export const tradeMigrations: MigrationPack = {
  name: '@vertical-kit/demo-host',
  directory: new URL('../../migrations/', import.meta.url),
}

export interface TradeOptions {
  readonly database: Database
  readonly outbox: Outbox
}

/** The trade module. Its audit source, which is optional in `KitModule`, is always defined. */
export interface Trade extends KitModule {
  readonly auditSource: AuditSource
}

/**
 * Creates the routes for catalogs (customers and items), for drafts (orders, invoices, payments and journal entries), and for
 * the balance of invoices.
 * The actions are not included: pass `tradeDocumentTypes` to `createDocumentActions`.
 */
export function createTrade({ database, outbox }: TradeOptions): Trade {
  const router = new Hono<KitEnv>()
  for (const type of catalogTypes) router.route('/', catalogRoutes(database, type))
  for (const type of documentTypes) router.route('/', documentRoutes(database, outbox, type))
  router.route('/', receivableRoutes(database))
  router.route('/', unknownCatalogRoutes())
  router.route('/', unknownDocumentRoutes())
  return {
    name: tradeMigrations.name,
    router,
    permissions: tradePermissions,
    errors: [CatalogsError, DocumentsError, TradeActionsError],
    migrations: tradeMigrations,
    // Every reader of an object's timeline can see all trade events of that object.
    auditSource: { module: 'trade', isVisibleTo: () => true, metadataFor: knownMetadata },
  }
}
