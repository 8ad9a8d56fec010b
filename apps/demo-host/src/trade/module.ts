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

/** The vertical's own tables. After the kernel's. */
export const tradeMigrations: MigrationPack = {
  name: '@vertical-kit/demo-host',
  directory: new URL('../../migrations/', import.meta.url),
}

/** The trade module, with what the audit timeline takes from it. */
export interface Trade extends KitModule {
  readonly auditSource: AuditSource
}

/**
 * A small vertical: catalogs of customers and items; orders, invoices, payments and journal entries as drafts. What can
 * be done with them is `tradeDocumentTypes`, and goes into `createDocumentActions`.
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
    // Who may read an object's timeline may read what happened to the object itself.
    auditSource: { module: 'trade', isVisibleTo: () => true },
  }
}
