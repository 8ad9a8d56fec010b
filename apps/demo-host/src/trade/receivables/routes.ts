import { isUuid } from '@vertical-kit/core-audit/contract'
import type { Database } from '@vertical-kit/core-audit/database'
import { api, type KitEnv } from '@vertical-kit/core-audit/http'
import { DocumentActionsError } from '@vertical-kit/document-actions'
import { Hono } from 'hono'
import { customerPayment, salesInvoice } from '../documents/document-types.ts'
import { existing, findDocument } from '../documents/queries/find-document.ts'
import { permissionOf } from '../permissions.ts'
import { typeRights } from '../type-rights.ts'
import { InvoiceBalance, ReceivablesOverview } from './contract.ts'
import { loadBalance } from './queries/load-balance.ts'
import { loadOverview } from './queries/load-overview.ts'

/** Returns the routes with the balance of an invoice, and with what is overdue and received. */
export function receivableRoutes(database: Database): Hono<KitEnv> {
  const { code: typeCode } = salesInvoice
  const rights = typeRights('document', typeCode, () => new DocumentActionsError('documents.not_found'))
  const overview = new Hono<KitEnv>().get(
    '/api/receivables',
    api({
      operationId: 'getReceivables',
      tag: 'Documents',
      summary: 'Returns what is overdue, and what was received in the last six months.',
      description: `Requires \`${rights.permission('view')}\`; without it, the type is hidden.`,
      guards: [rights.viewGuard],
      permission: permissionOf('document', customerPayment.code, 'view'),
      responses: { 200: { description: 'The overview', schema: ReceivablesOverview } },
      errors: ['documents.not_found'],
    }),
    async (c) => c.json(await database.read(loadOverview)),
  )
  return overview.get(
    `/api/documents/${typeCode}/:id/balance`,
    api({
      operationId: 'getSalesInvoiceBalance',
      tag: 'Documents',
      summary: 'Returns what was paid of a sales invoice, and what is open.',
      description: `Requires \`${rights.permission('view')}\`; without it, the type is hidden.`,
      guards: [rights.viewGuard],
      responses: { 200: { description: 'The balance', schema: InvoiceBalance } },
      errors: ['documents.not_found'],
    }),
    async (c) => {
      const id = c.req.param('id')
      if (!isUuid(id)) throw new DocumentActionsError('documents.not_found')
      return c.json(
        await database.read(async (db) => {
          await existing(findDocument(db, { typeCode, id }))
          return loadBalance(db, id)
        }),
      )
    },
  )
}
