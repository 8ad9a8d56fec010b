import type { Locator, Page } from 'playwright-core'
import { expect } from 'vitest'
import { expectAnswer } from '../answers.ts'
import { draftSales } from '../trade/actions/documents.ts'
import { stageOfFile, test, tolerate } from './harness.ts'

const stage = stageOfFile()

const quantity = (page: Page) => page.getByLabel('Quantity, line 1')
const price = (page: Page) => page.getByLabel('Price, line 1')
const amount = (page: Page) => page.locator('td.sum')

/** Returns the error of a field. Undefined if it has none. */
const errorOf = (field: Locator) =>
  field.evaluate((one) => document.getElementById(one.getAttribute('aria-describedby') ?? '')?.textContent)

/** Fills a text in, tries to create the entry, and waits for the error of the field. */
async function expectError(field: Locator, typed: string, error: string): Promise<void> {
  await field.fill(typed)
  await field.page().keyboard.press('Control+s')
  await expect.poll(() => errorOf(field), { message: typed.slice(0, 30) }).toBe(error)
}

test('a quantity or a price that is no number, or too large, has an error, and the form stays usable', async () => {
  const page = await stage.signIn('clerk', '/sales-orders/new')
  tolerate(page, /400 \(Bad Request\)/)
  await page.getByRole('combobox', { name: 'Item, line 1' }).fill('a')
  await page.getByRole('option').first().click()
  await price(page).fill('2.00')
  for (const typed of ['1000000000000000000000', '9'.repeat(400), '1000000001']) {
    await expectError(quantity(page), typed, 'Enter a number of at most 1,000,000,000.')
    expect(await amount(page).textContent()).toBe('—')
  }
  for (const typed of ['-', '-1', '1e5', '1\t2', 'many'])
    await expectError(quantity(page), typed, 'Enter a number, such as 1,234.5.')
  await quantity(page).fill('5')
  await expect.poll(() => amount(page).textContent()).toBe('10.00')
  for (const typed of ['12345678901234', '12345678901234.50', '9'.repeat(400)]) {
    await expectError(price(page), typed, 'Enter an amount of at most 9,999,999,999,999.99.')
    expect(await amount(page).textContent()).toBe('—')
  }
  for (const typed of ['-', '-1', '1e5'])
    await expectError(price(page), typed, 'Enter an amount with two decimal places, such as 12.50.')
  await price(page).fill('3')
  await expect.poll(() => amount(page).textContent()).toBe('15.00')
})

test('an amount of a journal entry that is no number, or too large, has an error', async () => {
  const page = await stage.signIn('clerk', '/journal-entries/new')
  tolerate(page, /400 \(Bad Request\)/)
  const debit = page.getByLabel('Debit, line 1')
  await expectError(debit, '12345678901234.50', 'Enter an amount of at most 9,999,999,999,999.99.')
  for (const typed of ['-', '1e5'])
    await expectError(debit, typed, 'Enter an amount with two decimal places, such as 12.50.')
  await debit.fill('9,999,999,999,999.99')
  await expect.poll(() => page.locator('tfoot').textContent()).toContain('9,999,999,999,999.99')
})

test.each(['ar-EG', 'fa-IR'])(
  'in %s, the fields have the digits of the page, and accept them',
  async (locale) => {
    const clerk = stage.as('clerk')
    const { id } = await draftSales(clerk, 'trade.sales_order', (fields) => ({
      ...fields,
      lines: fields.lines.slice(0, 1).map((line) => ({ ...line, quantity: 2.125 })),
    }))
    const page = await stage.signIn('clerk', `/sales-orders/${id}`, { locale })
    const inLocale = (number: number, options?: Intl.NumberFormatOptions) =>
      number.toLocaleString(locale, options)
    await expect.poll(() => quantity(page).inputValue()).toBe(inLocale(2.125))
    await quantity(page).fill(inLocale(5000))
    await price(page).fill(inLocale(1234.5))
    await price(page).blur()
    const complete = { minimumFractionDigits: 2, useGrouping: false }
    await expect.poll(() => price(page).inputValue()).toBe(inLocale(1234.5, complete))
    expect(await amount(page).textContent()).toBe(inLocale(6_172_500, { minimumFractionDigits: 2 }))
    await price(page).fill('7.5')
    await price(page).blur()
    await expect.poll(() => price(page).inputValue()).toBe(inLocale(7.5, complete))
    await page.keyboard.press('Control+s')
    await page.locator('vk-document-actions').waitFor()
    const { payload } = await expectAnswer(clerk('GET', `/api/documents/trade.sales_order/${id}`), 200)
    expect(payload).toMatchObject({ fields: { lines: [{ quantity: 5000, unitPrice: '7.50' }] } })
  },
)

test('an item without a price removes the price that the item before has suggested, but no typed price', async () => {
  const clerk = stage.as('clerk')
  for (const [name, fields] of [
    ['Priced pin', { unitPrice: '77.00' }],
    ['Priceless pin', {}],
  ] as const)
    await expectAnswer(clerk('POST', '/api/catalogs/trade.item', { body: { name, fields } }), 201)
  const page = await stage.signIn('clerk', '/sales-orders/new')
  const choose = async (name: string) => {
    await page.getByRole('combobox', { name: 'Item, line 1' }).fill(name)
    await page.getByRole('option', { name }).click()
  }
  await choose('Priced pin')
  await expect.poll(() => price(page).inputValue()).toBe('77.00')
  await choose('Priceless pin')
  await expect.poll(() => price(page).inputValue()).toBe('')
  await price(page).fill('5.00')
  await choose('Priced pin')
  await expect.poll(() => price(page).inputValue()).toBe('77.00')
  await price(page).fill('76')
  await choose('Priceless pin')
  await expect
    .poll(() => page.getByRole('combobox', { name: 'Item, line 1' }).inputValue())
    .toBe('Priceless pin')
  expect(await price(page).inputValue()).toBe('76.00')
})
