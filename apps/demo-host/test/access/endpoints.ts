import type { Body } from '../answers.ts'
import type { Request } from '../demo-process.ts'
import { targetQuery } from '../uploads.ts'
import { attachmentEndpoints } from './attachment-endpoints.ts'
import { type Caller, type Check, permitted, seen, targetSeen } from './callers.ts'
import { documentEndpoints } from './document-endpoints.ts'
import { outboxEndpoints } from './outbox-endpoints.ts'
import { securityEndpoints } from './security-endpoints.ts'
import { journal, payment, sales } from './trade-bodies.ts'
import { workCenterEndpoints } from './work-center-endpoints.ts'
import type { World } from './world.ts'

/** The path and options of a request. */
interface Call {
  readonly path: string
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

/** One endpoint in one situation: the request, the checks, and the status if no check fails. */
export interface Endpoint {
  /** The method and the path template from the OpenAPI document. */
  readonly operation: string
  /** The part of the test title that distinguishes rows with the same operation. */
  readonly situation?: string
  readonly checks: readonly Check[]
  readonly success: number
  /** Creates a new request for every caller, so changes by one caller do not affect the next caller. */
  call(world: World, caller: Caller): Promise<Call> | Call
  /** Reverts the changes of the request that would affect other callers. */
  restore?(world: World): Promise<unknown>
}

const anyone: readonly Check[] = []
const _administered = [permitted('administer')]

const discovery: readonly Endpoint[] = [
  { operation: 'GET /api/features', checks: anyone, success: 200, call: () => ({ path: '/api/features' }) },
  {
    operation: 'GET /api/security/me/access',
    checks: anyone,
    success: 200,
    call: () => ({ path: '/api/security/me/access' }),
  },
]

const targets = [
  { situation: 'for an invoice', target: 'invoice', view: 'view invoices' },
  { situation: 'for a customer', target: 'customer', view: 'view trade' },
  { situation: 'for a journal entry', target: 'journalEntry', view: 'view trade' },
] as const

/** The endpoints with a target in the request. Each endpoint is called with one target of each kind. */
const ofTargets: readonly Endpoint[] = targets.flatMap(({ situation, target, view }): Endpoint[] => {
  const query = (world: World, path: string) => ({ path: `${path}?${targetQuery(world[target])}` })
  return [
    {
      operation: 'GET /api/business-objects/content-summary',
      situation,
      checks: [targetSeen(view)],
      success: 200,
      call: (world) => query(world, '/api/business-objects/content-summary'),
    },
    {
      operation: 'POST /api/business-objects/content-summaries',
      situation,
      checks: anyone,
      success: 200,
      call: (world) => ({
        path: '/api/business-objects/content-summaries',
        body: { targets: [world[target]] },
      }),
    },
    {
      operation: 'GET /api/business-objects/activity',
      situation,
      checks: [targetSeen(view)],
      success: 200,
      call: (world) => query(world, '/api/business-objects/activity'),
    },
    {
      operation: 'GET /api/attachments',
      situation,
      checks: [permitted('read attachments'), targetSeen(view)],
      success: 200,
      call: (world) => query(world, '/api/attachments'),
    },
    {
      operation: 'POST /api/attachments/uploads',
      situation,
      checks: [permitted('create attachments'), targetSeen(view)],
      success: 201,
      call: (world) => ({
        path: '/api/attachments/uploads',
        body: { target: world[target], fileName: 'a.txt', contentType: 'text/plain', sizeBytes: 1 },
      }),
    },
    {
      operation: 'GET /api/notes',
      situation,
      checks: [permitted('read notes'), targetSeen(view)],
      success: 200,
      call: (world) => query(world, '/api/notes'),
    },
    {
      operation: 'GET /api/notes/mentionable',
      situation,
      checks: [permitted('read notes'), targetSeen(view)],
      success: 200,
      call: (world) => query(world, '/api/notes/mentionable'),
    },
    {
      operation: 'GET /api/business-objects/watch',
      situation,
      checks: [targetSeen(view)],
      success: 200,
      call: (world) => query(world, '/api/business-objects/watch'),
    },
    ...(['PUT', 'DELETE'] as const).map((method) => ({
      operation: `${method} /api/business-objects/watch`,
      situation,
      checks: [targetSeen(view)],
      success: 204,
      call: (world: World) => query(world, '/api/business-objects/watch'),
    })),
    {
      operation: 'POST /api/notes',
      situation,
      checks: [permitted('write notes'), targetSeen(view)],
      success: 201,
      call: (world) => ({ path: '/api/notes', body: { target: world[target], text: 'a note' } }),
    },
    {
      operation: 'GET /api/audit/events',
      situation,
      checks: [targetSeen(view), permitted('view audit')],
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

/** Returns the five endpoints of one catalog or document type. */
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
  {
    operation: 'GET /api/documents/trade.sales_invoice/{id}/balance',
    checks: [seen('view invoices', 'documents.not_found')],
    success: 200,
    async call(world) {
      const { id } = await world.make('/api/documents/trade.sales_invoice', sales(world))
      return { path: `/api/documents/trade.sales_invoice/${id}/balance` }
    },
  },
  {
    operation: 'GET /api/documents/trade.customer_payment/{id}/balance',
    checks: [seen('view trade', 'documents.not_found')],
    success: 200,
    async call(world) {
      const { id } = await world.make('/api/documents/trade.customer_payment', payment(world))
      return { path: `/api/documents/trade.customer_payment/${id}/balance` }
    },
  },
  {
    operation: 'GET /api/receivables',
    checks: [seen('view invoices', 'documents.not_found'), permitted('view trade')],
    success: 200,
    call: () => ({ path: '/api/receivables' }),
  },
  ...ofType('/api/documents/trade.customer_payment', { view: 'view trade', make: payment }),
  ...ofType('/api/documents/general_journal_entry', { view: 'view trade', make: journal }),
]

/** All endpoints of the API with their checks. */
export const endpoints: readonly Endpoint[] = [
  ...discovery,
  ...ofTargets,
  ...attachmentEndpoints,
  ...notesById,
  ...securityEndpoints,
  ...trade,
  ...documentEndpoints,
  ...workCenterEndpoints,
  ...outboxEndpoints,
]

/** Sends the request and returns its status, and for a refusal also the code, for example `404 notes.not_found`. */
export async function answerInShort(request: Request, operation: string, call: Call): Promise<string> {
  const [method = ''] = operation.split(' ')
  const { path, ...options } = call
  const response = await request(method, path, options)
  const text = await response.text()
  const missing = missingHeaders(response)
  if (missing.length > 0) return `${response.status} without ${missing.join(', ')}`
  const { code } = ((text === '' ? null : JSON.parse(text)) ?? {}) as Partial<Body>
  return response.status < 400 ? String(response.status) : `${response.status} ${code}`
}

/** Returns the names of required headers that the response does not contain or that have a wrong value. */
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
