import type { Body } from '../answers.ts'
import type { Request } from '../demo-process.ts'
import { targetQuery } from '../uploads.ts'
import { attachmentEndpoints } from './attachment-endpoints.ts'
import { type Caller, type Check, parentSeen, permitted, seen } from './callers.ts'
import { documentEndpoints } from './document-endpoints.ts'
import { journal, payment, sales } from './trade-bodies.ts'
import { workCenterEndpoints } from './work-center-endpoints.ts'
import type { World } from './world.ts'

/** What a caller sends. */
interface Call {
  readonly path: string
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

/** One endpoint in one situation: what is sent, what is checked, what it answers when nothing refuses. */
export interface Endpoint {
  /** As in the API description: method, space, path template. */
  readonly operation: string
  /** Tells rows of one operation apart. */
  readonly situation?: string
  readonly checks: readonly Check[]
  readonly success: number
  /** Made anew for every caller: what one changes, the next one must not meet. */
  call(world: World, caller: Caller): Promise<Call> | Call
  /** Puts back what the call changed for everybody. */
  restore?(world: World): Promise<unknown>
}

const anyone: readonly Check[] = []
const administered = [permitted('administer')]

const discovery: readonly Endpoint[] = [
  { operation: 'GET /api/features', checks: anyone, success: 200, call: () => ({ path: '/api/features' }) },
  {
    operation: 'GET /api/security/me/access',
    checks: anyone,
    success: 200,
    call: () => ({ path: '/api/security/me/access' }),
  },
]

const parents = [
  { situation: 'of an invoice', parent: 'invoice', view: 'view invoices' },
  { situation: 'of a customer', parent: 'customer', view: 'view trade' },
  { situation: 'of a journal entry', parent: 'journalEntry', view: 'view trade' },
] as const

/** What names its parent in the request: asked for one parent of each kind. */
const ofParents: readonly Endpoint[] = parents.flatMap(({ situation, parent, view }): Endpoint[] => {
  const query = (world: World, path: string) => ({ path: `${path}?${targetQuery(world[parent])}` })
  return [
    {
      operation: 'GET /api/business-objects/content-summary',
      situation,
      checks: [parentSeen(view)],
      success: 200,
      call: (world) => query(world, '/api/business-objects/content-summary'),
    },
    {
      operation: 'GET /api/attachments',
      situation,
      checks: [permitted('read attachments'), parentSeen(view)],
      success: 200,
      call: (world) => query(world, '/api/attachments'),
    },
    {
      operation: 'POST /api/attachments/uploads',
      situation,
      checks: [permitted('create attachments'), parentSeen(view)],
      success: 201,
      call: (world) => ({
        path: '/api/attachments/uploads',
        body: { target: world[parent], fileName: 'a.txt', contentType: 'text/plain', sizeBytes: 1 },
      }),
    },
    {
      operation: 'GET /api/notes',
      situation,
      checks: [permitted('read notes'), parentSeen(view)],
      success: 200,
      call: (world) => query(world, '/api/notes'),
    },
    {
      operation: 'POST /api/notes',
      situation,
      checks: [permitted('write notes'), parentSeen(view)],
      success: 201,
      call: (world) => ({ path: '/api/notes', body: { target: world[parent], text: 'a note' } }),
    },
    {
      operation: 'GET /api/audit/events',
      situation,
      checks: [parentSeen(view), permitted('view audit')],
      success: 200,
      call: (world) => query(world, '/api/audit/events'),
    },
  ]
})

const notesById: readonly Endpoint[] = [
  {
    operation: 'PUT /api/notes/{id}',
    checks: [permitted('write notes'), seen('view invoices', 'notes.not_found')],
    success: 200,
    call: async (world) => ({
      path: `/api/notes/${(await world.note()).id}`,
      body: { text: 'edited', version: 1 },
    }),
  },
  {
    operation: 'DELETE /api/notes/{id}',
    checks: [permitted('write notes'), seen('view invoices', 'notes.not_found')],
    success: 200,
    call: async (world) => ({ path: `/api/notes/${(await world.note()).id}?version=1` }),
  },
]

const role = (world: World) => ({ code: `test.${world.next()}`, name: 'Test', description: '' })
const rolePath = (world: World, action = '') => ({ path: `/api/security/roles/${world.role.id}${action}` })
const userPath = (world: World, action = '') => ({
  path: `/api/security/users/${world.idleUser.id}${action}`,
})
const administer = (
  operation: string,
  success: number,
  rest: Pick<Endpoint, 'call' | 'restore'>,
): Endpoint => ({
  operation: operation.replace(' /', ' /api/security/'),
  checks: administered,
  success,
  ...rest,
})

const securityTimelines = ['role', 'user'].map(
  (what): Endpoint => ({
    operation: 'GET /api/audit/events',
    situation: `of a ${what}`,
    checks: [permitted('view all audit')],
    success: 200,
    call: ({ role: { id: roleId }, idleUser: { id: userId } }) => {
      const objectId = what === 'role' ? roleId : userId
      const query = new URLSearchParams({ kind: 'Security', typeCode: `security.${what}`, objectId })
      return { path: `/api/audit/events?${query}` }
    },
  }),
)

const security: readonly Endpoint[] = [
  ...securityTimelines,
  administer('GET /permissions', 200, { call: () => ({ path: '/api/security/permissions' }) }),
  administer('GET /roles', 200, { call: () => ({ path: '/api/security/roles' }) }),
  administer('GET /roles/{id}', 200, { call: (world) => rolePath(world) }),
  administer('POST /roles', 201, {
    call: (world) => ({ path: '/api/security/roles', body: { ...role(world), permissions: [] } }),
  }),
  administer('PUT /roles/{id}', 200, { call: (world) => ({ ...rolePath(world), body: role(world) }) }),
  administer('PUT /roles/{id}/permissions', 200, {
    call: (world) => ({ ...rolePath(world, '/permissions'), body: { permissions: ['system.notes.read'] } }),
  }),
  administer('POST /roles/{id}/deactivate', 200, { call: (world) => rolePath(world, '/deactivate') }),
  administer('POST /roles/{id}/reactivate', 200, { call: (world) => rolePath(world, '/reactivate') }),
  administer('GET /users', 200, { call: () => ({ path: '/api/security/users' }) }),
  administer('POST /users', 201, {
    call: (world) => ({
      path: '/api/security/users',
      body: { subject: `test.${world.next()}`, email: null, displayName: 'Test', roleIds: [world.role.id] },
    }),
  }),
  administer('GET /users/{id}', 200, { call: (world) => userPath(world) }),
  administer('PUT /users/{id}/roles', 200, {
    call: (world) => ({ ...userPath(world, '/roles'), body: { roleIds: [world.role.id] } }),
  }),
  administer('POST /users/{id}/deactivate', 200, { call: (world) => userPath(world, '/deactivate') }),
  administer('POST /users/{id}/reactivate', 200, {
    call: (world) => userPath(world, '/reactivate'),
    // The idle user is the demo's inactive one, who has to stay so for the next caller.
    restore: (world) => world.admin('POST', userPath(world, '/deactivate').path),
  }),
]

/** The five routes of one type of the vertical. */
function ofType(path: string, type: { view: 'view invoices' | 'view trade'; make(world: World): object }) {
  const missing = path.startsWith('/api/catalogs') ? 'catalogs.not_found' : 'documents.not_found'
  const view = seen(type.view, missing)
  const change = [view, permitted('change trade')]
  const fresh = async (world: World): Promise<string> =>
    `${path}/${(await world.make(path, type.make(world))).id}`
  return [
    { operation: `GET ${path}`, checks: [view], success: 200, call: () => ({ path }) },
    {
      operation: `POST ${path}`,
      checks: change,
      success: 201,
      call: (world: World) => ({ path, body: type.make(world) }),
    },
    {
      operation: `GET ${path}/{id}`,
      checks: [view],
      success: 200,
      call: async (world: World) => ({ path: await fresh(world) }),
    },
    {
      operation: `PUT ${path}/{id}`,
      checks: change,
      success: 200,
      call: async (world: World) => ({ path: await fresh(world), body: type.make(world) }),
    },
    {
      operation: `DELETE ${path}/{id}`,
      checks: change,
      success: 204,
      call: async (world: World) => ({ path: await fresh(world) }),
    },
  ] satisfies Endpoint[]
}

const trade: readonly Endpoint[] = [
  ...ofType('/api/catalogs/trade.customer', { view: 'view trade', make: () => ({ name: 'A' }) }),
  ...ofType('/api/catalogs/trade.item', { view: 'view trade', make: () => ({ name: 'A' }) }),
  ...ofType('/api/documents/trade.sales_order', { view: 'view trade', make: sales }),
  ...ofType('/api/documents/trade.sales_invoice', { view: 'view invoices', make: sales }),
  ...ofType('/api/documents/trade.customer_payment', { view: 'view trade', make: payment }),
  ...ofType('/api/documents/general_journal_entry', { view: 'view trade', make: journal }),
]

/** Every endpoint of the API. */
export const endpoints: readonly Endpoint[] = [
  ...discovery,
  ...ofParents,
  ...attachmentEndpoints,
  ...notesById,
  ...security,
  ...trade,
  ...documentEndpoints,
  ...workCenterEndpoints,
]

/** The answer in short: `200`, or `404 notes.not_found`. */
export async function answerInShort(request: Request, operation: string, call: Call): Promise<string> {
  const [method = ''] = operation.split(' ')
  const { path, ...options } = call
  const response = await request(method, path, options)
  const text = await response.text()
  const missing = missingHeaders(response)
  if (missing.length > 0) return `${response.status} without ${missing.join(', ')}`
  const { code } = (text === '' ? {} : JSON.parse(text)) as Partial<Body>
  return response.status < 400 ? String(response.status) : `${response.status} ${code}`
}

/** What every answer carries, whatever it says, and this one does not. */
function missingHeaders(response: Response): readonly string[] {
  const expected = {
    'cache-control': /^no-store$/,
    'x-content-type-options': /^nosniff$/,
    'x-request-id': /./,
  }
  return Object.entries(expected)
    .filter(([name, value]) => !value.test(response.headers.get(name) ?? ''))
    .map(([name]) => name)
}
