import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Document, reasons } from './actions.ts'
import { type Body, expectAnswer } from './answers.ts'
import { accessToken, type OpenDemo, openDemo } from './demo-process.ts'
import { download, targetQuery } from './uploads.ts'
import { openPage, type Page } from './work-center/page.ts'

let demo: OpenDemo

beforeAll(async () => {
  demo = await openDemo()
})
afterAll(() => demo?.close())

test('the first start of a demo creates the sample data, including files', async () => {
  const viewer = await demo.as('viewer')
  const page = async (path: string) => (await expectAnswer(viewer('GET', `${path}?limit=100`), 200)).items
  expect(await page('/api/catalogs/trade.customer')).toHaveLength(20)
  const invoices = await page('/api/documents/trade.sales_invoice')
  expect(invoices).toHaveLength(40)
  expect(await page('/api/documents/trade.sales_order')).not.toHaveLength(0)
  expect(await page('/api/documents/trade.customer_payment')).not.toHaveLength(0)

  const [newest] = invoices
  const query = targetQuery({ kind: 'Document', typeCode: 'trade.sales_invoice', id: newest?.id ?? '' })
  const files = (await expectAnswer(viewer('GET', `/api/attachments?${query}`), 200)).items
  expect(files.map((file) => file['fileName'])).toEqual(['Delivery terms.txt', `${newest?.number}.pdf`])
  const pdf = await download(viewer, `/api/attachments/${files[1]?.id}/download`)
  expect(await pdf.text()).toMatch(/^%PDF-1\.4\n[\s\S]*%%EOF\n$/)
  const notes = (await expectAnswer(viewer('GET', `/api/notes?${query}`), 200)).items
  expect(notes).toMatchObject([{ createdByDisplayName: 'Clara Clerk' }])
})

test('the sample documents have all states, and their actions have the disabled reasons of each state', async () => {
  const clerk = await demo.as('clerk')
  const every = async (typeCode: string) => {
    const { items } = await expectAnswer(clerk('GET', `/api/documents/${typeCode}?limit=100`), 200)
    return Promise.all((items as readonly (Body & Document)[]).map((document) => reasons(clerk, document)))
  }
  const reasonsAgainst = async (typeCode: string, code: string) =>
    new Set((await every(typeCode)).map((actions) => (actions[code] ?? []).join(' ')))
  expect(await reasonsAgainst('trade.sales_order', 'trade.create_invoice')).toEqual(
    new Set(['', 'trade.order_not_posted', 'trade.order_already_invoiced']),
  )
  expect(await reasonsAgainst('trade.sales_invoice', 'trade.write_off')).toEqual(
    new Set(['', 'trade.invoice_not_posted', 'trade.invoice_settled']),
  )
  expect(await reasonsAgainst('trade.sales_invoice', 'unpost')).toEqual(
    new Set(['', 'document.not_posted', 'trade.invoice_has_settlements']),
  )
  expect(await reasonsAgainst('trade.customer_payment', 'trade.apply_payment')).toContain('')
  expect(await reasonsAgainst('general_journal_entry', 'post')).toEqual(
    new Set(['', 'document.already_posted', 'trade.entries_unbalanced']),
  )
})

test('with the sample data, the Work Center shows open, overdue and completed items', async () => {
  const pageOf = async (user: string): Promise<Page> => {
    const token = await accessToken(demo.issuer, user)
    return openPage({ url: demo.url, request: await demo.as(user), token: async () => token })
  }
  const codes = async (page: Page, tab: 'tasks' | 'completed' | 'notifications') =>
    new Set((await page.items(tab)).map(({ code }) => code))
  const [clerk, viewer, auditor] = [await pageOf('clerk'), await pageOf('viewer'), await pageOf('auditor')]
  // The sample data creates the write-off last, so its notification shows that all items exist.
  await auditor.item('notifications', ({ code }) => code === 'trade.write_off_recorded')
  const tasks = new Set(['trade.collect_payment', 'trade.invoice_order'])
  await clerk.until(async () => ((await codes(clerk, 'tasks')).size === 2 ? true : undefined))
  await clerk.until(async () => ((await codes(clerk, 'completed')).size === 2 ? true : undefined))
  expect(await codes(clerk, 'tasks')).toEqual(tasks)
  expect(await codes(clerk, 'completed')).toEqual(tasks)
  await clerk.until(async () => {
    const { overdueTaskCount, openTaskCount } = await clerk.summary()
    return (overdueTaskCount > 0 && openTaskCount > overdueTaskCount) || undefined
  })
  await viewer.item('notifications', ({ code }) => code === 'trade.invoice_settled')
  expect(await codes(viewer, 'notifications')).toEqual(new Set(['trade.invoice_settled']))
})
