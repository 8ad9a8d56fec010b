import type { Locator, Page } from 'playwright-core'
import { expect } from 'vitest'
import { stageOfFile, test, tolerate } from './harness.ts'

const stage = stageOfFile()

const customer = (page: Page) => page.getByRole('combobox', { name: 'Customer' })
const item = (page: Page) => page.getByRole('combobox', { name: 'Item, line 1' })
const price = (page: Page) => page.getByLabel('Price, line 1')
const notChosen = (page: Page) => page.getByText('Choose an entry from the list.')

/** Types a text, leaves the field with Tab before the answer, and returns a function that lets the answer arrive. */
async function leave(field: Locator, text: string, ...keys: readonly string[]): Promise<() => void> {
  const [asked, answer] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const isSearch = (url: URL) => url.searchParams.get('q') === text
  await field.page().route(isSearch, async (route) => {
    asked.resolve()
    await answer.promise
    await route.continue()
  })
  await field.fill(text)
  await asked.promise
  for (const key of keys) await field.press(key)
  await field.press('Tab')
  expect([await field.inputValue(), await field.getAttribute('aria-expanded')]).toEqual([text, 'false'])
  return answer.resolve
}

test('after Tab, the only entry and its price are chosen when the answer arrives', async () => {
  const page = await stage.signIn('clerk', '/sales-orders/new')
  const answer = await leave(item(page), 'plank')
  answer()
  await expect.poll(() => item(page).inputValue()).toBe('Oak plank 2 m')
  expect(await price(page).inputValue()).toBe('24.90')
  expect(await item(page).evaluate((one) => one === document.activeElement)).toBe(false)
})

test('an entry that arrives after Tab does not replace a price that the user has typed', async () => {
  const page = await stage.signIn('clerk', '/sales-orders/new')
  const answer = await leave(item(page), 'plank')
  await price(page).fill('7')
  answer()
  await expect.poll(() => item(page).inputValue()).toBe('Oak plank 2 m')
  expect(await price(page).inputValue()).toBe('7')
})

test('Enter and Tab before the answer choose the first of several entries, and keep a price that the user has typed', async () => {
  const page = await stage.signIn('clerk', '/sales-orders/new')
  const answer = await leave(item(page), 'M8', 'Enter')
  await price(page).fill('7')
  answer()
  await expect.poll(() => item(page).inputValue()).toMatch(/M8/)
  await expect.poll(() => item(page).inputValue()).not.toBe('M8')
  expect([await price(page).inputValue(), await notChosen(page).count()]).toEqual(['7', 0])
})

test('an answer that arrives after the user has returned and typed again chooses nothing', async () => {
  const page = await stage.signIn('clerk', '/sales-orders/new')
  const answer = await leave(customer(page), 'pine')
  await customer(page).fill('oak')
  answer()
  await page.getByRole('option').getByText('Oak').first().waitFor()
  expect(await customer(page).inputValue()).toBe('oak')
})

test.each([
  ['unfinished', 'Customer'],
  ['M8', 'Item, line 1'],
])('Tab keeps the text "%s", which is not one entry, with an error', async (text, name) => {
  const page = await stage.signIn('clerk', '/sales-orders/new')
  const field = page.getByRole('combobox', { name })
  const answer = await leave(field, text)
  answer()
  await notChosen(page).waitFor()
  // Tab through the field does not remove the text either.
  await field.press('Tab')
  await notChosen(page).waitFor()
  expect([await field.inputValue(), await page.getByRole('option').count()]).toEqual([text, 0])
})

test('Tab keeps a text for which nothing was found, with an error', async () => {
  const page = await stage.signIn('clerk', '/sales-orders/new')
  await customer(page).fill('unfinished')
  await page.locator('.picker-note').getByText('Nothing found.').waitFor()
  await customer(page).press('Tab')
  await notChosen(page).waitFor()
  expect(await customer(page).inputValue()).toBe('unfinished')
})

test('a text that waits for its choices stays with its line when others are added and removed', async () => {
  const page = await stage.signIn('clerk', '/sales-orders/new')
  // The order has no customer.
  tolerate(page, /400 \(Bad Request\)/)
  const second = page.getByRole('combobox', { name: 'Item, line 2' })
  await page.getByRole('button', { name: 'Add a line' }).click()
  const answer = await leave(second, 'plank')
  await page.getByRole('button', { name: 'Add a line' }).click()
  expect(await second.inputValue()).toBe('plank')
  await page.getByRole('button', { name: 'Remove line 1' }).click()
  expect(await item(page).inputValue()).toBe('plank')
  answer()
  await page.getByLabel('Price, line 1').fill('1')
  await page.getByRole('button', { name: 'Create', exact: true }).click()
  await expect.poll(() => item(page).inputValue()).toBe('Oak plank 2 m')
})

test('Tab keeps the text of a failed search, and the field has an error', async () => {
  const page = await stage.signIn('clerk', '/sales-orders/new')
  tolerate(page, /ERR_FAILED/)
  await page.route(/q=pine/, (route) => route.abort())
  await customer(page).fill('pine')
  await page.getByText('The service cannot be reached.').waitFor()
  await customer(page).press('Tab')
  await notChosen(page).waitFor()
  expect(await customer(page).inputValue()).toBe('pine')
})
