import { randomUUID } from 'node:crypto'
import type { DocumentReference } from '../actions.ts'
import { execute } from '../actions.ts'
import { expectAnswer } from '../answers.ts'
import { type Check, permitted, seen } from './callers.ts'
import type { Endpoint } from './endpoints.ts'
import { journal, payment, sales } from './trade-bodies.ts'
import type { World } from './world.ts'

const document = '/api/documents/{documentType}/{id}'

/** All document types. `view` is the right to view documents, and `make` returns the body of a draft that can be posted. */
const types = [
  { typeCode: 'trade.sales_order', view: 'view trade', make: sales },
  { typeCode: 'trade.sales_invoice', view: 'view invoices', make: sales },
  { typeCode: 'trade.customer_payment', view: 'view trade', make: payment },
  { typeCode: 'general_journal_entry', view: 'view trade', make: journal },
] as const

type Type = (typeof types)[number]

const seenAs = ({ view }: Type): Check => seen(view, 'documents.not_found')
/** The check that refuses callers without the right to execute actions. These callers can still view the document. */
const allowed: Check = { right: 'act on trade', refusal: '403 document_action.forbidden' }

async function fresh(world: World, { typeCode, make }: Type): Promise<DocumentReference> {
  const { id } = await world.make(`/api/documents/${typeCode}`, make(world))
  return { typeCode, id }
}

/** Executes actions on a document as the clerk and returns the new version of the document. */
async function prepare(world: World, of: DocumentReference, actionCodes: readonly string[]): Promise<number> {
  for (const [index, code] of actionCodes.entries()) {
    await expectAnswer(execute(world.as('clerk'), of, code, { expectedVersion: index + 1 }), 200)
  }
  return actionCodes.length + 1
}

const read = (what: 'editor-state' | 'effects' | 'related'): readonly Endpoint[] =>
  types.map((type) => ({
    operation: `GET ${document}/${what}`,
    situation: `for ${type.typeCode}`,
    checks: [seenAs(type)],
    success: 200,
    async call(world) {
      const { typeCode, id } = await fresh(world, type)
      return { path: `/api/documents/${typeCode}/${id}/${what}` }
    },
  }))

interface Step {
  readonly code: string
  /** The actions that must run before this action is enabled. */
  readonly after: readonly string[]
  readonly body?: object
}

/** Returns the path of an action below the path of its document, for example `actions/trade.write_off` or `post`. */
type AddressOf = (code: string) => string

function executed(type: Type, operation: string, step: Step, addressOf: AddressOf): Endpoint {
  return {
    operation: `POST ${document}/${operation}`,
    situation: `for ${step.code} on ${type.typeCode}`,
    checks: [seenAs(type), allowed],
    success: 200,
    async call(world) {
      const of = await fresh(world, type)
      const expectedVersion = await prepare(world, of, step.after)
      return {
        path: `/api/documents/${of.typeCode}/${of.id}/${addressOf(step.code)}`,
        headers: { 'Idempotency-Key': randomUUID() },
        body: { expectedVersion, ...step.body },
      }
    },
  }
}

/** A dry run has the checks of its action, but needs no key. */
const dryRun: Endpoint = {
  operation: `POST ${document}/actions/{actionCode}`,
  situation: 'as a dry run',
  checks: [seenAs(types[1]), allowed],
  success: 200,
  async call(world) {
    const { typeCode, id } = await fresh(world, types[1])
    return { path: `/api/documents/${typeCode}/${id}/actions/post?dryRun=true`, body: { expectedVersion: 1 } }
  },
}

const who: Endpoint = {
  operation: `GET ${document}/actions/{actionCode}/who`,
  checks: [seenAs(types[1]), permitted('administer')],
  success: 200,
  async call(world) {
    const { typeCode, id } = await fresh(world, types[1])
    return { path: `/api/documents/${typeCode}/${id}/actions/post/who` }
  },
}

const batch: Endpoint = {
  operation: 'POST /api/documents/{documentType}/actions/{actionCode}/batch',
  checks: [seenAs(types[1]), allowed],
  success: 200,
  async call(world) {
    const { typeCode, id } = await fresh(world, types[1])
    return {
      path: `/api/documents/${typeCode}/actions/post/batch`,
      headers: { 'Idempotency-Key': randomUUID() },
      body: { items: [{ id, expectedVersion: 1 }] },
    }
  },
}

const lifecycle: readonly Step[] = [
  { code: 'post', after: [] },
  { code: 'unpost', after: ['post'] },
  { code: 'repost', after: ['post'] },
  { code: 'mark_for_deletion', after: [] },
  { code: 'unmark_for_deletion', after: ['mark_for_deletion'] },
]

const custom: Readonly<Partial<Record<Type['typeCode'], readonly Step[]>>> = {
  'trade.sales_order': [{ code: 'trade.create_invoice', after: ['post'] }],
  'trade.sales_invoice': [{ code: 'trade.write_off', after: ['post'], body: { reason: 'Lost' } }],
  'trade.customer_payment': [
    { code: 'trade.apply_payment', after: ['post'], body: { payload: { amount: '0.01' } } },
  ],
}

/** The endpoints that list and execute actions on documents. Lifecycle actions have two paths, and both are called. */
export const documentEndpoints: readonly Endpoint[] = [
  ...read('editor-state'),
  ...read('effects'),
  ...read('related'),
  who,
  dryRun,
  batch,
  ...types.flatMap((type) => [
    ...[...lifecycle, ...(custom[type.typeCode] ?? [])].map((step) =>
      executed(type, 'actions/{actionCode}', step, (code) => `actions/${code}`),
    ),
    ...lifecycle.map((step) => {
      const address = step.code.replaceAll('_', '-')
      return executed(type, address, step, () => address)
    }),
  ]),
]
