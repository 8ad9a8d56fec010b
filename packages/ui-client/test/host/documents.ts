import { type KitModule, newId, recordAudit } from '@vertical-kit/core-audit'
import { holds } from '@vertical-kit/core-audit/access'
import type { Database } from '@vertical-kit/core-audit/database'
import type { BusinessObjectTypes } from '@vertical-kit/core-audit/objects'
import {
  createDocument,
  type DocumentType,
  documentType,
  genericDocumentStore,
} from '@vertical-kit/document-actions'
import type { DocumentReference } from '@vertical-kit/ui-client'
import { sql } from 'drizzle-orm/sql'
import * as v from 'valibot'

export const salesInvoice = 'trade.sales_invoice'
export const customerPayment = 'trade.customer_payment'

/** The navigation target of invoices. */
export const customerTarget = 'trade.customer'

export const invoiceType = documentType({
  typeCode: salesInvoice,
  plural: 'sales invoices',
  fields: v.object({}),
  store: genericDocumentStore,
  actions: ({ lifecycle, command, navigation }) => [
    ...lifecycle({
      post: {},
      unpost: {},
      repost: {},
      mark_for_deletion: {},
      unmark_for_deletion: {},
    }),
    command({
      code: 'trade.write_off',
      label: 'Write off',
      description: 'Writes off the amount that is still owed.',
      icon: 'write-off',
      kind: 'Dangerous',
      order: 110,
      permission: 'write_off',
      confirmation: {
        mode: 'RequireReason',
        title: 'Write this invoice off?',
        message: 'The amount that is still owed becomes a loss.',
        confirmLabel: 'Write off',
      },
      disabledReasons: (_facts, { status }) =>
        status === 'Posted' ? [] : [{ code: 'trade.invoice_not_posted', message: 'Post the invoice first.' }],
      handle: async () => undefined,
    }),
    navigation({
      code: 'trade.open_customer',
      label: 'Open customer',
      description: 'Shows the customer of the invoice.',
      icon: 'customer',
      kind: 'Secondary',
      order: 130,
      permission: 'open_customer',
      targetCode: customerTarget,
      parametersOf: () => ({}),
    }),
  ],
})

/** The applied amounts of a payment, in order. Tests count the amounts to check how often an action ran. */
const PaymentFields = v.object({ applied: v.optional(v.array(v.string())) })

export const paymentType = documentType({
  typeCode: customerPayment,
  plural: 'customer payments',
  fields: PaymentFields,
  store: genericDocumentStore,
  async loadEffects(_db, { payload }) {
    const { applied = [] } = payload.fields
    return { accountingEntries: applied.map((debit) => ({ debit })), registerMovements: [] }
  },
  actions: ({ lifecycle, command }) => [
    ...lifecycle({ post: {} }),
    command({
      code: 'trade.apply_payment',
      label: 'Apply payment',
      description: 'Uses an amount of the payment.',
      icon: 'apply-payment',
      kind: 'Primary',
      order: 100,
      permission: 'apply_payment',
      payload: v.strictObject({ amount: v.string() }),
      async handle(_tx, { document, payload }) {
        const { applied = [] } = document.payload.fields
        return { fields: { applied: [...applied, payload.amount] } }
      },
    }),
  ],
})

export const documentTypes: readonly DocumentType[] = [invoiceType, paymentType]

/** Both document types as targets of notes and files. */
export const businessObjects: readonly BusinessObjectTypes[] = [
  {
    kind: 'Document',
    typeCodes: [salesInvoice, customerPayment],
    isReadable: async (db, caller, { typeCode, id }) =>
      holds(caller, `document.${typeCode}.view`) &&
      (await genericDocumentStore.find(db, { typeCode, id })) !== undefined,
    async findAll(db, caller, references) {
      const rows = await db.execute<{ id: string; type_code: string; display: string }>(sql`
        select id, type_code, display from document_actions.documents
        where id = any(${sql.param(references.map(({ id }) => id))}::uuid[])`)
      return rows.map(({ id, type_code: typeCode, display }) => ({
        ...{ id, typeCode, display, target: null },
        isReadable: holds(caller, `document.${typeCode}.view`),
      }))
    },
  },
]

/** The module name in the audit events that {@link addDocument} records. */
const auditModule = 'trade'

/** The vertical's permissions for both document types, except the permissions for their actions. */
export const tradeModule: KitModule = {
  name: 'ui-client-test-trade',
  auditSource: { module: auditModule, isVisibleTo: () => true },
  permissions: documentTypes.flatMap(({ typeCode, plural }) =>
    ['view', 'view_audit'].map((action) => ({
      permission: `document.${typeCode}.${action}`,
      displayName: `${action}: ${plural}`,
      group: 'Trade',
      description: `${action}: ${plural}`,
    })),
  ),
}

/** Stores a draft with version 1, and the audit event of its creation. */
export function addDocument(database: Database, type: DocumentType): Promise<DocumentReference> {
  const id = newId()
  const { typeCode } = type
  return database.transaction(async (tx) => {
    await createDocument(tx, { id, type, number: id, display: `A ${typeCode}`, fields: {} })
    await recordAudit(tx, {
      module: auditModule,
      target: { kind: 'Document', typeCode, id },
      actionCode: 'documents.created',
      actorUserId: null,
      correlationId: null,
    })
    return { typeCode, id }
  })
}

/** Deletes a document directly in the database, without notifying clients. */
export async function removeDocument(database: Database, { id }: DocumentReference): Promise<void> {
  await database.statement((tx) =>
    tx.execute(sql`delete from document_actions.documents where id = ${id}::uuid`),
  )
}
