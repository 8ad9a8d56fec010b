import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { expectAnswer } from '../answers.ts'
import { draftSales } from '../trade/actions/documents.ts'
import { stageOfFile, test, tolerate } from './harness.ts'
import { hold, pause, postOverdueInvoice, reportTo, runFor } from './reports.ts'

const stage = stageOfFile()

const invoices = /trade\.sales_invoice\?/
const table = (page: Page) => page.getByRole('table', { name: 'Sales invoices' })
const first = (page: Page) => table(page).locator('tbody tr:not(.bone-row) a').first()
/** Loads the list again, like each change that it follows. */
const loadAgain = (page: Page) => page.evaluate(() => dispatchEvent(new Event('online')))
const isFocused = (one: Element) => one === document.activeElement

test('an empty search stays, with the focus, while the list is loaded again', async () => {
  const page = await stage.signIn('clerk', '/sales-invoices?q=nothing-like-this')
  const clear = page.getByRole('link', { name: 'clear the filters' })
  await clear.focus()
  const held = await hold(page, invoices)
  await loadAgain(page)
  await expect.poll(() => held.length).toBe(1)
  expect([await clear.evaluate(isFocused), await page.locator('.bone').count()]).toEqual([true, 0])
  const answered = page.waitForResponse(invoices)
  await held[0]?.continue()
  await answered
  expect(await clear.evaluate(isFocused)).toBe(true)
})

test('rows are muted while another query is loaded, and not while they are only loaded again', async () => {
  const page = await stage.signIn('clerk', '/sales-invoices')
  await first(page).waitFor()
  const held = await hold(page, invoices)
  const isMuted = async () => (await table(page).getAttribute('aria-busy')) === 'true'
  const color = () =>
    table(page)
      .locator('tbody td')
      .nth(2)
      .evaluate((cell) => getComputedStyle(cell).color)
  const usual = await color()
  await loadAgain(page)
  await expect.poll(() => held.length).toBe(1)
  expect([await isMuted(), await color()]).toEqual([false, usual])
  await held[0]?.continue()
  await page.getByRole('navigation', { name: 'Status' }).getByText('Posted').click()
  await expect.poll(() => held.length).toBe(2)
  expect(await isMuted()).toBe(true)
  expect(await color()).not.toBe(usual)
  await held[1]?.continue()
  await expect.poll(isMuted).toBe(false)
  await first(page).click()
  await page.getByRole('link', { name: 'Sales invoices' }).last().click()
  await first(page).waitFor()
  expect(await isMuted()).toBe(false)
})

test('after a failure, the rows, the message and its focus stay until the list was loaded again', async () => {
  const page = await stage.signIn('clerk', '/sales-invoices')
  tolerate(page, /503 \(Service Unavailable\)/)
  const number = await first(page).textContent()
  await page.route(invoices, (route) => route.fulfill({ status: 503, body: '{}' }))
  await loadAgain(page)
  const message = page.getByRole('alert').getByText('The list could not be updated.')
  const retry = page.getByRole('button', { name: 'Try again' })
  await retry.focus()
  expect(await first(page).textContent()).toBe(number)
  await page.unroute(invoices)
  const held = await hold(page, invoices)
  const { number: posted } = await postOverdueInvoice(stage.demo)
  await expect.poll(() => held.length).toBe(1)
  expect([await message.isVisible(), await retry.evaluate(isFocused)]).toEqual([true, true])
  await held[0]?.continue()
  await table(page).getByText(posted).waitFor()
  expect(await message.count()).toBe(0)
  expect(await page.getByRole('heading', { level: 1 }).evaluate(isFocused)).toBe(true)
})

/** Opens the list with a clock that stands still. */
async function pausedList(): Promise<Page> {
  const page = await stage.signIn('clerk', '/preferences')
  await pause(page, stage.demo)
  await page.getByRole('link', { name: 'Sales invoices' }).click()
  await first(page).waitFor()
  return page
}

test('rows stay in place while the user points at them, and move when the pointer is at rest', async () => {
  const page = await pausedList()
  await table(page).locator('tbody tr').nth(2).hover()
  const { number } = await reportTo(page, stage.demo)
  const held = await hold(page, invoices)
  await runFor(page, 4_500)
  expect(held.length).toBe(0)
  await runFor(page, 4_500)
  await expect.poll(() => held.length).toBe(1)
  await held[0]?.continue()
  await table(page).getByText(number).waitFor()
})

test('a change of others during another request of the list is shown afterwards', async () => {
  const page = await pausedList()
  const held = await hold(page, invoices)
  await page.getByRole('button', { name: 'Show more' }).click()
  const { number } = await reportTo(page, stage.demo)
  await runFor(page, 8_000)
  expect(held.length).toBe(1)
  await held[0]?.continue()
  await expect.poll(() => table(page).locator('tbody tr').count()).toBeGreaterThan(30)
  await runFor(page, 8_000)
  await expect.poll(() => held.length).toBe(2)
  await held[1]?.continue()
  await table(page).getByText(number).waitFor()
})

test('a selected draft that another user changes is posted only after the user has seen the change', async () => {
  const clerk = await stage.demo.as('clerk2')
  const draft = await draftSales(clerk, 'trade.sales_invoice')
  const page = await stage.signIn('clerk', '/sales-invoices?status=Draft')
  tolerate(page, /409 \(Conflict\)/)
  const box = page.getByRole('checkbox', { name: `Select ${draft.number}` })
  await box.check()
  const row = table(page).getByRole('row').filter({ hasText: draft.number })
  const before = await row.textContent()
  const { fields } = draft.payload
  const body = { fields: { ...fields, dueDate: '2031-12-30' }, expectedVersion: 1 }
  await expectAnswer(clerk('PUT', `/api/documents/trade.sales_invoice/${draft.id}`, { body }), 200)
  await loadAgain(page)
  await expect.poll(() => row.textContent()).not.toBe(before)
  const batch = page.getByRole('region', { name: 'Selected documents' })
  await batch.getByRole('button', { name: 'Post (1)' }).click()
  await batch.getByText('“Post”: 0 of 1 complete.').waitFor()
  await batch.getByText(`${draft.number}: `).waitFor()
  expect(await box.isChecked()).toBe(true)
  // The reasons are shown before the list is loaded again.
  const selectedVersion = () =>
    page
      .locator('vk-document-batch')
      .evaluate((element) => Reflect.get(element, 'selection')[0]?.expectedVersion)
  await expect.poll(selectedVersion).toBe(2)
  await batch.getByRole('button', { name: 'Post (1)' }).click()
  await batch.getByText('“Post”: 1 of 1 complete.').waitFor()
})

test('changes at the same time cause one load', async () => {
  const page = await pausedList()
  const held = await hold(page, invoices)
  await page.evaluate(() => {
    dispatchEvent(new Event('online'))
    dispatchEvent(new Event('online'))
  })
  await expect.poll(() => held.length).toBe(1)
  const answered = page.waitForResponse(invoices)
  await held[0]?.continue()
  await (await answered).finished()
  await runFor(page, 100)
  expect(held.length).toBe(1)
})

test('when the network returns, the list does not wait for a request that hangs, and ignores its late answer', async () => {
  const page = await stage.signIn('clerk', '/sales-invoices')
  await first(page).waitFor()
  const held = await hold(page, invoices)
  await loadAgain(page)
  await expect.poll(() => held.length).toBe(1)
  const { number } = await postOverdueInvoice(stage.demo)
  await loadAgain(page)
  await expect.poll(() => held.length).toBe(2)
  await held[1]?.continue()
  await table(page).getByText(number).waitFor()
  const answered = page.waitForResponse(invoices)
  await held[0]?.fulfill({ json: { items: [], nextCursor: null } })
  await (await answered).finished()
  expect(await table(page).getByText(number).count()).toBe(1)
})

test('what the user selects before the rows of another query arrive is forgotten with the rows that leave', async () => {
  const page = await stage.signIn('clerk', '/sales-invoices')
  const rows = table(page).locator('tbody tr')
  await rows.getByRole('link').first().waitFor()
  const held = await hold(page, invoices)
  await page.getByRole('columnheader', { name: 'Total' }).getByRole('link').click()
  await expect.poll(() => held.length).toBe(1)
  await page.getByRole('checkbox', { name: /^Select all/ }).check()
  await held[0]?.continue()
  await page.locator('table[aria-busy=false]').waitFor()
  const button = page.getByRole('button', { name: /^Post \(/ })
  const before = await button.textContent()
  expect(before?.trim()).not.toBe('Post (30)')
  await page.unroute(invoices)
  await page.getByRole('button', { name: 'Show more' }).click()
  await expect.poll(() => rows.count()).toBeGreaterThan(30)
  expect(await button.textContent()).toBe(before)
})

test('what the user selects while a finished batch is loaded stays selected', async () => {
  const clerk = await stage.demo.as('clerk2')
  const [posted, other] = [
    await draftSales(clerk, 'trade.sales_invoice'),
    await draftSales(clerk, 'trade.sales_invoice'),
  ]
  const page = await stage.signIn('clerk', '/sales-invoices')
  const box = (number: string) => page.getByRole('checkbox', { name: `Select ${number}` })
  await box(posted.number).check()
  const [asked, answer] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  await page.route(invoices, async (route) => {
    asked.resolve()
    await answer.promise
    await route.continue()
  })
  await page.getByRole('button', { name: 'Post (1)' }).click()
  await asked.promise
  await box(other.number).check()
  answer.resolve()
  const row = table(page).getByRole('row').filter({ hasText: posted.number })
  await row.getByText('Posted').waitFor()
  expect(await box(other.number).isChecked()).toBe(true)
})
