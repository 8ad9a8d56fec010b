/** A server that creates a file itself: it posts an invoice and attaches the PDF of the invoice in one transaction. */
import { attachmentsFeature, createAttachments, readAttachmentsConfig } from '@vertical-kit/attachments'
import {
  auditTimeline,
  brokenConstraint,
  defineErrors,
  type KitModule,
  recordAudit,
  refusal,
} from '@vertical-kit/core-audit'
import { changeAs, holds } from '@vertical-kit/core-audit/access'
import { Id, OneLineText, Target } from '@vertical-kit/core-audit/contract'
import { createDatabase, migrate, readDatabaseConfig } from '@vertical-kit/core-audit/database'
import {
  contentSummary,
  createLogger,
  migrationsOf,
  readConfiguration,
  readLogLevel,
  readMetricsConfig,
  readServerConfig,
  runHost,
  startHost,
} from '@vertical-kit/core-audit/host'
import { api, type KitEnv } from '@vertical-kit/core-audit/http'
import { createIdentity, oidcTokens, readOidcConfig } from '@vertical-kit/core-audit/identity'
import { createBusinessObjects } from '@vertical-kit/core-audit/objects'
import { createOutbox, readOutboxConfig } from '@vertical-kit/core-audit/outbox'
import { createFeatureFlags } from '@vertical-kit/feature-flags'
import { sql } from 'drizzle-orm/sql'
import { Hono } from 'hono'
import * as v from 'valibot'

const typeCode = 'shop.invoice'
const [view, post] = [`document.${typeCode}.view`, `document.${typeCode}.post`]

const ShopError = defineErrors('ShopError', {
  'shop.already_posted': refusal(409, 'An invoice with this id or number was posted before.'),
})

/** Returns a placeholder file. Replace this function with the library that creates your documents. */
const pdfOf = (number: string): Uint8Array =>
  new TextEncoder().encode(`%PDF-1.7\n% Invoice ${number}\n%%EOF\n`)

await runHost(async () => {
  const config = readConfiguration(process.env, (env) => ({
    database: readDatabaseConfig(env),
    oidc: readOidcConfig(env),
    outbox: readOutboxConfig(env),
    attachments: readAttachmentsConfig(env, { isEnabled: true }),
    server: readServerConfig(env),
    metrics: readMetricsConfig(env),
    logLevel: readLogLevel(env),
  }))
  const database = createDatabase(config.database)
  const outbox = createOutbox({ database, config: config.outbox })
  const values = new Map([[attachmentsFeature.code, true]])
  const features = createFeatureFlags({ definitions: [attachmentsFeature], values })

  const businessObjects = createBusinessObjects([
    {
      kind: 'Document',
      typeCodes: [typeCode],
      async isReadable(db, caller, { id }) {
        if (!holds(caller, view)) return false
        return (await db.execute(sql`select from shop.invoices where id = ${id}::uuid`)).length > 0
      },
    },
  ])
  const attachments = createAttachments({ database, businessObjects, features, config: config.attachments })

  const invoices: KitModule = {
    name: 'shop-invoices',
    auditSource: { module: 'shop', isVisibleTo: () => true },
    errors: [ShopError],
    permissions: [view, post].map((permission) => ({
      ...{ permission, displayName: permission, group: 'Shop', description: 'Invoices.' },
    })),
    router: new Hono<KitEnv>().post(
      '/api/invoices/post',
      api({
        ...{ operationId: 'postInvoice', tag: 'Invoices', summary: 'Posts an invoice and attaches its PDF.' },
        permission: post,
        body: v.object({ id: Id, number: v.pipe(OneLineText, v.minLength(1), v.maxLength(50)) }),
        responses: { 201: { description: 'The PDF', schema: v.object({ id: v.string(), target: Target }) } },
        errors: ['shop.already_posted'],
      }),
      async (c) => {
        const { id, number } = c.req.valid('json')
        const target = { kind: 'Document', typeCode, id } as const
        // A client can repeat its request after a lost answer. Refuse it before it stores a second file.
        const posted = await database.read((db) =>
          db.execute(sql`select from shop.invoices where id = ${id}::uuid or number = ${number}`),
        )
        if (posted.length > 0) throw new ShopError('shop.already_posted')
        // Upload the file before the transaction starts, so no database connection waits for a slow store.
        const fileName = `${number}.pdf`
        const stored = await attachments.store({
          fileName,
          contentType: 'application/pdf',
          body: pdfOf(number),
        })
        const posting = changeAs(database, c.var, async (tx, actor) => {
          await tx.execute(sql`insert into shop.invoices (id, number) values (${id}::uuid, ${number})`)
          await recordAudit(tx, {
            ...{ module: 'shop', target, actionCode: 'invoices.posted' },
            ...{ actorUserId: actor.userId, correlationId: actor.correlationId },
          })
          // The caller needs the right to post, but no right to upload, because the system attaches the file.
          return attachments.attach(tx, stored, { as: 'system', actor, target })
        })
        const attachment = await posting.catch((error: unknown) => {
          // Another request posted the invoice in the meantime.
          const isPosted = /^invoices_(pkey|number_key)$/.test(brokenConstraint(error) ?? '')
          throw isPosted ? new ShopError('shop.already_posted', { cause: error }) : error
        })
        return c.json(attachment, 201)
      },
    ),
  }

  const parts = [features, invoices, attachments]
  const views = { database, businessObjects, modules: parts }
  const modules = [...parts, contentSummary(views), auditTimeline(views)]
  const tokens = oidcTokens(config.oidc, database.clock)
  const identity = createIdentity({ database, outbox, modules, tokens, administratorRoleCodes: [] })
  const all = [identity, ...modules, outbox]

  const { directUrl: databaseUrl, password } = config.database
  await migrate({ databaseUrl, password, packs: migrationsOf(all) })
  const biller = { code: 'shop.biller', name: 'Biller', permissions: [view, post, 'system.attachments.read'] }
  const users = [{ subject: 'bill', displayName: 'Bill', roleCodes: [biller.code] }]
  const host = await startHost({
    ...{ title: 'Shop', database, authenticate: identity.authenticate, modules: all },
    logger: createLogger({ level: config.logLevel }),
    server: config.server,
    metrics: config.metrics,
    prepare: (tx) => identity.seedAccess(tx, { roles: [biller], users }),
  })
  console.log(`ready ${host.url}`)
  return host
})
