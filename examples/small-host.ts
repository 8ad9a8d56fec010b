/** A host with one type of document, one action and one task: posted requests for leave wait for a manager. */
import { auditTimeline, type KitModule, newId } from '@vertical-kit/core-audit'
import { requirePermission } from '@vertical-kit/core-audit/access'
import { Id } from '@vertical-kit/core-audit/contract'
import { createDatabase, migrate, readDatabaseConfig } from '@vertical-kit/core-audit/database'
import { createLogger, readConfiguration, startHost } from '@vertical-kit/core-audit/host'
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

const typeCode = 'staff.leave'
const store = documents.genericDocumentStore
const steps = documents.lifecycleActions({ post: {} })
const leave = documents.documentType({ typeCode, plural: 'requests for leave', store, actions: steps })

const [code, title, roleCode] = ['staff.decide_on_leave', 'Decide on leave', 'staff.manager']
const words = { displayName: title, category: 'Staff', description: 'Somebody asks for leave.' }
const decide = work.defineTask({ code, ...words, roleCodes: [roleCode] })
const resource = { resourceKind: 'document', resourceCode: typeCode }
const whenPosted = work.definePolicy({
  eventType: documents.actionCompletedType,
  data: v.object({ documentId: Id }),
  handle(inbox, { data: { documentId: entityId } }) {
    const source = { ...resource, entityId, title: 'Leave', subtitle: null }
    inbox.createTask(code, { deduplicationKey: entityId, title, source, assignedTo: { roleCode } })
  },
})

const [view, create] = [`document.${typeCode}.view`, `document.${typeCode}.create`]
const about = { displayName: 'Requests for leave', group: 'Staff', description: 'What staff asks for.' }
const permissions = [view, create].map((permission) => ({ permission, ...about }))
const staff: KitModule = { name: 'staff', permissions }
const actions = documents.createDocumentActions({
  database,
  outbox,
  config: config.documents,
  types: [leave],
})
const views = { database, businessObjects: createBusinessObjects([]), modules: [staff, actions] }
const modules = [...views.modules, auditTimeline(views)]
const tokens = oidcTokens(config.oidc)
const identity = createIdentity({ database, outbox, modules, tokens, administratorRoleCodes: [] })
const definitions = work.createDefinitionRegistry([decide])
const inbox = { database, outbox, identity, config: config.work, definitions, policies: [whenPosted] }
const all = [identity, ...modules, outbox, work.createWorkCenter(inbox), outbox.processing]

await migrate({ databaseUrl: config.database.url, packs: all.flatMap(({ migrations }) => migrations ?? []) })
const roles = [{ code: roleCode, name: 'Manager', permissions: [view] }]
const users = [{ subject: 'max', displayName: 'Max', roleCodes: [roleCode] }]
const host = await startHost({
  ...{ title: 'Staff', database, authenticate: identity.authenticate, modules: all },
  logger: createLogger({ level: 'info' }),
  server: { host: '127.0.0.1', port: 0 },
  prepare: (tx) => identity.seedAccess(tx, { roles, users }),
  mount(app) {
    app.post('/api/leave', async (c) => {
      requirePermission(c.get('caller'), create)
      const fields = parseRequest(v.object({ days: v.number() }), await c.req.json())
      const draft = { id: newId(), typeCode, number: newId(), display: 'Leave', fields }
      return c.json(await database.transaction((tx) => documents.createDocument(tx, draft)), 201)
    })
  },
})
process.once('SIGTERM', () => void host.close())
console.log(`ready ${host.url}`)
