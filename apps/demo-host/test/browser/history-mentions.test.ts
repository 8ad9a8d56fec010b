import { expect } from 'vitest'
import { expectAnswer } from '../answers.ts'
import { draftSales } from '../trade/actions/documents.ts'
import { stageOfFile, test } from './harness.ts'

const stage = stageOfFile()
const clerk = stage.as('clerk')
const viewer = stage.as('viewer')

test('the history shows mentions in notes as names, or without a name as someone', async () => {
  const { userId } = await expectAnswer(viewer('GET', '/api/security/me/access'), 200)
  const unknown = '019a0000-0000-7000-8000-000000000001'
  const { id, typeCode } = await draftSales(clerk, 'trade.sales_invoice')
  const target = { kind: 'Document', typeCode, id }
  const note = await expectAnswer(clerk('POST', '/api/notes', { body: { target, text: 'Hello' } }), 201)
  const text = `Ask @[${userId}] or @[${unknown}]`
  await expectAnswer(clerk('PUT', `/api/notes/${note['id']}`, { body: { text, version: 1 } }), 200)
  const page = await stage.signIn('clerk', `/sales-invoices/${id}`)
  await page.getByRole('button', { name: /^Notes: / }).waitFor()
  await page.getByRole('button', { name: 'History' }).click()
  const edited = page.locator('vk-audit-timeline article').filter({ hasText: 'Note edited' })
  await edited.getByText('Ask @Vera Viewer or @someone', { exact: true }).waitFor()
  expect(await edited.getByText(unknown).count()).toBe(0)
})
