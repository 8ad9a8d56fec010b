import { expect } from 'vitest'
import { act } from '../actions.ts'
import { expectAnswer } from '../answers.ts'
import { draftSales, postedInvoice } from '../trade/actions/documents.ts'
import { stageOfFile, test } from './harness.ts'
import { rowOf, workCenter } from './work-center-stage.ts'

const stage = stageOfFile()

test.each(['posted', 'draft'])('a %s invoice is printed without the controls of the page', async (status) => {
  const clerk = await stage.demo.as('clerk')
  const { id, number } =
    status === 'posted' ? await postedInvoice(clerk) : await draftSales(clerk, 'trade.sales_invoice')
  const page = await stage.signIn('clerk', `/sales-invoices/${id}?panel=notes`)
  await page.getByRole('heading', { name: number }).waitFor()
  await page.getByRole('complementary', { name: 'Notes' }).waitFor()
  await page.locator('vk-document-actions').waitFor()
  if (status === 'posted') await page.getByRole('heading', { name: 'Accounting entries' }).waitFor()
  await page.emulateMedia({ media: 'print', colorScheme: 'dark' })
  expect(await page.getByRole('heading', { name: number }).isVisible()).toBe(true)
  expect(await page.getByText('25.00').and(page.locator(':visible')).count()).toBeGreaterThan(0)
  expect(await page.getByRole('button').and(page.locator(':visible')).count()).toBe(0)
  expect(await page.getByRole('navigation').count()).toBe(0)
  expect(await page.getByRole('complementary').count()).toBe(0)
  // A customer does not see how the invoice is booked.
  expect(await page.getByRole('heading', { name: 'Accounting entries' }).count()).toBe(0)
  const colours = await page.evaluate(() => {
    const { color, backgroundColor } = getComputedStyle(document.querySelector('.card') ?? document.body)
    return [color, backgroundColor]
  })
  expect(colours).toEqual(['rgb(26, 31, 39)', 'rgb(255, 255, 255)'])
  // One invoice with one line fits on one page.
  const pdf = (await page.pdf({ format: 'A4' })).toString('latin1')
  expect(pdf.match(/\/Type\s*\/Page\b/g)).toHaveLength(1)
})

test('a draft is printed as text, with whole names and grouped amounts, like a posted document', async () => {
  const clerk = await stage.demo.as('clerk')
  const name = `Bolt ${'of galvanised steel '.repeat(6)}M8`
  const item = await expectAnswer(
    clerk('POST', '/api/catalogs/trade.item', { body: { name, fields: {} } }),
    201,
  )
  const { id } = await draftSales(clerk, 'trade.sales_invoice', (fields) => ({
    ...fields,
    lines: [{ itemId: item.id, quantity: 1, unitPrice: '1234567.50' }],
  }))
  const page = await stage.signIn('clerk', `/sales-invoices/${id}`)
  await page.getByLabel('Price, line 1').waitFor()
  await page.emulateMedia({ media: 'print' })
  const row = page.getByRole('row', { name })
  await row.waitFor()
  const cells = row.getByRole('cell', { name: '1,234,567.50' })
  expect(await cells.evaluateAll((all) => all.map((cell) => getComputedStyle(cell).textAlign))).toEqual([
    'end',
    'end',
  ])
  expect(await page.locator('input:visible').count()).toBe(0)
  await page.emulateMedia({ media: 'screen' })
  await page.getByLabel('Price, line 1').fill('2')
  // Unsaved values have no text yet, so the form is printed.
  await page.emulateMedia({ media: 'print' })
  expect(await page.getByLabel('Price, line 1').inputValue()).toBe('2')
  expect(await page.getByLabel('Price, line 1').isVisible()).toBe(true)
  expect(await page.locator('.entry-print').isVisible()).toBe(false)
})

test.each(['viewer', 'clerk'])('a document without a form is printed once (%s)', async (user) => {
  const clerk = await stage.demo.as('clerk')
  const draft = await draftSales(clerk, 'trade.sales_invoice')
  if (user === 'clerk') await act(clerk, draft, 'mark_for_deletion')
  const page = await stage.signIn(user, `/sales-invoices/${draft.id}`)
  await page.getByRole('heading', { name: 'Lines' }).waitFor()
  await page.emulateMedia({ media: 'print' })
  expect(await page.getByRole('heading', { name: 'Lines' }).count()).toBe(1)
})

test('the rows of the Work Center are printed without their controls', async () => {
  const invoice = await postedInvoice(await stage.demo.as('clerk'))
  const page = await stage.signIn('clerk', '/work-center')
  await rowOf(page, invoice).waitFor()
  await page.emulateMedia({ media: 'print' })
  expect(await rowOf(page, invoice).isVisible()).toBe(true)
  for (const role of ['tab', 'searchbox', 'combobox', 'checkbox', 'button'] as const)
    expect([role, await workCenter(page).getByRole(role).count()]).toEqual([role, 0])
})

test.each([
  { path: '/audit-log', tag: 'vk-audit-timeline' },
  { path: '/administration/users', tag: 'vk-users' },
  { path: '/administration/roles', tag: 'vk-roles' },
])('$tag is printed without its controls', async ({ path, tag }) => {
  const page = await stage.signIn('manager', path)
  const element = page.locator(tag)
  await element.getByRole('listitem').first().waitFor()
  await page.emulateMedia({ media: 'print' })
  expect(await element.getByRole('listitem').first().isVisible()).toBe(true)
  for (const role of ['searchbox', 'combobox', 'textbox', 'button'] as const)
    expect([role, await element.getByRole(role).count()]).toEqual([role, 0])
})

test('the audit log is printed with whole values', async () => {
  const clerk = await stage.demo.as('clerk')
  const { id } = await draftSales(clerk, 'trade.sales_invoice')
  const target = { kind: 'Document', typeCode: 'trade.sales_invoice', id }
  const text = Array.from({ length: 40 }, (_, line) => `Line ${line}`).join('\n')
  await expectAnswer(clerk('POST', '/api/notes', { body: { target, text } }), 201)
  const page = await stage.signIn('manager', '/audit-log')
  const value = page.locator('vk-audit-timeline').getByText('Line 39').first()
  await value.waitFor()
  const hiddenPixels = () => value.evaluate((one) => one.scrollHeight - one.clientHeight)
  expect(await hiddenPixels()).toBeGreaterThan(100)
  await page.emulateMedia({ media: 'print' })
  expect(await hiddenPixels()).toBe(0)
})
