import { type Caller, holds } from '@vertical-kit/core-audit/access'
import { isUuid } from '@vertical-kit/core-audit/contract'
import type { Database, Db } from '@vertical-kit/core-audit/database'
import { api, type KitEnv } from '@vertical-kit/core-audit/http'
import { DocumentActionsError } from '@vertical-kit/document-actions'
import { Hono } from 'hono'
import { customerPayment, type DocumentType, salesInvoice } from '../documents/document-types.ts'
import { existing, findDocument } from '../documents/queries/find-document.ts'
import { type TypeRights, typeRights } from '../type-rights.ts'
import { InvoiceBalance, PaymentBalance, ReceivablesOverview } from './contract.ts'
import { loadBalance } from './queries/load-balance.ts'
import { loadOverview } from './queries/load-overview.ts'
import { loadPaymentBalance } from './queries/load-payment-balance.ts'

/** Returns the routes with the balances of an invoice and of a payment, and with what is overdue and received. */
export function receivableRoutes(database: Database): Hono<KitEnv> {
  const [invoices, payments] = [rightsOf(salesInvoice), rightsOf(customerPayment)]
  const mayView = (caller: Caller, rights: TypeRights) => holds(caller, rights.permission('view'))
  return new Hono<KitEnv>()
    .get(
      '/api/receivables',
      api({
        operationId: 'getReceivables',
        tag: 'Documents',
        summary: 'Returns what is overdue, and what was received in the last six months.',
        ...hiddenWithout(invoices),
        permission: payments.permission('view'),
        responses: { 200: { description: 'The overview', schema: ReceivablesOverview } },
      }),
      async (c) => c.json(await database.read(loadOverview)),
    )
    .get(
      `/api/documents/${salesInvoice.code}/:id/balance`,
      api({
        operationId: 'getSalesInvoiceBalance',
        tag: 'Documents',
        summary: 'Returns what was paid of a sales invoice, and what is open.',
        ...hiddenWithout(invoices),
        responses: { 200: { description: 'The balance', schema: InvoiceBalance } },
      }),
      async (c) => {
        const id = c.req.param('id')
        const balance = await database.read(async (db) => {
          await requireDocument(db, salesInvoice, id)
          return loadBalance(db, id)
        })
        const hidden = { unappliedAmount: null, unappliedPaymentId: null }
        return c.json(mayView(c.get('caller'), payments) ? balance : { ...balance, ...hidden })
      },
    )
    .get(
      `/api/documents/${customerPayment.code}/:id/balance`,
      api({
        operationId: 'getCustomerPaymentBalance',
        tag: 'Documents',
        summary: 'Returns what is not applied of a customer payment, and what can be applied.',
        ...hiddenWithout(payments),
        responses: { 200: { description: 'The balance', schema: PaymentBalance } },
      }),
      async (c) => {
        const id = c.req.param('id')
        const balance = await database.read(async (db) => {
          await requireDocument(db, customerPayment, id)
          return loadPaymentBalance(db, id)
        })
        const caller = c.get('caller')
        const mayApply = holds(caller, `document.${customerPayment.code}.apply_payment`)
        return c.json(
          mayApply || mayView(caller, invoices) ? balance : { ...balance, applicableAmount: null },
        )
      },
    )
}

const rightsOf = ({ code }: DocumentType): TypeRights =>
  typeRights('document', code, () => new DocumentActionsError('documents.not_found'))

/** Options of a route that hides its objects from callers without the view permission. */
const hiddenWithout = (rights: TypeRights) => ({
  description: `Requires \`${rights.permission('view')}\`; without it, the type is hidden.`,
  guards: [rights.viewGuard],
  errors: ['documents.not_found'],
})

/** @throws {DocumentActionsError} documents.not_found */
async function requireDocument(db: Db, { code }: DocumentType, id: string): Promise<void> {
  if (!isUuid(id)) throw new DocumentActionsError('documents.not_found')
  await existing(findDocument(db, { typeCode: code, id }))
}
