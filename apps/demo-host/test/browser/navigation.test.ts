import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { draftSales } from '../trade/actions/documents.ts'
import { expectNoSeriousViolations, stageOfFile, test, tolerate } from './harness.ts'

const stage = stageOfFile()
const clerk = stage.as('clerk')

const pathOf = (page: Page) => new URL(page.url()).pathname
const name = (page: Page) => page.getByLabel('Name')

/** Opens a list, then the form of a new item, as a user does: without loading the page again. */
async function openForm(): Promise<Page> {
  const page = await stage.signIn('clerk', '/customers')
  await page.getByRole('link', { name: 'Items', exact: true }).click()
  await page.getByRole('link', { name: 'New item' }).click()
  await name(page).waitFor()
  return page
}

/** Answers the next question of the page. Resolves with the text of the question. */
const answer = (page: Page, reply: 'accept' | 'dismiss'): Promise<string> =>
  new Promise((resolve) => {
    page.once('dialog', async (dialog) => {
      await dialog[reply]()
      resolve(dialog.message())
    })
  })

test('the Back button asks before it discards a form with unsaved changes', async () => {
  const page = await openForm()
  await name(page).fill('Something')
  const refused = answer(page, 'dismiss')
  await page.evaluate(() => history.back())
  expect(await refused).toBe('Leave this page without saving your changes?')
  await page.waitForURL('**/items/new')
  expect(await name(page).inputValue()).toBe('Something')

  const accepted = answer(page, 'accept')
  await page.evaluate(() => history.back())
  await accepted
  await page.getByRole('heading', { name: 'Items', level: 1 }).waitFor()
  // The refused step has not changed the history: the next step leads to the first list.
  await page.goBack()
  await page.getByRole('heading', { name: 'Customers', level: 1 }).waitFor()
})

test('back in a list, the focus is on the entry that the user has left', async () => {
  const page = await stage.signIn('clerk', '/sales-invoices')
  const row = page.locator('.list-table tbody a').nth(2)
  await row.press('Enter')
  await page.getByRole('heading', { name: 'Sales invoices' }).waitFor({ state: 'detached' })
  await page.goBack()
  await expect.poll(() => row.evaluate((link) => link === document.activeElement)).toBe(true)
})

test('the Forward button asks before it discards a form with unsaved changes', async () => {
  const page = await openForm()
  await page.getByRole('link', { name: 'Customers' }).click()
  await page.getByRole('heading', { name: 'Customers', level: 1 }).waitFor()
  await page.goBack()
  await name(page).fill('Something')
  const refused = answer(page, 'dismiss')
  await page.evaluate(() => history.forward())
  await refused
  await page.waitForURL('**/items/new')
  expect(await name(page).inputValue()).toBe('Something')
})

test('the Back button leaves an unchanged form without a question', async () => {
  const page = await openForm()
  await page.goBack()
  await page.getByRole('heading', { name: 'Items', level: 1 }).waitFor()
  expect(pathOf(page)).toBe('/items')
})

test('the Back button closes the Work Center and stays on the document', async () => {
  const { id } = await draftSales(clerk, 'trade.sales_order')
  const page = await stage.signIn('clerk', '/sales-orders', { viewport: { width: 360, height: 740 } })
  await page.locator(`a[href="/sales-orders/${id}"]`).click()
  const quantity = page.getByLabel('Quantity, line 1')
  await quantity.fill('77')
  await page.getByRole('button', { name: /^Work Center/ }).click()
  await page.locator('vk-work-center').waitFor()
  await page.evaluate(() => history.back())
  await page.locator('vk-work-center').waitFor({ state: 'detached' })
  await page.waitForURL(`**/sales-orders/${id}`)
  expect(await quantity.inputValue()).toBe('77')
  await page.getByRole('button', { name: 'Discard changes' }).click()
  await page.goBack()
  await page.getByRole('heading', { name: 'Sales orders', level: 1 }).waitFor()
})

test('the title of the page contains the name of the entry', async () => {
  const { id, number } = await draftSales(clerk, 'trade.sales_invoice')
  const page = await stage.signIn('clerk', `/sales-invoices/${id}`)
  const title = `${number} · Sales invoices · Vertical Kit demo`
  await expect.poll(() => page.title()).toBe(title)
  await page.getByRole('button', { name: /^Work Center/ }).click()
  await page.getByRole('dialog', { name: 'Work Center' }).waitFor()
  expect(await page.title()).toBe(title)
  await page.keyboard.press('Escape')
  await page.getByRole('link', { name: 'Sales invoices' }).last().click()
  await expect.poll(() => page.title()).toBe('Sales invoices · Vertical Kit demo')
  await page.getByRole('link', { name: 'New sales invoice' }).click()
  await expect.poll(() => page.title()).toBe('New sales invoice · Vertical Kit demo')
})

test('every view has a heading of the first level', async () => {
  const page = await stage.signIn('clerk', '/nowhere/at-all')
  await page.getByRole('heading', { name: 'Not found', level: 1 }).waitFor()
  await expectNoSeriousViolations(page)
  tolerate(page, /404 \(Not Found\)/)
  await page.goto(`${stage.demo.url}/sales-invoices/00000000-0000-7000-8000-000000000000`)
  await page.getByRole('heading', { name: 'Not found', level: 1 }).waitFor()
  const outsider = await stage.signIn('outsider')
  await outsider.getByRole('heading', { name: 'You do not have access yet', level: 1 }).waitFor()
})

test('on a page that a link has opened, the Back button closes the Work Center', async () => {
  const { id } = await draftSales(clerk, 'trade.sales_order')
  const first = await stage.signIn('clerk', '/items')
  const page = await first.context().newPage()
  await page.goto(`${stage.demo.url}/sales-orders/${id}`)
  const open = () => page.getByRole('button', { name: /^Work Center/ }).click()
  const workCenter = page.locator('vk-work-center')
  await open()
  await workCenter.waitFor()
  await page.goBack()
  await workCenter.waitFor({ state: 'detached' })
  expect(pathOf(page)).toBe(`/sales-orders/${id}`)

  // The place of a drawer that was closed in another way is no place to which Back returns.
  await page.getByRole('link', { name: 'Customers' }).click()
  await page.getByRole('heading', { name: 'Customers', level: 1 }).waitFor()
  await open()
  await workCenter.waitFor()
  await page.keyboard.press('Escape')
  await workCenter.waitFor({ state: 'detached' })
  await page.goBack()
  await page.waitForURL(`**/sales-orders/${id}`)
  await page.goForward()
  await page.getByRole('heading', { name: 'Customers', level: 1 }).waitFor()
})

test('a link to a panel of the open document needs no question', async () => {
  const { id } = await draftSales(clerk, 'trade.sales_order')
  const page = await stage.signIn('clerk', `/sales-orders/${id}`)
  const quantity = page.getByLabel('Quantity, line 1')
  await quantity.fill('77')
  // Every question would fail the test, because nothing answers it.
  await page.evaluate((path) => {
    const link = document.createElement('a')
    link.href = `${path}?panel=notes`
    document.querySelector('demo-frame')?.append(link)
    link.click()
  }, `/sales-orders/${id}`)
  await page.locator('vk-notes').waitFor()
  expect(await quantity.inputValue()).toBe('77')
})

test('Back closes a question instead of asking it about another document', async () => {
  const [one, other] = [
    await draftSales(clerk, 'trade.sales_order'),
    await draftSales(clerk, 'trade.sales_order'),
  ]
  const page = await stage.signIn('clerk', `/sales-orders/${one.id}`)
  await page.getByRole('heading', { name: one.number }).waitFor()
  await page
    .getByRole('link', { name: /^(Previous|Next) sales order/ })
    .and(page.locator(`[href*="${other.id}"]`))
    .click()
  await page.getByRole('heading', { name: other.number }).waitFor()
  await page.getByRole('button', { name: 'Delete' }).click()
  const question = page.getByRole('dialog', { name: `Delete ${other.number}?` })
  await question.waitFor()
  await page.goBack()
  await page.getByRole('heading', { name: one.number }).waitFor()
  expect(await question.count()).toBe(0)
})

test('users without the permission do not see the tasks of the team', async () => {
  const page = await stage.signIn('clerk', '/team?claimedBy=00000000-0000-4000-8000-000000000000')
  await page.getByRole('heading', { name: 'Not found' }).waitFor()
})

test('a new document that is saved after the Work Center was closed replaces the empty form', async () => {
  const page = await stage.signIn('clerk', '/items')
  await page.getByRole('link', { name: 'New item' }).click()
  await name(page).fill('Washer')
  await page.getByRole('button', { name: /^Work Center/ }).click()
  await page.locator('vk-work-center').waitFor()
  await page.keyboard.press('Escape')
  await page.locator('vk-work-center').waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Create', exact: true }).click()
  await page.getByRole('heading', { name: 'Washer', level: 1 }).waitFor()
  await page.goBack()
  await page.getByRole('heading', { name: 'Items', level: 1 }).waitFor()
  expect(pathOf(page)).toBe('/items')
})
