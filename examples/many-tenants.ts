/**
 * One process for many tenants. Each tenant has its own database and its own host name, such as `acme.example.com`. Tenants
 * open at their first request and close when they are idle.
 */
import { auditTimeline } from '@vertical-kit/core-audit'
import { holds } from '@vertical-kit/core-audit/access'
import { readDatabaseConfig } from '@vertical-kit/core-audit/database'
import {
  contentSummary,
  createLogger,
  readConfiguration,
  readLogLevel,
  readMetricsConfig,
  readServerConfig,
  readTenantsConfig,
  runHost,
  startTenants,
  type TenantOptions,
  type TenantParts,
} from '@vertical-kit/core-audit/host'
import { createIdentity, oidcTokens, readOidcConfig } from '@vertical-kit/core-audit/identity'
import { createBusinessObjects } from '@vertical-kit/core-audit/objects'
import { createOutbox, readOutboxConfig } from '@vertical-kit/core-audit/outbox'
import { createFeatureFlags, readFeatures } from '@vertical-kit/feature-flags'
import { createNotes, notesFeature, readNotesConfig } from '@vertical-kit/notes'
import { sql } from 'drizzle-orm/sql'

/** Reads the configuration of the process. All tenants share it. */
const readConfig = () =>
  readConfiguration(process.env, (env) => ({
    ids: env.required('TENANTS').split(','),
    database: readDatabaseConfig(env),
    oidc: readOidcConfig(env),
    outbox: readOutboxConfig(env),
    features: readFeatures(env, [notesFeature]),
    notes: readNotesConfig(env),
    tenants: readTenantsConfig(env),
    server: readServerConfig(env),
    metrics: readMetricsConfig(env),
    logLevel: readLogLevel(env),
  }))
type Config = ReturnType<typeof readConfig>

/** The databases of all tenants are on one server. Each has the name of its tenant. */
function databaseOf(config: Config, id: string) {
  const { readUrl: _read, directUrl: _direct, ...database } = config.database
  const url = Object.assign(new URL(database.url), { pathname: `/${id}` }).href
  return { ...database, url, applicationName: `shop-${id}` }
}

const view = 'catalog.shop.product.view'
const about = { displayName: 'View products', group: 'Shop', description: 'Read products.' }
const products = { name: 'shop-products', permissions: [{ permission: view, ...about }] }

/** Composes one tenant. It runs again each time the tenant opens. */
function openTenant(config: Config, { id, database }: TenantParts): TenantOptions {
  const outbox = createOutbox({ database, config: config.outbox })
  const features = createFeatureFlags(config.features)
  const businessObjects = createBusinessObjects([
    {
      kind: 'CatalogItem',
      typeCodes: ['shop.product'],
      async isReadable(db, caller, { id }) {
        if (!holds(caller, view)) return false
        return (await db.execute(sql`select from shop.products where id = ${id}::uuid`)).length > 0
      },
    },
  ])
  const notes = createNotes({ database, businessObjects, features, config: config.notes })
  const views = { database, businessObjects, modules: [features, products, notes] }
  const modules = [...views.modules, contentSummary(views), auditTimeline(views)]
  // Each tenant has an audience of its own, so it refuses the tokens of all others.
  const oidc = { ...config.oidc, audience: `${config.oidc.audience}/${id}` }
  const tokens = oidcTokens(oidc, database.clock)
  const identity = createIdentity({ database, outbox, modules, tokens, administratorRoleCodes: [] })
  const { authenticate } = identity
  return { title: 'Shop', authenticate, modules: [identity, ...modules, outbox, outbox.processing] }
}

await runHost(async () => {
  const config = readConfig()
  const host = await startTenants({
    tenants: new Map(config.ids.map((id) => [id, databaseOf(config, id)])),
    open: (parts) => openTenant(config, parts),
    tenantOf: ({ headers }) => /^([a-z0-9_]+)\.example\.com(:|$)/.exec(headers.host ?? '')?.[1],
    config: config.tenants,
    server: config.server,
    metrics: config.metrics,
    logger: createLogger({ level: config.logLevel }),
  })
  console.log(`ready ${host.url}`)
  return host
})
