import type { AuditSource, KitModule } from '@vertical-kit/core-audit'
import type { Database, MigrationPack } from '@vertical-kit/core-audit/database'
import type { KitEnv } from '@vertical-kit/core-audit/http'
import { Hono } from 'hono'
import { TradeActionsError } from './actions/errors.ts'
import { catalogTypes } from './catalogs/catalog-types.ts'
import { CatalogsError } from './catalogs/errors.ts'
import { catalogRoutes, unknownCatalogRoutes } from './catalogs/routes.ts'
import { documentTypes } from './documents/document-types.ts'
import { DocumentsError } from './documents/errors.ts'
import { documentRoutes, unknownDocumentRoutes } from './documents/routes.ts'
import { tradePermissions } from './permissions.ts'

/** The vertical's own tables. Run these migrations after the kernel's. */
export const tradeMigrations: MigrationPack = {
  name: '@vertical-kit/demo-host',
  directory: new URL('../../migrations/', import.meta.url),
}

/** The trade module with its source for the audit timeline. */
export interface Trade extends KitModule {
  readonly auditSource: AuditSource
}

/**
 * Creates a small vertical: catalogs of customers and items, and drafts of orders, invoices, payments and journal entries.
 * The actions are in `tradeDocumentTypes`; pass that to `createDocumentActions`.
 */
export function createTrade({ database }: { readonly database: Database }): Trade {
  const router = new Hono<KitEnv>()
  for (const type of catalogTypes) router.route('/', catalogRoutes(database, type))
  for (const type of documentTypes) router.route('/', documentRoutes(database, type))
  router.route('/', unknownCatalogRoutes())
  router.route('/', unknownDocumentRoutes())
  return {
    name: tradeMigrations.name,
    router,
    permissions: tradePermissions,
    errors: [CatalogsError, DocumentsError, TradeActionsError],
    migrations: tradeMigrations,
    // Readers of an object's timeline can see all trade events of that object.
    auditSource: { module: 'trade', isVisibleTo: () => true },
  }
}
