/** A host with one document type, one action and one task. When a leave request is posted, the managers receive a task. */
import { auditTimeline, fieldChanges, recordAudit } from '@vertical-kit/core-audit'
import { changeAs, holds } from '@vertical-kit/core-audit/access'
import { createDatabase, migrate, readDatabaseConfig } from '@vertical-kit/core-audit/database'
import {
  createLogger,
  migrationsOf,
  readConfiguration,
  readLogLevel,
  readMetricsConfig,
  readServerConfig,
  runHost,
  startHost,
} from '@vertical-kit/core-audit/host'
import { api } from '@vertical-kit/core-audit/http'
import { createIdentity, oidcTokens, readOidcConfig } from '@vertical-kit/core-audit/identity'
import { createBusinessObjects } from '@vertical-kit/core-audit/objects'
import { createOutbox, readOutboxConfig } from '@vertical-kit/core-audit/outbox'
import * as documents from '@vertical-kit/document-actions'
import * as work from '@vertical-kit/work-center'
import * as v from 'valibot'

const fields = v.object({ days: v.pipe(v.number(), v.minValue(0.5), v.maxValue(366)) })
const leave = documents.documentType({
  ...{ typeCode: 'staff.leave', plural: 'requests for leave' },
  fields,
  store: documents.genericDocumentStore,
  actions: ({ lifecycle }) => lifecycle({ post: {} }),
})
const right = (name: string) => `document.${leave.typeCode}.${name}`
const [view, create, post] = [right('view'), right('create'), right('post')]
const about = { displayName: 'Requests for leave', group: 'Staff', description: 'Leave that staff requests.' }
const staff = {
  name: 'staff',
  permissions: [view, create].map((permission) => ({ permission, ...about })),
  auditSource: { module: 'staff', isVisibleTo: () => true },
}

const employee = { code: 'staff.employee', name: 'Employee', permissions: [view, create, post] }
const manager = { code: 'staff.manager', name: 'Manager', permissions: [view] }
const users = [
  { subject: 'erin', displayName: 'Erin', roleCodes: [employee.code] },
  { subject: 'max', displayName: 'Max', roleCodes: [manager.code] },
]

const title = 'Decide on leave'
const decision = { displayName: title, description: 'A request is waiting.', category: 'Staff' }
const decide = work.defineTask({ ...decision, code: 'staff.decide_on_leave', roleCodes: [manager.code] })
const whenPosted = work.on(documents.actionCompleted, (inbox, { data: { documentId: id, documentType } }) => {
  const from = { resourceKind: 'document', resourceCode: documentType, entityId: id }
  const source = { ...from, title: 'Leave', subtitle: null }
  inbox.sync(decide, id, { title, source, assignedTo: { roleCode: manager.code } })
})

const businessObjects = createBusinessObjects([
  {
    kind: 'Document',
    typeCodes: [leave.typeCode],
    isReadable: async (db, caller, { typeCode, id }) =>
      holds(caller, view) && (await documents.genericDocumentStore.find(db, { typeCode, id })) !== undefined,
  },
])

await runHost(async () => {
  const config = readConfiguration(process.env, (env) => ({
    database: readDatabaseConfig(env),
    oidc: readOidcConfig(env),
    outbox: readOutboxConfig(env),
    documents: documents.readDocumentActionsConfig(env),
    work: work.readWorkCenterConfig(env),
    server: readServerConfig(env),
    metrics: readMetricsConfig(env),
    logLevel: readLogLevel(env),
  }))
  const database = createDatabase(config.database)
  const outbox = createOutbox({ database, config: config.outbox })
  const kit = { database, outbox }
  const actions = documents.createDocumentActions({ ...kit, config: config.documents, types: [leave] })
  const inbox = { config: config.work, definitions: [decide], eventHandlers: [whenPosted] }
  const workCenter = work.createWorkCenter({ ...kit, identity: { administratorRoleCodes: [] }, ...inbox })
  const sources = [staff, actions, workCenter]
  const modules = [...sources, auditTimeline({ database, businessObjects, modules: sources })]
  const tokens = oidcTokens(config.oidc, database.clock)
  const identity = createIdentity({ ...kit, modules, tokens, administratorRoleCodes: [] })
  const all = [identity, ...modules, outbox, outbox.processing]

  const { directUrl: databaseUrl, password } = config.database
  await migrate({ databaseUrl, password, packs: migrationsOf(all) })
  const host = await startHost({
    ...{ title: 'Staff', database, authenticate: identity.authenticate, modules: all },
    ...{ server: config.server, metrics: config.metrics },
    logger: createLogger({ level: config.logLevel }),
    prepare: (tx) => identity.seedAccess(tx, { roles: [employee, manager], users }),
    mount(app) {
      const about = { operationId: 'askForLeave', tag: 'Leave', summary: 'Creates a leave request.' }
      const responses = { 201: { description: 'The draft' } }
      app.post('/api/leave', api({ ...about, permission: create, body: fields, responses }), async (c) => {
        const id = database.newId()
        const fields = c.req.valid('json')
        const draft = { id, type: leave, number: id, display: 'Leave', fields }
        const created = await changeAs(database, c.var, async (tx, { userId, correlationId }) => {
          const document = await documents.createDocument(tx, draft)
          await recordAudit(tx, {
            ...{ module: 'staff', target: { kind: 'Document', typeCode: leave.typeCode, id } },
            ...{ actionCode: 'documents.created', actorUserId: userId, correlationId },
            changes: fieldChanges(null, fields, 'fields.'),
          })
          return document
        })
        return c.json(created, 201)
      })
    },
  })
  console.log(`ready ${host.url}`)
  return host
})
