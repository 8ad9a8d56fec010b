import { randomUUID } from 'node:crypto'
import type { Locator, Page } from 'playwright-core'
import { expect } from 'vitest'
import { act } from '../actions.ts'
import { expectAnswer } from '../answers.ts'
import { draftSales, postedInvoice } from '../trade/actions/documents.ts'
import { expectNoSeriousViolations, ofDeleted, screenshot, stageOfFile, test, tolerate } from './harness.ts'
import { badge, rowOf } from './work-center-stage.ts'

const stage = stageOfFile()

const heading = (page: Page) => page.getByRole('heading', { level: 1 })

test('a new invoice can be entered with only the keyboard and is saved as a numbered draft', async () => {
  const page = await stage.signIn('clerk', '/sales-invoices')
  await tabTo(page, page.getByRole('link', { name: 'New sales invoice' }))
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'New sales invoice' }).waitFor()
  await tabTo(page, page.getByLabel('Customer'))
  await page.keyboard.type('Pine')
  await page.keyboard.press('Enter')
  await expect.poll(() => page.getByLabel('Customer').inputValue()).toBe('Pine Print')
  await tabTo(page, page.getByLabel('Due date'))
  await page.keyboard.type('12312026')
  await tabTo(page, page.getByLabel('Item, line 1'))
  await page.keyboard.type('Wood')
  await page.keyboard.press('Enter')
  await expect.poll(() => page.getByLabel('Price, line 1').inputValue()).toBe('11.40')
  await tabTo(page, page.getByLabel('Quantity, line 1'))
  await page.keyboard.type('2,5')
  await tabTo(page, page.getByLabel('Price, line 1'))
  await page.keyboard.press('ControlOrMeta+A')
  await page.keyboard.type('10')
  await tabTo(page, page.getByRole('button', { name: 'Create', exact: true }))
  expect(await page.getByRole('row', { name: /^Total/ }).textContent()).toMatch(/25\.00/)
  await page.keyboard.press('Enter')
  await expect.poll(() => heading(page).textContent()).toMatch(/^SI-\d{6}$/)
  const id = new URL(page.url()).pathname.split('/').at(-1) ?? ''
  const clerk = await stage.demo.as('clerk')
  const { payload } = await expectAnswer(clerk('GET', `/api/documents/trade.sales_invoice/${id}`), 200)
  expect(payload).toMatchObject({
    fields: { dueDate: '2026-12-31', lines: [{ quantity: 2.5, unitPrice: '10.00' }] },
  })
  await page.getByRole('button', { name: 'Post', exact: true }).waitFor()
})

test('a new invoice is created once although the response is lost', async () => {
  const page = await stage.signIn('clerk', '/sales-invoices/new')
  tolerate(page, /ERR_CONNECTION_RESET/)
  const keys: unknown[] = []
  await page.route('**/api/documents/trade.sales_invoice', async (route) => {
    if (route.request().method() !== 'POST') return route.continue()
    keys.push(route.request().postDataJSON().creationKey)
    if (keys.length > 1) return route.continue()
    await route.fetch()
    return route.abort('connectionreset')
  })
  const count = async () => {
    const { counts } = (await expectAnswer(
      stage.as('clerk')('GET', '/api/documents/trade.sales_invoice?counts=true'),
      200,
    )) as { counts?: Record<string, number> }
    return counts?.['Draft']
  }
  const before = await count()
  await page.getByLabel('Customer').fill('Pine')
  await page.getByLabel('Customer').press('Enter')
  await expect.poll(() => page.getByLabel('Customer').inputValue()).toBe('Pine Print')
  await page.getByLabel('Due date').fill('2026-12-31')
  await page.getByLabel('Item, line 1').fill('Wood')
  await page.getByLabel('Item, line 1').press('Enter')
  await expect.poll(() => page.getByLabel('Price, line 1').inputValue()).toBe('11.40')
  await page.getByRole('button', { name: 'Create', exact: true }).click()
  await page.waitForURL(/\/sales-invoices\/[\da-f-]{36}$/)
  expect([keys.length, new Set(keys).size]).toEqual([2, 1])
  expect(await count()).toBe((before ?? 0) + 1)
})

test('a new customer is created once although the response is lost', async () => {
  const page = await stage.signIn('clerk', '/customers/new')
  tolerate(page, /ERR_CONNECTION_RESET/)
  const keys: unknown[] = []
  await page.route('**/api/catalogs/trade.customer', async (route) => {
    if (route.request().method() !== 'POST') return route.continue()
    keys.push(route.request().postDataJSON().creationKey)
    if (keys.length > 1) return route.continue()
    await route.fetch()
    return route.abort('connectionreset')
  })
  const name = `Once ${randomUUID()}`
  await page.getByLabel('Name').fill(name)
  await page.getByRole('button', { name: 'Create', exact: true }).click()
  await page.waitForURL(/\/customers\/[\da-f-]{36}$/)
  expect([keys.length, new Set(keys).size]).toEqual([2, 1])
  const found = stage.as('clerk')('GET', `/api/catalogs/trade.customer?q=${encodeURIComponent(name)}`)
  expect((await expectAnswer(found, 200)).items).toHaveLength(1)
})

test('the page of a new document shows no actions and no drawers until the document is saved', async () => {
  const page = await stage.signIn('clerk', '/customers/new')
  await heading(page).waitFor()
  expect(await page.locator('demo-entry-tools, vk-document-actions').count()).toBe(0)
  const name = `Zebra ${randomUUID()} & <b>Söhne</b>`
  await page.getByLabel('Name').fill(name)
  await page.getByRole('button', { name: 'Create', exact: true }).click()
  await expect.poll(() => heading(page).textContent()).toBe(name)
  await page.getByRole('button', { name: 'Attachments: 0' }).waitFor()
  await page.goto(`${stage.demo.url}/sales-orders/new`)
  await page.getByLabel('Customer').fill('söhne')
  await page.getByRole('option', { name }).waitFor()
})

test('after a refused save, errors appear at their fields, and the first field with an error has the focus', async () => {
  const page = await stage.signIn('clerk', '/sales-invoices/new')
  tolerate(page, /400 \(Bad Request\)/)
  await page.getByLabel('Quantity, line 1').fill('many')
  await page.getByLabel('Price, line 1').fill('9.999')
  await page.getByRole('button', { name: 'Create', exact: true }).click()
  await page.locator('.field-error').first().waitFor()
  expect(await page.locator('.field-error').allTextContents()).toEqual([
    'This field is required.',
    'This field is required.',
    'This field is required.',
    'Enter a number, such as 1,234.5.',
    expect.stringMatching(/^Enter an amount/),
  ])
  const customer = page.getByLabel('Customer')
  await expect.poll(() => isFocused(customer)).toBe(true)
  expect(await customer.getAttribute('aria-describedby')).toBe('field-customerId-error')
  await expectNoSeriousViolations(page)
  await screenshot(page, 'sales-invoice-errors')
  await customer.fill('Pine')
  await customer.press('Enter')
  await expect.poll(() => customer.getAttribute('aria-invalid')).toBeNull()
})

test('the form of a draft can be changed, reset and saved, and the draft can be deleted', async () => {
  const { id, number } = await draftSales(await stage.demo.as('clerk'), 'trade.sales_order')
  const page = await stage.signIn('clerk', `/sales-orders/${id}`)
  const quantity = page.getByLabel('Quantity, line 1')
  await quantity.waitFor()
  const before = await quantity.inputValue()
  await quantity.fill('77')
  await page.getByText('Save or discard your changes').waitFor()
  expect(await page.locator('vk-document-actions').count()).toBe(0)
  await page.getByRole('button', { name: 'Discard changes' }).click()
  expect(await quantity.inputValue()).toBe(before)
  await quantity.fill('78')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.locator('vk-document-actions').waitFor()
  await page.reload()
  await expect.poll(() => quantity.inputValue()).toBe('78')
  await page.getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click()
  await page.getByRole('button', { name: 'Delete' }).click()
  tolerate(page, ofDeleted)
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('heading', { name: 'Sales orders' }).waitFor()
  expect(await page.locator(`a[href="/sales-orders/${id}"]`).count()).toBe(0)
  await page.keyboard.press('Control+k')
  await page.getByRole('option', { name: 'Customers' }).waitFor()
  expect(await page.getByRole('option', { name: number }).count()).toBe(0)
})

test('navigation away from unsaved changes requires a confirmation', async () => {
  const page = await stage.signIn('clerk', '/items/new')
  await page.getByLabel('Name').fill('Something')
  page.once('dialog', (dialog) => void dialog.dismiss())
  await page.getByRole('link', { name: 'Customers' }).click()
  expect(await page.getByLabel('Name').inputValue()).toBe('Something')
  page.once('dialog', (dialog) => void dialog.accept())
  await page.getByRole('link', { name: 'Customers' }).click()
  await page.getByRole('heading', { name: 'Customers' }).waitFor()
})

test('navigation from the Work Center away from unsaved changes requires a confirmation', async () => {
  const invoice = await postedInvoice(await stage.demo.as('clerk'))
  const page = await stage.signIn('clerk', '/items/new')
  await page.getByLabel('Name').fill('Something')
  const open = async () => {
    await badge(page).click()
    await rowOf(page, invoice).getByRole('link', { name: invoice.number }).click()
  }
  page.once('dialog', (dialog) => void dialog.dismiss())
  await open()
  expect(await page.getByLabel('Name').inputValue()).toBe('Something')
  page.once('dialog', (dialog) => void dialog.accept())
  await open()
  await page.waitForURL(`**/sales-invoices/${invoice.id}`)
})

test('if the user navigates while a document is being saved, the page does not navigate back after the save', async () => {
  const page = await stage.signIn('clerk', '/items/new')
  const saving = Promise.withResolvers<void>()
  await page.route('**/api/catalogs/trade.item', async (route) => {
    if (route.request().method() === 'POST') await saving.promise
    await route.continue()
  })
  await page.getByLabel('Name').fill('Something')
  await page.getByRole('button', { name: 'Create', exact: true }).click()
  await page.getByRole('link', { name: 'Customers' }).click()
  await page.getByRole('heading', { name: 'Customers' }).waitFor()
  const saved = page.waitForResponse((response) => response.request().method() === 'POST')
  saving.resolve()
  await saved
  // The page handles the response before it sends and answers another request.
  await page.evaluate(() => fetch('/page-settings.json').then((response) => response.text()))
  expect(new URL(page.url()).pathname).toBe('/customers')
})

test('if a save fails after the user has left, the page says so and keeps the values', async () => {
  const page = await stage.signIn('clerk', '/items/new')
  tolerate(page, /net::ERR_FAILED/)
  const saving = Promise.withResolvers<void>()
  await page.route('**/api/catalogs/trade.item', async (route) => {
    if (route.request().method() !== 'POST') return route.continue()
    await saving.promise
    await route.abort()
  })
  await page.getByLabel('Name').fill('Something')
  await page.getByRole('button', { name: 'Create', exact: true }).click()
  await page.getByRole('link', { name: 'Customers' }).click()
  await page.getByRole('heading', { name: 'Customers' }).waitFor()
  saving.resolve()
  await page
    .locator('vk-toasts')
    .getByText(/^Your item was not saved\. .* Open it again to continue\.$/)
    .waitFor()
  await page.goto(`${new URL(page.url()).origin}/items/new`)
  await page.getByText('Your unsaved changes were restored.').first().waitFor()
  expect(await page.getByLabel('Name').inputValue()).toBe('Something')
})

test('a posted document is read-only and shows its accounting entries', async () => {
  const { id } = await postedInvoice(await stage.demo.as('clerk'))
  const page = await stage.signIn('clerk', `/sales-invoices/${id}`)
  await page.getByRole('heading', { name: 'Accounting entries' }).waitFor()
  expect(await page.locator('form').count()).toBe(0)
  expect(await page.getByRole('row', { name: /1200 Receivables/ }).count()).toBe(1)
  await expectNoSeriousViolations(page)
  await screenshot(page, 'sales-invoice-posted')
})

test('the dialog of the action that applies a payment has a field for the amount', async () => {
  const clerk = await stage.demo.as('clerk')
  const { id: invoiceId } = await postedInvoice(clerk)
  const page = await stage.signIn('clerk', `/payments/new?invoice=${invoiceId}`)
  await page.getByLabel('Amount').fill('10')
  await page.getByRole('button', { name: 'Create', exact: true }).click()
  await page.getByRole('button', { name: 'Post', exact: true }).click()
  await page.getByRole('button', { name: 'Apply payment', exact: true }).click()
  const dialog = page.getByRole('dialog', { name: 'Apply payment' })
  const amount = dialog.getByLabel('Amount')
  await expect.poll(() => amount.inputValue()).toBe('10.00')
  await amount.fill('nothing')
  await dialog.getByRole('button', { name: 'Apply payment', exact: true }).click()
  await dialog.getByText('Enter an amount above zero').waitFor()
  await expectNoSeriousViolations(page)
  await amount.fill('4')
  await page.keyboard.press('Enter')
  await page
    .getByRole('row', { name: /1200 Receivables/ })
    .filter({ hasText: '4.00' })
    .waitFor()
})

test('after an invoice is created from an order, the page shows the invoice, and each links the other', async () => {
  const clerk = await stage.demo.as('clerk')
  const { document: order } = await act(clerk, await draftSales(clerk, 'trade.sales_order'), 'post')
  const page = await stage.signIn('clerk', '/sales-orders')
  await page.getByRole('link', { name: order.number }).click()
  await page.getByRole('button', { name: 'Create invoice' }).click()
  await expect.poll(() => new URL(page.url()).pathname).toMatch(/^\/sales-invoices\//)
  await expect.poll(() => heading(page).textContent()).toMatch(/^SI-/)
  const number = await heading(page).textContent()
  const related = page.getByRole('region', { name: 'Related documents' })
  await related.getByRole('link', { name: order.number }).click()
  await expect.poll(() => heading(page).textContent()).toBe(order.number)
  await related.getByRole('link', { name: number ?? '' }).click()
  await expect.poll(() => heading(page).textContent()).toBe(number)
  await page.getByRole('button', { name: 'Open customer' }).click()
  await expect.poll(() => new URL(page.url()).pathname).toMatch(/^\/customers\//)
})

test('users without permission to edit see a draft without a form, and drawers without permission are disabled', async () => {
  const { id } = await draftSales(await stage.demo.as('clerk'), 'trade.sales_invoice')
  const viewer = await stage.signIn('viewer', `/sales-invoices/${id}`)
  await viewer.getByText('Lines').waitFor()
  expect(await viewer.locator('form').count()).toBe(0)
  expect(await viewer.getByRole('button', { name: 'History' }).getAttribute('aria-disabled')).toBe('true')
  await viewer.getByRole('button', { name: 'Notes: 0' }).waitFor()
  const uploader = await stage.signIn('uploader', `/sales-invoices/${id}`)
  await uploader.getByText('Lines').waitFor()
  expect(await uploader.getByRole('link', { name: 'Customers' }).count()).toBe(0)
  const reasonOf = { Attachments: 'attachments', Notes: 'notes', History: 'the history' }
  for (const name of ['Attachments', 'Notes', 'History'] as const) {
    const entry = uploader.getByRole('button', { name })
    expect(await entry.getAttribute('aria-disabled')).toBe('true')
    // The reason is not only in the tooltip, which neither touch screens nor the keyboard can show.
    await entry.press('Enter')
    const reason = uploader
      .getByRole('status')
      .getByText(`You do not have permission to view ${reasonOf[name]}.`)
    await reason.waitFor()
    expect(await entry.evaluate((one) => one.ariaDescribedByElements?.[0]?.textContent?.trim())).toBe(
      (await reason.textContent())?.trim(),
    )
    await entry.click({ force: true })
  }
  expect(await uploader.getByRole('dialog').count()).toBe(0)
  await expectNoSeriousViolations(uploader)
})

test('if a document fails to load, a retry shows the document with the names of its references', async () => {
  const { id } = await draftSales(await stage.demo.as('clerk'), 'trade.sales_invoice')
  const page = await stage.signIn('clerk', '/preferences')
  tolerate(page, /500 \(Internal Server Error\)/)
  const asked = new RegExp(`api/(documents/trade.sales_invoice/${id}/editor-state$|catalogs/trade\\.item)`)
  await page.route(asked, (route) => route.fulfill({ status: 500, body: 'broken' }))
  await page.getByRole('link', { name: 'Sales invoices' }).click()
  await page.locator(`a[href="/sales-invoices/${id}"]`).click()
  await page.getByRole('heading', { name: 'Could not load this entry' }).waitFor()
  await page.unroute(asked)
  await page.getByRole('button', { name: 'Try again' }).click()
  const item = page.getByRole('combobox', { name: 'Item, line 1' })
  await expect.poll(() => item.inputValue()).toBe('Bolt')
})

const isFocused = (locator: Locator): Promise<boolean> =>
  locator.evaluate((element) => (element.getRootNode() as Document | ShadowRoot).activeElement === element)

/** Presses Tab until the target has the focus. */
async function tabTo(page: Page, target: Locator): Promise<void> {
  for (let steps = 0; steps < 80; steps += 1) {
    if (await isFocused(target)) return
    await page.keyboard.press('Tab')
  }
  throw new Error(`Tab does not reach ${target}`)
}
