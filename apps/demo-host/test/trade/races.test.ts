import { newId } from '@vertical-kit/core-audit'
import type { Authorize } from '@vertical-kit/core-audit/objects'
import { sql } from 'drizzle-orm/sql'
import { expect, test } from 'vitest'
import { deleteCatalogItem } from '../../src/trade/catalogs/commands/delete-catalog-item.ts'
import { createDraft } from '../../src/trade/documents/commands/create-draft.ts'
import { replaceFields } from '../../src/trade/documents/commands/replace-fields.ts'
import { documentTypes } from '../../src/trade/documents/document-types.ts'
import { bodyOf, expectAnswer } from '../answers.ts'
import { draftSales } from './actions/documents.ts'
import { openTradeHost, salesFields } from './harness.ts'
import { whileLocked } from './while-locked.ts'
import { whileOpen } from './while-open.ts'

const invoices = '/api/documents/trade.sales_invoice'

const host = await openTradeHost()
const clerk = await host.asRole('clerk', 'trade.clerk')
const [row] = await host.database.read((db) =>
  db.execute<{ id: string }>(sql`select id from core_audit.users where subject = 'clerk'`),
)
const actor = { userId: row?.id ?? '', displayName: 'clerk', correlationId: 'race' }

const invoiceType = documentTypes.find(({ code }) => code === 'trade.sales_invoice')
if (invoiceType === undefined) throw new TypeError('The type of sales invoices is missing')

/** Accepts every caller. Other tests cover permissions. */
const authorize: Authorize = async () => {}

test('deleting a customer is refused if a concurrent transaction creates an invoice that references the customer', async () => {
  const fields = await salesFields(clerk)
  const answer = whileOpen(
    host.database,
    (tx) => createDraft(tx, { id: newId(), type: invoiceType, fields, actor }),
    () => clerk('DELETE', `/api/catalogs/trade.customer/${fields.customerId}`),
  )
  await expectAnswer(answer, 409, 'catalogs.in_use')
})

test('creating an invoice is refused if a concurrent transaction deletes its customer', async () => {
  const fields = await salesFields(clerk)
  const answer = whileOpen(
    host.database,
    (tx) => deleteCatalogItem(tx, { id: fields.customerId, typeCode: 'trade.customer', actor, authorize }),
    () => clerk('POST', invoices, { body: { fields } }),
  )
  const refusal = await expectAnswer(answer, 400, 'request.invalid')
  expect(refusal.errors).toEqual([{ path: 'fields.customerId', message: 'does not exist' }])
})

test('if two concurrent edits expect no version, the last edit wins and each event lists the changes of its own edit', async () => {
  const fields = await salesFields(clerk)
  const { id } = await expectAnswer(clerk('POST', invoices, { body: { fields } }), 201)
  const due = (dueDate: string) => ({ ...fields, dueDate })
  const answer = whileOpen(
    host.database,
    (tx) => replaceFields(tx, { id, type: invoiceType, fields: due('2027-02-02'), actor, authorize }),
    () => clerk('PUT', `${invoices}/${id}`, { body: { fields: due('2027-03-03') } }),
  )
  expect(await expectAnswer(answer, 200)).toMatchObject({ payload: { fields: due('2027-03-03') } })
  const timeline = `/api/audit/events?kind=Document&typeCode=trade.sales_invoice&objectId=${id}`
  const { items } = await expectAnswer(clerk('GET', timeline), 200)
  expect(items.slice(0, 2).map((event) => [event['metadata'], event['changes']])).toMatchObject([
    [{ version: 3 }, [{ oldValue: '2027-02-02', newValue: '2027-03-03' }]],
    [{ version: 2 }, [{ oldValue: '2027-01-31', newValue: '2027-02-02' }]],
  ])
})

test('if two concurrent edits expect the same version, one succeeds and the other is a version conflict', async () => {
  const draft = await draftSales(clerk, 'trade.sales_invoice')
  const fields = await salesFields(clerk)
  const put = (dueDate: string) => () =>
    clerk('PUT', `${invoices}/${draft.id}`, { body: { fields: { ...fields, dueDate }, expectedVersion: 1 } })
  const answers = await whileLocked(host.database, draft, [put('2027-02-02'), put('2027-03-03')])
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409])
  const [won, lost] = await Promise.all(answers.toSorted((a, b) => a.status - b.status).map(bodyOf))
  expect(lost).toMatchObject({
    code: 'documents.version_conflict',
    context: { expectedVersion: 1, actualVersion: 2 },
  })
  expect(await expectAnswer(clerk('GET', `${invoices}/${draft.id}`), 200)).toEqual(won)
})

test('a deletion is a version conflict if a concurrent edit that expects the same version runs first', async () => {
  const draft = await draftSales(clerk, 'trade.sales_invoice')
  const body = { fields: await salesFields(clerk), expectedVersion: 1 }
  const edited = () => clerk('PUT', `${invoices}/${draft.id}`, { body })
  const deleted = () => clerk('DELETE', `${invoices}/${draft.id}?expectedVersion=1`)
  const [edit, deletion] = await whileLocked(host.database, draft, [edited, deleted])
  expect([edit?.status, deletion?.status]).toEqual([200, 409])
  await expectAnswer(clerk('GET', `${invoices}/${draft.id}`), 200)
})
