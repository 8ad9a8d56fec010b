import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { act, editorState } from '../actions.ts'
import { draftSales } from '../trade/actions/documents.ts'
import { expectNoSeriousViolations, screenshot, stageOfFile, test } from './harness.ts'

const stage = stageOfFile()
const clerk = stage.as('clerk')

const batch = (page: Page) => page.getByRole('region', { name: 'Selected documents' })
const choose = (page: Page, number: string) =>
  page.getByRole('checkbox', { name: `Select ${number}` }).check()

test('a manager posts many invoices at once, and sees which cannot be posted, why, and who can post', async () => {
  const invoices = []
  for (let count = 0; count < 4; count += 1) invoices.push(await draftSales(clerk, 'trade.sales_invoice'))
  const [posted, ...drafts] = invoices
  if (posted === undefined) throw new Error('No invoice was created')
  await act(clerk, posted, 'post')

  const page = await stage.signIn('manager', '/sales-invoices')
  for (const { number } of invoices) await choose(page, number)
  await batch(page).getByText('4 selected').waitFor()
  await batch(page).getByRole('button', { name: 'Post (4)' }).click()
  await batch(page).getByText('“Post”: 3 of 4 complete.').waitFor()
  expect(await batch(page).getByRole('alert').textContent()).toBe('1 document failed')
  await batch(page).getByText(`${posted.number}: The document is already posted.`).waitFor()
  await batch(page).getByText('Roles that can do this: Administrator, Clerk').waitFor()
  await expectNoSeriousViolations(page)
  await screenshot(page, 'sales-invoices-batch')
  for (const draft of drafts) {
    expect(await editorState(clerk, draft)).toMatchObject({
      document: { status: 'Posted' },
      documentVersion: 2,
    })
  }
  // The documents that failed stay selected.
  await batch(page).getByText('1 selected').waitFor()
  await batch(page).getByRole('button', { name: 'Close' }).click()
  await batch(page).getByRole('button', { name: 'Clear selection' }).click()
  await batch(page).waitFor({ state: 'hidden' })
})

test('after a batch whose documents leave the list, the focus is on the first of the others', async () => {
  const { number } = await draftSales(clerk, 'trade.sales_invoice')
  const page = await stage.signIn('clerk', '/sales-invoices?status=Draft')
  await page.getByRole('checkbox', { name: `Select ${number}` }).check()
  await batch(page).getByRole('button', { name: 'Post (1)' }).focus()
  await page.keyboard.press('Enter')
  await page.getByRole('checkbox', { name: `Select ${number}` }).waitFor({ state: 'detached' })
  await expect.poll(() => page.evaluate(() => document.activeElement?.closest('tbody') !== null)).toBe(true)
  expect(await page.evaluate(() => document.activeElement?.ariaLabel)).not.toContain(number)
})

test('a batch can be used with the keyboard at 360 pixels', async () => {
  const { number } = await draftSales(clerk, 'trade.sales_invoice')
  const page = await stage.signIn('clerk', '/sales-invoices', { viewport: { width: 360, height: 740 } })
  await page.getByRole('checkbox', { name: `Select ${number}` }).focus()
  await page.keyboard.press('Space')
  await batch(page).getByText('1 selected').waitFor()
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360)
  await expectNoSeriousViolations(page)
  await batch(page).getByRole('button', { name: 'Post (1)' }).focus()
  await page.keyboard.press('Enter')
  await batch(page).getByText('“Post”: 1 of 1 complete.').waitFor()
  const focused = () => page.evaluate(() => document.activeElement?.closest('tbody') !== null)
  await expect.poll(focused).toBe(true)
  await page.keyboard.press('Space')
  await batch(page).getByRole('button', { name: 'Clear selection' }).focus()
  await page.keyboard.press('Enter')
  await expect.poll(focused).toBe(true)
})

test('a batch that ends after its page was closed shows its result as a message', async () => {
  const { number } = await draftSales(clerk, 'trade.sales_invoice')
  const page = await stage.signIn('clerk', '/sales-invoices')
  const left = Promise.withResolvers<void>()
  await page.route('**/actions/post/batch', async (route) => {
    await left.promise
    await route.continue()
  })
  await choose(page, number)
  await batch(page).getByRole('button', { name: 'Post (1)' }).click()
  await batch(page).getByText('“Post” is in progress: 0 of 1 processed.').waitFor()
  await page.getByRole('link', { name: 'Work Center' }).click()
  await page.locator('vk-work-center').waitFor()
  left.resolve()
  await page.locator('vk-toasts [part=toast]').getByText('“Post”: 1 of 1 complete.').waitFor()
})

test('a user without permission to post cannot select documents', async () => {
  await draftSales(clerk, 'trade.sales_invoice')
  const page = await stage.signIn('viewer', '/sales-invoices')
  await page.getByRole('link', { name: /^SI-/ }).first().waitFor()
  expect(await page.getByRole('checkbox').count()).toBe(0)
})
