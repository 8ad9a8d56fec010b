import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { act } from '../actions.ts'
import { draft, draftSales } from '../trade/actions/documents.ts'
import { expectNoSeriousViolations, stageOfFile, test, tolerate } from './harness.ts'

const stage = stageOfFile()

const heading = (page: Page) => page.getByRole('heading', { level: 1 })
const step = (page: Page, label: 'Previous' | 'Next') =>
  page.getByRole('link', { name: `${label} sales invoice` })

test('the links to the previous and the next document follow the order and the filter of the list', async () => {
  const page = await stage.signIn('clerk', '/sales-invoices?q=alder&sort=created')
  const names = page.locator('.list-table tbody tr:not(.bone-row) a')
  await expect.poll(() => names.count()).toBeGreaterThan(1)
  const [first, second] = await names.allTextContents()
  await names.first().click()
  await expect.poll(() => heading(page).textContent()).toBe(first)
  expect(await step(page, 'Previous').getAttribute('aria-disabled')).toBe('true')
  await expectNoSeriousViolations(page)
  await step(page, 'Next').press('Enter')
  await expect.poll(() => heading(page).textContent()).toBe(second)
  await page.reload()
  await step(page, 'Previous').click()
  await expect.poll(() => heading(page).textContent()).toBe(first)
  await page.getByRole('link', { name: 'Sales invoices' }).last().click()
  await expect.poll(() => names.allTextContents()).toContain(second)
  expect(new URL(page.url()).search).toBe('?q=alder&sort=created')
})

test('the last document of a page leads to the first one of the next page', async () => {
  const page = await stage.signIn('clerk', '/sales-invoices?sort=created')
  const names = page.locator('.list-table tbody tr:not(.bone-row) a')
  await expect.poll(() => names.count()).toBe(30)
  await names.last().click()
  await expect.poll(() => heading(page).textContent()).toBe('SI-000030')
  await step(page, 'Next').click()
  await expect.poll(() => heading(page).textContent()).toBe('SI-000031')
})

test('unsaved changes are not lost by a step to the next document', async () => {
  const { id, number } = await draftSales(await stage.demo.as('clerk'), 'trade.sales_invoice')
  const page = await stage.signIn('clerk', `/sales-invoices/${id}`)
  await page.getByLabel('Quantity, line 1').fill('5')
  page.once('dialog', (dialog) => void dialog.dismiss())
  await step(page, 'Next').click()
  expect(await heading(page).textContent()).toBe(number)
  expect(await page.getByLabel('Quantity, line 1').inputValue()).toBe('5')
})

test('"Save and post" saves and posts a draft, and "Create and post" a new document', async () => {
  const { id } = await draftSales(await stage.demo.as('clerk'), 'trade.sales_invoice')
  const page = await stage.signIn('clerk', `/sales-invoices/${id}`)
  await page.getByLabel('Quantity, line 1').fill('4')
  await page.getByRole('button', { name: 'Save and post' }).click()
  await page.getByRole('region', { name: 'Balance' }).getByText('50.00').first().waitFor()
  await page.getByRole('link', { name: 'Register payment' }).click()
  await page.getByRole('button', { name: 'Create and post' }).click()
  await expect.poll(() => heading(page).textContent()).toMatch(/^CP-/)
  await page.getByRole('button', { name: 'Apply payment', exact: true }).waitFor()
  await expectNoSeriousViolations(page)
})

test('a draft that cannot be posted stays saved, and the page shows the reason', async () => {
  const entries = [{ account: '1000', debit: '5.00', credit: '0.00' }]
  const document = await draft(await stage.demo.as('clerk'), 'general_journal_entry', { entries })
  const page = await stage.signIn('clerk', `/journal-entries/${document.id}`)
  tolerate(page, /409 \(Conflict\)/)
  await page.getByLabel('Debit, line 1').fill('7')
  await page.getByRole('button', { name: 'Save and post' }).click()
  const reason = page.getByText('The draft is saved, but it could not be posted.')
  await reason.waitFor()
  expect(await page.getByRole('button', { name: 'Save', exact: true }).isDisabled()).toBe(true)
  const clerk2 = await stage.demo.as('clerk2')
  await act(clerk2, document, 'mark_for_deletion')
  await page.locator('vk-live-object').getByRole('button', { name: 'Show' }).click()
  await reason.waitFor({ state: 'detached' })
  await act(clerk2, document, 'unmark_for_deletion')
  await page.reload()
  await expect.poll(() => page.getByLabel('Debit, line 1').inputValue()).toBe('7.00')
})

test.each(['Control', 'Meta'])('%s+S saves the form', async (modifier) => {
  const { id } = await draftSales(await stage.demo.as('clerk'), 'trade.sales_order')
  const page = await stage.signIn('clerk', `/sales-orders/${id}`)
  await page.getByLabel('Quantity, line 1').fill('6')
  await page.keyboard.press(`${modifier}+s`)
  await page.locator('vk-document-actions').waitFor()
  await page.reload()
  await expect.poll(() => page.getByLabel('Quantity, line 1').inputValue()).toBe('6')
})

test('an item of a catalog has no button to post', async () => {
  const page = await stage.signIn('clerk', '/customers/new')
  await page.getByRole('button', { name: 'Create' }).waitFor()
  expect(await page.getByRole('button', { name: 'Create and post' }).count()).toBe(0)
})
