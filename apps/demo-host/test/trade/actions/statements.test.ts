import type { Db } from '@vertical-kit/core-audit/database'
import type { DocumentState } from '@vertical-kit/document-actions'
import { expect, test } from 'vitest'
import { tradeDocumentTypes } from '../../../src/trade/actions/trade-document-types.ts'
import { openTradeHost } from '../harness.ts'
import { type Statement, scannedWhole } from '../scanned-whole.ts'
import { draft, draftSales, postedInvoice } from './documents.ts'

const host = await openTradeHost()

/** Creates one draft of each type and returns them as posted documents. */
async function documents(): Promise<readonly DocumentState[]> {
  const clerk = await host.asRole('clerk', 'trade.clerk')
  const invoice = await postedInvoice(clerk)
  const entries = [{ account: 'a', debit: '1.00', credit: '1.00' }]
  const made = [
    await draftSales(clerk, 'trade.sales_order'),
    invoice,
    await draft(clerk, 'trade.customer_payment', { invoiceId: invoice.id, amount: '1.00' }),
    await draft(clerk, 'general_journal_entry', { entries }),
  ]
  return made.map((document) => ({ ...document, display: '', version: 1, status: 'Posted' }) as DocumentState)
}

/** Runs `work` and returns the statements that it sends to the database. */
async function statementsOf(work: (db: Db) => unknown): Promise<readonly Statement[]> {
  const statements: Statement[] = []
  await host.database.read(async (db) =>
    work({
      execute(statement) {
        statements.push(statement)
        return db.execute(statement)
      },
    }),
  )
  return statements
}

test('facts are loaded with at most one statement and effects with one statement, and all statements use indexes', async () => {
  for (const document of await documents()) {
    const type = tradeDocumentTypes.find(({ typeCode }) => typeCode === document.typeCode)
    const facts = await statementsOf((db) => type?.loadFacts?.(db, document))
    const effects = await statementsOf((db) => type?.loadEffects?.(db, document))
    expect([document.typeCode, facts.length, effects.length]).toEqual([
      document.typeCode,
      document.typeCode === 'general_journal_entry' ? 0 : 1,
      1,
    ])
    for (const statement of [...facts, ...effects])
      expect(await scannedWhole(host.database, statement)).toEqual([])
  }
})
