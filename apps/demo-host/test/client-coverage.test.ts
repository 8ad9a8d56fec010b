import { type Client, createClient } from '@vertical-kit/ui-client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type OpenDemo, openDemo } from './demo-process.ts'

let demo: OpenDemo
let described: readonly string[]

beforeAll(async () => {
  demo = await openDemo()
  const { paths } = await createClient({ baseUrl: demo.url }).system.description()
  described = Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  )
})
afterAll(() => demo?.close())

const id = '019a0000-0000-7000-8000-000000000000'
const target = { kind: 'Document', typeCode: 'trade.sales_invoice', id } as const
const document = { typeCode: 'trade.sales_invoice', id }
const action = { ...document, actionCode: 'post', expectedVersion: 1 }
const substitution = { userId: id, fromUtc: '2026-01-01T00:00:00Z', untilUtc: '2026-01-02T00:00:00Z' }
const roleTexts = { code: 'a', name: 'A', description: '' }
const letters = { eventId: id, reason: 'repaired' }
const item = { id, version: 1 }
const to = { roleCode: 'a' }

type Call = (client: Client) => Promise<unknown>

/** The calls that reach each endpoint. */
const calls: Readonly<Record<string, readonly Call[]>> = {
  'GET /api/features': [(c) => c.features.list()],
  'GET /api/security/me/access': [(c) => c.me.access()],
  'GET /api/security/permissions': [(c) => c.security.permissions()],
  'GET /api/security/roles': [(c) => c.security.roles()],
  'POST /api/security/roles': [(c) => c.security.createRole({ ...roleTexts, permissions: [] })],
  'GET /api/security/roles/{id}': [(c) => c.security.role(id)],
  'PUT /api/security/roles/{id}': [(c) => c.security.updateRole(id, roleTexts)],
  'PUT /api/security/roles/{id}/permissions': [(c) => c.security.setRolePermissions(id, [])],
  'POST /api/security/roles/{id}/deactivate': [(c) => c.security.deactivateRole(id)],
  'POST /api/security/roles/{id}/reactivate': [(c) => c.security.reactivateRole(id)],
  'GET /api/security/users': [(c) => c.security.users({ q: 'a' })],
  'POST /api/security/users': [
    (c) => c.security.invite({ subject: 'a', email: null, displayName: 'A', roleIds: [] }),
  ],
  'GET /api/security/users/{id}': [(c) => c.security.user(id)],
  'PUT /api/security/users/{id}/roles': [(c) => c.security.setUserRoles(id, [])],
  'POST /api/security/users/{id}/deactivate': [(c) => c.security.deactivateUser(id)],
  'POST /api/security/users/{id}/reactivate': [(c) => c.security.reactivateUser(id)],
  'GET /api/security/users/{id}/substitution': [(c) => c.team.substitutionOf(id).get()],
  'PUT /api/security/users/{id}/substitution': [(c) => c.team.substitutionOf(id).set(substitution)],
  'DELETE /api/security/users/{id}/substitution': [(c) => c.team.substitutionOf(id).end()],
  'GET /api/system/outbox': [(c) => c.outbox.state()],
  'GET /api/system/outbox/dead-letters': [(c) => c.outbox.deadLetters()],
  'GET /api/system/outbox/events/{id}': [(c) => c.outbox.event(id)],
  'POST /api/system/outbox/events/{id}/retry': [(c) => c.outbox.retry(letters)],
  'POST /api/system/outbox/events/{id}/discard': [(c) => c.outbox.discard(letters)],
  'GET /api/audit/events': [
    (c) => c.audit.list({ target }),
    (c) => c.audit.export({ target, format: 'csv' }),
  ],
  'GET /api/audit/search': [(c) => c.audit.search(), (c) => c.audit.export({ format: 'ndjson' })],
  'GET /api/business-objects/activity': [(c) => c.businessObjects.activity({ target })],
  'GET /api/business-objects/content-summary': [(c) => c.businessObjects.contentSummary(target)],
  'POST /api/business-objects/content-summaries': [(c) => c.businessObjects.contentSummaries([target])],
  'GET /api/business-objects/watch': [(c) => c.businessObjects.isWatching(target)],
  'PUT /api/business-objects/watch': [(c) => c.businessObjects.watch(target)],
  'DELETE /api/business-objects/watch': [(c) => c.businessObjects.unwatch(target)],
  'GET /api/attachments': [(c) => c.attachments.list({ target })],
  'POST /api/attachments/uploads': [
    (c) => c.attachments.reserve({ target, fileName: 'a', contentType: 'text/plain', sizeBytes: 1 }),
  ],
  'GET /api/attachments/{id}/parts': [(c) => c.attachments.listParts(id)],
  'POST /api/attachments/{id}/parts': [(c) => c.attachments.signParts({ id, partNumbers: [1] })],
  'POST /api/attachments/{id}/complete': [(c) => c.attachments.complete(id)],
  'POST /api/attachments/{id}/download': [(c) => c.attachments.download(id)],
  'POST /api/attachments/{id}/audit-download': [(c) => c.attachments.auditDownload(id)],
  'DELETE /api/attachments/{id}': [(c) => c.attachments.delete(id)],
  'GET /api/notes': [(c) => c.notes.list({ target })],
  'GET /api/notes/mentionable': [(c) => c.notes.mentionable({ target })],
  'POST /api/notes': [(c) => c.notes.create({ target, text: 'a' })],
  'PUT /api/notes/{id}': [(c) => c.notes.update({ id, text: 'a', version: 1 })],
  'DELETE /api/notes/{id}': [(c) => c.notes.delete({ id, version: 1 })],
  'GET /api/documents/{documentType}/{id}/editor-state': [(c) => c.documents.editorState(document)],
  'GET /api/documents/{documentType}/{id}/effects': [(c) => c.documents.effects(document)],
  'GET /api/documents/{documentType}/{id}/related': [(c) => c.documents.related(document)],
  'POST /api/documents/{documentType}/{id}/actions/{actionCode}': [
    (c) => c.documents.execute({ ...action, idempotencyKey: 'a' }),
    (c) => c.documents.dryRun(action),
  ],
  'POST /api/documents/{documentType}/actions/{actionCode}/batch': [
    (c) => c.documents.executeBatch({ ...action, items: [], idempotencyKey: 'a' }),
  ],
  'GET /api/documents/{documentType}/{id}/actions/{actionCode}/who': [
    (c) => c.documents.who(document, 'post'),
  ],
  'GET /api/work-center/summary': [(c) => c.workCenter.summary()],
  'GET /api/work-center/items': [(c) => c.workCenter.items()],
  'POST /api/work-center/batch': [(c) => c.workCenter.batch({ verb: 'read', items: [] })],
  'POST /api/work-center/read-all': [
    (c) => c.workCenter.readAll({ tab: 'tasks', filters: {}, through: 'a' }),
  ],
  'POST /api/work-center/notifications/{id}/read': [(c) => c.workCenter.readNotification(id)],
  'POST /api/work-center/notifications/{id}/unread': [(c) => c.workCenter.unreadNotification(id)],
  'POST /api/work-center/notifications/{id}/dismiss': [(c) => c.workCenter.dismissNotification(id)],
  'POST /api/work-center/notifications/{id}/restore': [(c) => c.workCenter.restoreNotification(id)],
  'POST /api/work-center/tasks/{id}/read': [(c) => c.workCenter.readTask(id)],
  'POST /api/work-center/tasks/{id}/unread': [(c) => c.workCenter.unreadTask(id)],
  'POST /api/work-center/tasks/{id}/claim': [(c) => c.workCenter.claimTask(id, 1)],
  'POST /api/work-center/tasks/{id}/release': [(c) => c.workCenter.releaseTask(id, 1)],
  'POST /api/work-center/tasks/{id}/snooze': [(c) => c.workCenter.snoozeTask(id, null)],
  'POST /api/work-center/tasks/{id}/forward': [(c) => c.team.forward(item, { to, comment: null })],
  'GET /api/work-center/tasks/{id}/recipients': [(c) => c.team.recipients(id)],
  'GET /api/work-center/team': [(c) => c.team.tasks()],
  'GET /api/work-center/team/users': [(c) => c.team.holders()],
  'POST /api/work-center/team/tasks/{id}/assign': [(c) => c.team.assign(item, to)],
  'GET /api/me/substitution': [(c) => c.team.substitution.get()],
  'PUT /api/me/substitution': [(c) => c.team.substitution.set(substitution)],
  'DELETE /api/me/substitution': [(c) => c.team.substitution.end()],
  'GET /api/me/substitution/users': [(c) => c.team.substitutes()],
  'GET /api/me/notification-preferences': [(c) => c.me.preferences()],
  'PUT /api/me/notification-preferences': [(c) => c.me.setPreferences([])],
  'GET /api/me/mail-settings': [(c) => c.me.mailSettings()],
  'PUT /api/me/mail-settings': [
    (c) =>
      c.me.setMailSettings({ digestAt: null, quietFrom: null, quietUntil: null, timeZone: 'UTC' } as never),
  ],
}

/** The endpoints without a call of their own, with the reason. */
const exceptions: readonly { readonly matches: RegExp; readonly reason: string }[] = [
  {
    matches:
      /^\w+ \/api\/((catalogs|documents)\/(trade\.\w+|general_journal_entry)(\/\{id\}(\/\w+)?)?|receivables)$/,
    reason: 'belongs to the vertical, which calls it with client.request',
  },
  {
    matches: /^POST \/api\/documents\/\{documentType\}\/\{id\}\/[a-z-]+$/,
    reason: 'is deprecated: documents.execute does the same',
  },
  {
    matches: /^POST \/hubs\/work-center\/negotiate$/,
    reason: 'belongs to the connection that realtimeStore opens',
  },
]

/** The endpoints that the client reaches outside of the OpenAPI document, which describes only the API. */
const outside = ['system.health', 'system.description']

/** Runs a call with a client that sends nothing. Returns the requests, and the names of the client's methods. */
async function requestsOf(call: Call) {
  const requests: string[] = []
  const methods = new Set<string>()
  const client = createClient({
    baseUrl: 'http://service',
    fetch: async (input, init) => {
      requests.push(`${init?.method} ${new URL(String(input)).pathname}`)
      return new Response('{}', { headers: { 'Content-Type': 'application/json' } })
    },
  })
  await call(recording(client, '', methods))
  return { requests, methods }
}

/** Returns a copy of an API in which each method records its name. */
function recording<T extends object>(api: T, prefix: string, methods: Set<string>): T {
  return Object.fromEntries(
    Object.entries(api).map(([name, part]) => {
      if (typeof part === 'object' && part !== null)
        return [name, recording(part, `${prefix}${name}.`, methods)]
      if (typeof part !== 'function') return [name, part]
      return [
        name,
        (...input: unknown[]) => {
          methods.add(prefix + name)
          return Reflect.apply(part, api, input)
        },
      ]
    }),
  ) as T
}

const methodNames = (api: object, prefix = ''): readonly string[] =>
  Object.entries(api).flatMap(([name, part]) => {
    if (typeof part === 'object' && part !== null) return methodNames(part, `${prefix}${name}.`)
    return typeof part === 'function' && prefix !== '' ? [prefix + name] : []
  })

const matches = (operation: string, request: string): boolean =>
  new RegExp(`^${operation.replaceAll('.', String.raw`\.`).replace(/\{\w+\}/g, '[^/]+')}$`).test(request)

test('the client has a call for every endpoint of the API, except for those with a reason', () => {
  const missing = described.filter(
    (operation) => calls[operation] === undefined && !exceptions.some((one) => one.matches.test(operation)),
  )
  expect(missing).toEqual([])
  expect(Object.keys(calls).filter((operation) => !described.includes(operation))).toEqual([])
  const unused = exceptions.filter((one) => !described.some((operation) => one.matches.test(operation)))
  expect(unused).toEqual([])
})

test.each(Object.entries(calls))('the calls for %s send this request', async (operation, list) => {
  for (const call of list) {
    const { requests } = await requestsOf(call)
    expect(requests).toHaveLength(1)
    expect(matches(operation, requests[0] ?? '')).toBe(true)
  }
})

test('every method of the client reaches an endpoint of this list', async () => {
  const used = new Set(outside)
  for (const call of Object.values(calls).flat()) {
    for (const method of (await requestsOf(call)).methods) used.add(method)
  }
  const unreachable = methodNames(createClient()).filter((method) => !used.has(method))
  expect(unreachable).toEqual([])
})
