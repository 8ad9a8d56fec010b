import { defineErrors, newId, refusal } from '@vertical-kit/core-audit'
import type { Db, Tx } from '@vertical-kit/core-audit/database'
import {
  type ActionExecution,
  createDocument,
  type DocumentState,
  type DocumentType,
  documentType,
  genericDocumentStore,
  type StoredDocument,
} from '@vertical-kit/document-actions'
import { sql } from 'drizzle-orm/sql'
import * as v from 'valibot'

/** The errors of the test vertical. */
export const ShopError = defineErrors('ShopError', {
  'shop.closed': refusal<{ opensAt: string }>(409, 'The shop is closed.'),
})

/** The fields of orders and invoices that their actions read. */
const ShopFields = v.looseObject({
  amount: v.optional(v.string()),
  customerId: v.optional(v.string()),
  isSecret: v.optional(v.boolean()),
})
export type ShopFields = v.InferOutput<typeof ShopFields>

/** The facts that decide which actions are available: balance and derived documents. */
export interface ShopFacts {
  readonly balance: string
  readonly derivedCount: number
}

async function loadFacts(db: Db, { id }: DocumentState): Promise<ShopFacts> {
  const [row] = await db.execute<{ balance: string; derived_count: number }>(sql`
    select
      (select coalesce(sum(debit), 0)::text from shop.entries where document_id = ${id}::uuid) as balance,
      (
        select count(*)::int from document_actions.derived_documents where source_id = ${id}::uuid
      ) as derived_count`)
  return { balance: row?.balance ?? '0', derivedCount: row?.derived_count ?? 0 }
}

const amountOf = (document: DocumentState<ShopFields>): string => document.payload.fields.amount ?? '0.00'

/** Writes two balanced entries. With `sign` -1, reverses them. */
export async function enter(
  tx: Tx,
  { document, executionId }: Pick<ActionExecution<ShopFields>, 'document' | 'executionId'>,
  sign: 1 | -1,
): Promise<void> {
  const amount = amountOf(document)
  await tx.execute(sql`
    insert into shop.entries (document_id, execution_id, account, debit, credit)
    values
      (${document.id}::uuid, ${executionId}::uuid, 'receivable', ${sign}::int * ${amount}::numeric, 0),
      (${document.id}::uuid, ${executionId}::uuid, 'revenue', 0, ${sign}::int * ${amount}::numeric)`)
}

/** Creates a draft of a type like the routes of a vertical do. */
export function addDocument(
  tx: Tx,
  typeCode = 'shop.invoice',
  fields: Readonly<Record<string, unknown>> = { amount: '10.00' },
  number?: string,
): Promise<StoredDocument> {
  const type = { typeCode, fields: v.looseObject({}) }
  const display = number === undefined ? `A ${typeCode}` : `Derived ${number}`
  return createDocument(tx, { id: newId(), type, number: number ?? newId(), display, fields })
}

async function nextInvoiceNumber(tx: Tx): Promise<string> {
  const [row] = await tx.execute<{ number: string }>(sql`
    select 'I-' || nextval('shop.invoice_numbers') as number`)
  return row?.number ?? ''
}

const notPosted = {
  code: 'shop.not_posted',
  message: 'Not posted.',
  remedy: { actionCode: 'post', message: 'Post it first.' },
}

/** Hooks that run inside handlers, so tests can throw, wait or observe. */
export interface ShopHooks {
  onExecute?(tx: Tx, execution: ActionExecution<ShopFields, ShopFacts>): Promise<void>
}

/** Returns the types of the shop: orders, which derive invoices, and invoices with every kind of action. */
export function shopTypes(hooks: ShopHooks = {}): readonly DocumentType[] {
  const order = documentType({
    typeCode: 'shop.order',
    plural: 'orders',
    fields: ShopFields,
    store: genericDocumentStore,
    loadFacts,
    actions: ({ lifecycle, derivation }) => [
      ...lifecycle({
        post: {},
        unpost: {},
        mark_for_deletion: {},
        unmark_for_deletion: {},
      }),
      derivation({
        code: 'shop.create_invoice',
        label: 'Create invoice',
        description: 'Creates an invoice for the order.',
        icon: 'invoice',
        kind: 'Primary',
        order: 100,
        targetTypeCode: 'shop.invoice',
        disabledReasons: (facts, document) => [
          ...(document.status === 'Posted' ? [] : [notPosted]),
          ...(facts.derivedCount > 0 ? [{ code: 'shop.invoiced', message: 'Already invoiced.' }] : []),
        ],
        async derive(tx, execution) {
          await hooks.onExecute?.(tx, execution)
          const number = await execution.drawNumber(() => nextInvoiceNumber(tx))
          return addDocument(tx, 'shop.invoice', execution.document.payload.fields, number)
        },
      }),
    ],
  })
  const invoice = documentType({
    typeCode: 'shop.invoice',
    plural: 'invoices',
    fields: ShopFields,
    store: genericDocumentStore,
    loadFacts,
    isVisibleTo: (_caller, document) => document.payload.fields.isSecret !== true,
    async loadEffects(db, { id }) {
      const accountingEntries = await db.execute<{ account: string; debit: string; credit: string }>(sql`
        select account, debit::text, credit::text from shop.entries where document_id = ${id}::uuid order by id`)
      return { accountingEntries: [...accountingEntries], registerMovements: [] }
    },
    actions: ({ lifecycle, command, navigation }) => [
      ...lifecycle({
        post: {
          async handle(tx, execution) {
            await hooks.onExecute?.(tx, execution)
            await enter(tx, execution, 1)
            return undefined
          },
        },
        unpost: {
          async handle(tx, execution) {
            // A written-off invoice has no balance to reverse.
            if (Number(execution.facts.balance) > 0) await enter(tx, execution, -1)
            return undefined
          },
        },
        repost: {
          async handle(tx, execution) {
            await enter(tx, execution, -1)
            await enter(tx, execution, 1)
            return undefined
          },
        },
        mark_for_deletion: {},
        unmark_for_deletion: {},
      }),
      command({
        code: 'shop.write_off',
        label: 'Write off',
        description: 'Writes off the open amount.',
        icon: 'write-off',
        kind: 'Dangerous',
        order: 110,
        permission: 'write_off',
        confirmation: {
          mode: 'RequireReason',
          title: 'Write this invoice off?',
          message: 'The open amount is written off.',
          confirmLabel: 'Write off',
        },
        disabledReasons: (facts, document) => [
          ...(document.status === 'Posted' ? [] : [notPosted]),
          ...(Number(facts.balance) > 0 ? [] : [{ code: 'shop.settled', message: 'No open amount.' }]),
        ],
        async handle(tx, execution) {
          await enter(tx, execution, -1)
          return { changes: [{ fieldPath: 'balance', oldValue: execution.facts.balance, newValue: '0.00' }] }
        },
      }),
      command({
        code: 'shop.rename',
        label: 'Rename',
        description: 'Sets the title of the invoice.',
        icon: 'rename',
        kind: 'Secondary',
        order: 120,
        permission: 'rename',
        payload: v.strictObject({ title: v.pipe(v.string(), v.minLength(1, 'expected a title')) }),
        workCenterMayChange: false,
        async handle(_tx, { document, payload }) {
          return { fields: { ...document.payload.fields, title: payload.title } }
        },
      }),
      navigation({
        code: 'shop.open_customer',
        label: 'Open customer',
        description: 'Opens the customer.',
        icon: 'customer',
        kind: 'Secondary',
        order: 130,
        permission: 'open_customer',
        targetCode: 'shop.customer',
        parametersOf: (document) => ({ customerId: document.payload.fields.customerId ?? '' }),
      }),
    ],
  })
  return [order, invoice]
}

/** The pages that navigations of the shop open. */
export const shopTargets = ['shop.customer'] as const
