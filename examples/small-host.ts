/** A host with one type of document, one action and one task: posted requests for leave wait for a manager. */
import { auditTimeline, newId } from '@vertical-kit/core-audit'
import { requirePermission } from '@vertical-kit/core-audit/access'
import { createDatabase, migrate, readDatabaseConfig } from '@vertical-kit/core-audit/database'
import { createLogger, migrationsOf, readConfiguration, startHost } from '@vertical-kit/core-audit/host'
import { parseRequest } from '@vertical-kit/core-audit/http'
import { createIdentity, oidcTokens, readOidcConfig } from '@vertical-kit/core-audit/identity'
import { createBusinessObjects } from '@vertical-kit/core-audit/objects'
import { createOutbox, readOutboxConfig } from '@vertical-kit/core-audit/outbox'
import * as documents from '@vertical-kit/document-actions'
import * as work from '@vertical-kit/work-center'
import * as v from 'valibot'

const config = readConfiguration(process.env, (env) => ({
  database: readDatabaseConfig(env),
  oidc: readOidcConfig(env),
  outbox: readOutboxConfig(env),
  documents: documents.readDocumentActionsConfig(env),
  work: work.readWorkCenterConfig(env),
}))
const database = createDatabase(config.database)
const outbox = createOutbox({ database, config: config.outbox })

const leave = documents.documentType({
  typeCode: 'staff.leave',
  plural: 'requests for leave',
  fields: v.object({ days: v.number() }),
  store: documents.genericDocumentStore,
  actions: ({ lifecycle }) => lifecycle({ post: {} }),
})
const [view, create] = [`document.${leave.typeCode}.view`, `document.${leave.typeCode}.create`]
const about = { displayName: 'Requests for leave', group: 'Staff', description: 'What staff asks for.' }
const staff = { name: 'staff', permissions: [view, create].map((permission) => ({ permission, ...about })) }

const manager = { code: 'staff.manager', name: 'Manager', permissions: [view] }
const decide = work.defineTask({
  ...{ code: 'staff.decide_on_leave', displayName: 'Decide on leave', category: 'Staff' },
  description: 'Somebody asks for leave.',
  roleCodes: [manager.code],
})
const whenPosted = work.on(documents.actionCompleted, (inbox, { data: { documentId, documentType } }) => {
  const source = { resourceKind: 'document', resourceCode: documentType, entityId: documentId }
  inbox.sync(decide, documentId, {
    title: decide.displayName,
    source: { ...source, title: 'Leave', subtitle: null },
    assignedTo: { roleCode: manager.code },
  })
})

const types = [leave]
const actions = documents.createDocumentActions({ database, outbox, config: config.documents, types })
const views = { database, businessObjects: createBusinessObjects([]), modules: [staff, actions] }
const modules = [...views.modules, auditTimeline(views)]
const tokens = oidcTokens(config.oidc)
const identity = createIdentity({ database, outbox, modules, tokens, administratorRoleCodes: [] })
const kit = { database, outbox, identity }
const inbox = { config: config.work, definitions: [decide], eventHandlers: [whenPosted] }
const all = [identity, ...modules, outbox, work.createWorkCenter({ ...kit, ...inbox }), outbox.processing]

await migrate({ databaseUrl: config.database.url, packs: migrationsOf(all) })
const users = [{ subject: 'max', displayName: 'Max', roleCodes: [manager.code] }]
const host = await startHost({
  ...{ title: 'Staff', database, authenticate: identity.authenticate, modules: all },
  logger: createLogger({ level: 'info' }),
  server: { host: '127.0.0.1', port: 0 },
  prepare: (tx) => identity.seedAccess(tx, { roles: [manager], users }),
  mount(app) {
    app.post('/api/leave', async (c) => {
      requirePermission(c.get('caller'), create)
      const fields = parseRequest(v.object({ days: v.number() }), await c.req.json())
      const draft = { id: newId(), type: leave, number: newId(), display: 'Leave', fields }
      return c.json(await database.transaction((tx) => documents.createDocument(tx, draft)), 201)
    })
  },
})
process.once('SIGTERM', () => void host.close())
console.log(`ready ${host.url}`)
