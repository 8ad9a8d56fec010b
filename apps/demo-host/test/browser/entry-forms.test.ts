import type { Locator, Page } from 'playwright-core'
import { expect } from 'vitest'
import { act, type Document } from '../actions.ts'
import { expectAnswer } from '../answers.ts'
import { draftSales, postedInvoice } from '../trade/actions/documents.ts'
import { ofDeleted, signIn, signOut, stageOfFile, test, tolerate } from './harness.ts'

const stage = stageOfFile()
const clerk = stage.as('clerk')

const heading = (page: Page) => page.getByRole('heading', { level: 1 })
const quantity = (page: Page) => page.getByLabel('Quantity, line 1')
const save = (page: Page) => page.getByRole('button', { name: 'Save', exact: true })
const message = (page: Page, text: string) => page.locator('vk-toasts li').filter({ hasText: text })
const focused = (page: Page) =>
  page.evaluate(() => document.activeElement?.getAttribute('aria-label') ?? document.activeElement?.id)
const topOf = async (target: Locator) => (await target.boundingBox())?.y

async function openDraft(type: 'sales_order' | 'sales_invoice' = 'sales_order') {
  const document = await draftSales(clerk, `trade.${type}`)
  const page = await stage.signIn('clerk', pathOf(document))
  await page.locator('vk-document-actions').getByRole('button', { name: 'Post', exact: true }).waitFor()
  return { page, document }
}

const pathOf = ({ typeCode, id }: Document) => `/${typeCode.replace('trade.', '').replace('_', '-')}s/${id}`

async function stored({ typeCode, id }: Document): Promise<unknown> {
  const { payload } = await expectAnswer(clerk('GET', `/api/documents/${typeCode}/${id}`), 200)
  return payload
}

test.each([
  ['en-US', '5,000', '1,234.50', '6,172,500.00'],
  ['de-DE', '5.000', '1.234,50', '6.172.500,00'],
])('in %s, numbers can be typed as the page shows them', async (locale, count, price, total) => {
  const document = await draftSales(clerk, 'trade.sales_order', (fields) => ({
    ...fields,
    lines: fields.lines.slice(0, 1).map((line) => ({ ...line, quantity: 2.125 })),
  }))
  const page = await stage.signIn('clerk', pathOf(document), { locale })
  // The quantity of the form has the decimal sign of the page, so that saving it changes nothing.
  await expect.poll(() => quantity(page).inputValue()).toBe((2.125).toLocaleString(locale))
  await quantity(page).fill(count)
  await page.getByLabel('Price, line 1').fill('')
  await page.getByLabel('Price, line 1').pressSequentially(price)
  await page.getByLabel('Price, line 1').blur()
  // Without group signs, as in other programs.
  const complete = (1234.5).toLocaleString(locale, { minimumFractionDigits: 2, useGrouping: false })
  await expect.poll(() => page.getByLabel('Price, line 1').inputValue()).toBe(complete)
  await page
    .getByRole('row', { name: /^Total/ })
    .getByText(total)
    .waitFor()
  await save(page).click()
  await message(page, 'Saved.').waitFor()
  expect(await stored(document)).toMatchObject({
    fields: { lines: [{ quantity: 5000, unitPrice: '1234.50' }] },
  })
})

test('the page confirms what was created, saved and deleted', async () => {
  const { page, document } = await openDraft()
  await quantity(page).fill('7')
  await page.keyboard.press('Control+s')
  await message(page, 'Saved.').waitFor()
  tolerate(page, ofDeleted)
  await page.getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  await message(page, `${document.number} deleted.`).waitFor()
  const invoice = await postedInvoice(clerk)
  await page.goto(`${stage.demo.url}/payments/new?invoice=${invoice.id}&amount=5.00`)
  await page.getByRole('button', { name: 'Create and post' }).click()
  await message(page, 'created and posted.')
    .filter({ hasText: /CP-\d{6}/ })
    .waitFor()
  await page.goto(`${stage.demo.url}/items/new`)
  await page.getByLabel('Name').fill('Washer')
  await page.getByRole('button', { name: 'Create', exact: true }).click()
  await message(page, 'Washer created.').waitFor()
})

test('Back skips the places of a deleted draft', async () => {
  const document = await draftSales(clerk, 'trade.sales_order')
  const page = await stage.signIn('clerk', '/preferences', { viewport: { width: 1280, height: 800 } })
  tolerate(page, ofDeleted)
  const path = () => new URL(page.url()).pathname
  await page.getByRole('link', { name: 'Sales orders' }).click()
  await page.getByRole('link', { name: document.number ?? '' }).click()
  // The panel has a place of its own in the history.
  await page.getByRole('button', { name: /^Notes/ }).click()
  await page.getByRole('region', { name: 'Notes' }).waitFor()
  await page.getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  await expect.poll(path).toBe('/sales-orders')
  await page.goBack()
  await expect.poll(path).toBe('/sales-orders')
  await page.goBack()
  await expect.poll(path).toBe('/preferences')
  for (const expected of ['/sales-orders', '/sales-orders']) {
    await page.goForward()
    await expect.poll(path).toBe(expected)
    await page.getByRole('heading', { name: 'Sales orders', level: 1 }).waitFor()
  }
})

test('nothing moves when the user begins to type', async () => {
  const { page } = await openDraft()
  const before = await topOf(quantity(page))
  await quantity(page).fill('7')
  await page.getByText('Save or discard your changes').waitFor()
  expect(await topOf(quantity(page))).toBe(before)
})

test('the focus follows a line that is added or removed, and is in the form after a discard', async () => {
  const { page } = await openDraft()
  const add = page.getByRole('button', { name: 'Add a line' })
  await add.click()
  const last = (await page.locator('form .lines tbody tr').count()) - 1
  await expect.poll(() => focused(page)).toBe(`field-lines-${last}-itemId`)
  await add.click()
  await page.getByRole('button', { name: 'Remove line 2', exact: true }).press('Enter')
  await expect.poll(() => focused(page)).toBe('Remove line 2')
  for (let lines = last + 1; lines > 1; lines -= 1)
    await page.getByRole('button', { name: `Remove line ${lines}`, exact: true }).press('Enter')
  await expect.poll(() => page.locator(':focus').textContent()).toContain('Add a line')
  await page.getByRole('button', { name: 'Discard changes' }).click()
  await expect.poll(() => focused(page)).toBe('field-customerId')
})

test('a payment that is cancelled returns to the invoice from which it was opened', async () => {
  const invoice = await postedInvoice(clerk)
  const page = await stage.signIn('clerk', pathOf(invoice))
  await page.getByRole('link', { name: 'Register payment' }).click()
  await page.getByRole('link', { name: 'Cancel' }).click()
  await expect.poll(() => heading(page).textContent()).toBe(invoice.number)
})

test('a document that an action has created has a previous and a next one', async () => {
  const order = await draftSales(clerk, 'trade.sales_order')
  await act(clerk, order, 'post')
  const page = await stage.signIn('clerk', '/sales-invoices')
  await page.locator('.list-table a').first().waitFor()
  await page.getByRole('link', { name: 'Sales orders', exact: true }).click()
  await page.getByRole('link', { name: order.number }).click()
  await page.getByRole('button', { name: 'Create invoice' }).click()
  await expect.poll(() => heading(page).textContent()).toMatch(/^SI-/)
  const next = page.getByRole('link', { name: 'Next sales invoice' })
  await expect.poll(() => next.getAttribute('aria-disabled')).toBeNull()
})

/** Ends the session of a page at its next save. */
async function endSession(page: Page): Promise<void> {
  tolerate(page, /400 \(Bad Request\)|401 \(Unauthorized\)/)
  const headers = { 'Access-Control-Allow-Origin': stage.demo.url }
  await page.route(/\/api\/documents\/trade\.\w+(\/[\w-]+)?$/, (route) =>
    /POST|PUT/.test(route.request().method()) ? route.fulfill({ status: 401 }) : route.continue(),
  )
  await page.route(`${stage.demo.issuer}/token`, (route) =>
    route.fulfill({ status: 400, headers, json: { error: 'invalid_grant' } }),
  )
  await page.keyboard.press('Control+s')
  await page.getByText(/Your session has ended.*Your input is kept/).waitFor()
  expect(await page.title()).toBe('Sign in · Vertical Kit demo')
  const button = page.getByRole('button', { name: 'Sign in', exact: true })
  expect(await button.evaluate((one) => one === document.activeElement)).toBe(true)
  await page.unrouteAll()
}

const restored = (page: Page) => message(page, 'Your unsaved changes were restored.')

test('after the session has ended, the user gets back the unsaved changes', async () => {
  const { page, document } = await openDraft()
  await quantity(page).fill('77')
  await endSession(page)
  await signIn(page, 'clerk')
  await restored(page).waitFor()
  expect(await quantity(page).inputValue()).toBe('77')
  await save(page).click()
  await message(page, 'Saved.').waitFor()
  expect(await stored(document)).toMatchObject({ fields: { lines: [{ quantity: 77 }] } })
  await page.reload()
  await page.locator('vk-document-actions').waitFor()
  expect(await restored(page).count()).toBe(0)

  await page.goto(`${stage.demo.url}/items/new`)
  await page.getByLabel('Name').fill('Washer')
  await page.route('**/api/catalogs/trade.item', (route) => route.fulfill({ status: 401 }))
  await endSession(page)
  await signIn(page, 'clerk')
  await restored(page).waitFor()
  expect(await page.getByLabel('Name').inputValue()).toBe('Washer')
})

test('the kept payment of one invoice is not filled in for another invoice', async () => {
  const [one, other] = [await postedInvoice(clerk), await postedInvoice(clerk)]
  const page = await stage.signIn('clerk', `/payments/new?invoice=${one.id}&amount=9.00`)
  await page.getByLabel('Amount').fill('1.00')
  await endSession(page)
  await page.goto(`${stage.demo.url}/payments/new?invoice=${other.id}&amount=5.00`)
  await signIn(page, 'clerk')
  await expect.poll(() => page.getByLabel('Amount').inputValue()).toBe('5.00')
  expect(await restored(page).count()).toBe(0)
  await page.goto(`${stage.demo.url}/payments/new?invoice=${one.id}&amount=9.00`)
  await restored(page).waitFor()
  expect(await page.getByLabel('Amount').inputValue()).toBe('1.00')
})

test('input during a creation stays in the form of the new entry', async () => {
  const page = await stage.signIn('clerk', '/items/new')
  const creating = Promise.withResolvers<void>()
  await page.route('**/api/catalogs/trade.item', async (route) => {
    if (route.request().method() === 'POST') await creating.promise
    await route.continue()
  })
  await page.getByLabel('Name').fill('Washer 8')
  await page.keyboard.press('Control+s')
  await page.getByRole('button', { name: 'Saving…' }).waitFor()
  await page.getByLabel('Name').fill('Washer 80')
  creating.resolve()
  await restored(page).waitFor()
  expect(await page.getByLabel('Name').inputValue()).toBe('Washer 80')
  await save(page).click()
  await message(page, 'Saved.').waitFor()
  await expect.poll(() => heading(page).textContent()).toBe('Washer 80')
})

test('a form cannot be sent again while its document is posted', async () => {
  const invoice = await postedInvoice(clerk)
  const page = await stage.signIn('clerk', `/payments/new?invoice=${invoice.id}&amount=5.00`)
  const [reached, posting] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  await page.route('**/actions/post', async (route) => {
    reached.resolve()
    await posting.promise
    await route.continue()
  })
  await page.getByRole('button', { name: 'Create and post' }).click()
  await reached.promise
  expect(await page.getByRole('button', { name: 'Saving…' }).count()).toBe(1)
  posting.resolve()
  await message(page, 'created and posted.').waitFor()
})

test('unsaved changes of an older version are restored with the notice of the conflict', async () => {
  const { page, document } = await openDraft()
  await quantity(page).fill('77')
  await endSession(page)
  await act(await stage.demo.as('clerk2'), document, 'post')
  await signIn(page, 'clerk')
  await page.getByRole('alert').filter({ hasText: 'after you opened it' }).waitFor()
  expect(await quantity(page).inputValue()).toBe('77')
})

test('unsaved changes are deleted when another user signs in', async () => {
  const { page } = await openDraft()
  await quantity(page).fill('77')
  await endSession(page)
  for (const user of ['clerk2', 'clerk']) {
    await signIn(page, user)
    await page.locator('vk-document-actions').waitFor()
    expect(await quantity(page).inputValue()).not.toBe('77')
    await signOut(page)
  }
})

test.each(['Save', 'Save and post'])(
  'after "%s" with the keyboard, the focus is in the view',
  async (name) => {
    const { page } = await openDraft()
    await quantity(page).fill('7')
    await page.getByRole('button', { name, exact: true }).press('Enter')
    await message(page, 'Saved').waitFor()
    await expect.poll(() => page.evaluate(() => document.activeElement?.localName)).toBe('main')
  },
)

test('discarded changes can be restored, also after the user has left the document', async () => {
  const { page, document } = await openDraft()
  await quantity(page).fill('77')
  await page.getByRole('button', { name: 'Discard changes' }).click()
  const undo = message(page, 'Changes discarded.').getByRole('button', { name: 'Undo' })
  await undo.click()
  await expect.poll(() => quantity(page).inputValue()).toBe('77')

  await page.getByRole('button', { name: 'Discard changes' }).click()
  await page.getByRole('link', { name: 'Customers' }).click()
  await undo.click()
  await page.goBack()
  await page.waitForURL(`**${pathOf(document)}`)
  await expect.poll(() => quantity(page).inputValue()).toBe('77')
})

test('a new form has the focus in its first field, and a new line does not hide the total', async () => {
  const page = await stage.signIn('clerk', '/sales-invoices')
  await page.getByRole('link', { name: 'New sales invoice' }).click()
  const customer = page.getByRole('combobox', { name: 'Customer' })
  await expect.poll(() => customer.evaluate((one) => one === document.activeElement)).toBe(true)
  await page.getByRole('combobox', { name: 'Item, line 1' }).fill('a')
  await page.getByRole('option').first().click()
  await page.getByLabel('Price, line 1').fill('3')
  const total = page.locator('tfoot')
  await expect.poll(() => total.innerText()).toContain('3.00')
  await page.getByRole('button', { name: 'Add a line' }).click()
  await page.getByRole('combobox', { name: 'Item, line 2' }).waitFor()
  expect(await total.innerText()).toContain('3.00')
})

test('the form of a new entry is not found without the permission to create it', async () => {
  const page = await stage.signIn('viewer', '/sales-invoices/new')
  await page.getByRole('heading', { name: 'Not found' }).waitFor()
})
