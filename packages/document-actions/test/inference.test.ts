import { newId } from '@vertical-kit/core-audit'
import type { Tx } from '@vertical-kit/core-audit/database'
import {
  type ActionExecution,
  createDocument,
  type DocumentStore,
  type DocumentType,
  type DocumentUpdate,
  documentType,
  genericDocumentStore,
  type StoredDocument,
} from '@vertical-kit/document-actions'
import * as v from 'valibot'
import { expectTypeOf, test } from 'vitest'

const LeaseFields = v.object({ tenant: v.string(), rent: v.pipe(v.string(), v.trim()) })
type LeaseFields = v.InferOutput<typeof LeaseFields>

const RaiseRent = v.strictObject({ rent: v.string() })
type RaiseRent = v.InferOutput<typeof RaiseRent>

const texts = { label: 'Do', description: 'Does it.', icon: 'do', kind: 'Primary', permission: 'do' } as const
const about = { typeCode: 'property.lease', plural: 'leases', store: genericDocumentStore } as const

interface Facts {
  readonly invoiceCount: number
}

const lease = documentType({
  ...about,
  fields: LeaseFields,
  async loadFacts(_db, document) {
    expectTypeOf(document.payload.fields).toEqualTypeOf<LeaseFields>()
    return { invoiceCount: document.version } satisfies Facts
  },
  isVisibleTo(_caller, document) {
    expectTypeOf(document.payload.fields).toEqualTypeOf<LeaseFields>()
    return true
  },
  actions: ({ lifecycle, command, derivation, navigation }) => [
    ...lifecycle({
      post: {
        disabledReasons(facts, document) {
          expectTypeOf(facts.invoiceCount).toEqualTypeOf<number>()
          expectTypeOf(document.payload.fields).toEqualTypeOf<LeaseFields>()
          return []
        },
        async handle(_tx, execution) {
          expectTypeOf(execution.document.payload.fields).toEqualTypeOf<LeaseFields>()
          expectTypeOf(execution.payload).toEqualTypeOf<undefined>()
          return { fields: execution.document.payload.fields }
        },
      },
    }),
    command({
      ...texts,
      code: 'property.raise_rent',
      order: 1,
      payload: RaiseRent,
      disabledReasons(facts) {
        expectTypeOf(facts.invoiceCount).toEqualTypeOf<number>()
        return []
      },
      async handle(_tx, { document, facts, payload }) {
        expectTypeOf(payload).toEqualTypeOf<RaiseRent>()
        expectTypeOf(facts.invoiceCount).toEqualTypeOf<number>()
        return { fields: { ...document.payload.fields, rent: payload.rent } }
      },
    }),
    command({
      ...texts,
      code: 'property.renew',
      order: 2,
      async handle(_tx, { payload, document }) {
        expectTypeOf(payload).toEqualTypeOf<undefined>()
        expectTypeOf(document.payload.fields).toEqualTypeOf<LeaseFields>()
        return undefined
      },
    }),
    derivation({
      ...texts,
      code: 'property.invoice_rent',
      order: 3,
      targetTypeCode: 'property.invoice',
      derive(tx, { document, payload }) {
        expectTypeOf(payload).toEqualTypeOf<undefined>()
        const { rent } = document.payload.fields
        const made = createDocument(tx, { ...draft, type: invoice, fields: { amount: rent } })
        expectTypeOf(made).resolves.toEqualTypeOf<StoredDocument<{ amount: string }>>()
        return made
      },
    }),
    navigation({
      ...texts,
      code: 'property.open_tenant',
      order: 4,
      targetCode: 'property.tenant',
      parametersOf: ({ payload }, facts) => ({
        tenant: payload.fields.tenant,
        count: String(facts.invoiceCount),
      }),
    }),
  ],
})

const draft = { id: newId(), number: '1', display: 'One' }
const invoice = documentType({
  ...about,
  typeCode: 'property.invoice',
  fields: v.object({ amount: v.string() }),
  actions: ({ command }) => [
    command({
      ...texts,
      code: 'property.do',
      order: 1,
      async handle(_tx, { facts }) {
        expectTypeOf(facts).toEqualTypeOf<undefined>()
        return undefined
      },
    }),
  ],
})

test('a document type keeps the types of its fields and can be registered with other document types', () => {
  expectTypeOf(lease).toEqualTypeOf<DocumentType<LeaseFields>>()
  expectTypeOf<[typeof lease, typeof invoice]>().toExtend<readonly DocumentType[]>()
  expectTypeOf(lease.store.find).returns.resolves.toEqualTypeOf<StoredDocument<LeaseFields> | undefined>()
  expectTypeOf(lease.store.lock).returns.resolves.toEqualTypeOf<StoredDocument<LeaseFields> | undefined>()
  expectTypeOf(lease.store.save).parameter(1).toEqualTypeOf<DocumentUpdate<LeaseFields>>()
})

test('a handler with a wrong input or result does not compile', () => {
  const own = { ...texts, code: 'property.do', order: 1 }
  documentType({
    ...about,
    fields: LeaseFields,
    actions: ({ lifecycle, command }) => [
      command({ ...own, payload: RaiseRent, handle: takesRent }),
      // @ts-expect-error: the rent must be text
      command({ ...own, handle: async () => ({ fields: { tenant: 'Tess', rent: 7 } }) }),
      // @ts-expect-error: the tenant is missing
      command({ ...own, handle: async () => ({ fields: { rent: '7.00' } }) }),
      // @ts-expect-error: the handler expects a payload, but the action has no schema
      command({ ...own, handle: takesRent }),
      // @ts-expect-error: the handler expects more properties than the schema returns
      command({ ...own, payload: v.strictObject({}), handle: takesRent }),
      // @ts-expect-error: the package sets the status of a step
      ...lifecycle({ post: { handle: async () => ({ changes: [], status: 'Posted' }) } }),
    ],
  })
})

async function takesRent(_tx: unknown, execution: ActionExecution<LeaseFields, unknown, RaiseRent>) {
  return { fields: { ...execution.document.payload.fields, ...execution.payload } }
}

test('a store with the wrong fields or a rule with the wrong facts does not compile', () => {
  const store: DocumentStore<{ amount: string }> = invoice.store
  // @ts-expect-error: the fields of the store are not the fields of a lease
  documentType({ ...about, fields: LeaseFields, store, actions: () => [] })
  const own = { ...texts, code: 'property.do', order: 1, handle: async () => undefined }
  documentType({
    ...about,
    fields: LeaseFields,
    loadFacts: async () => ({ invoiceCount: 1 }),
    // @ts-expect-error: loadFacts does not return these facts
    actions: ({ command }) => [command({ ...own, disabledReasons: needsBalance })],
  })
})

const needsBalance = (_facts: { readonly balance: string }) => []

test('createDocument accepts only the fields of the document type', () => {
  const create = (tx: Tx) => [
    createDocument(tx, { ...draft, type: invoice, fields: { amount: '1.00' } }),
    // @ts-expect-error: the fields of an invoice do not include a rent
    createDocument(tx, { ...draft, type: invoice, fields: { amount: '1.00', rent: '1.00' } }),
  ]
  expectTypeOf(create).returns.toEqualTypeOf<Promise<StoredDocument<{ amount: string }>>[]>()
})
