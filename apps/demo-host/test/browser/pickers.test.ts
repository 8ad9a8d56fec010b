import type { Page, Route } from 'playwright-core'
import { expect } from 'vitest'
import { expectAnswer } from '../answers.ts'
import { draftSales, postedInvoice } from '../trade/actions/documents.ts'
import { expectNoSeriousViolations, stageOfFile, test, tolerate } from './harness.ts'

const stage = stageOfFile()

const customer = (page: Page) => page.getByRole('combobox', { name: 'Customer' })
const options = (page: Page) => page.getByRole('option')
const isExpanded = (page: Page) => customer(page).getAttribute('aria-expanded')

/** Returns the text of the option that screen readers read. */
const active = (page: Page) =>
  customer(page).evaluate((input) => {
    const id = input.getAttribute('aria-activedescendant')
    return id === null ? null : document.getElementById(id)?.querySelector('bdi')?.textContent
  })

test('a click opens the first entries by name, and typing finds entries by the beginnings of words', async () => {
  const page = await stage.signIn('clerk', '/sales-orders/new')
  await customer(page).click()
  await expect.poll(() => options(page).count()).toBe(20)
  await expectNoSeriousViolations(page)
  await customer(page).fill('graz bak')
  await page.getByText('Nothing found.').first().waitFor()
  await customer(page).fill('linz bak')
  await expect
    .poll(() => options(page).allTextContents())
    .toEqual([expect.stringMatching(/Birch Bakery\s+Linz/)])
  await options(page).click()
  expect(await customer(page).inputValue()).toBe('Birch Bakery')
  expect(await isExpanded(page)).toBe('false')
})

test('arrow keys move in the list, Enter chooses, and Escape restores the chosen entry', async () => {
  const page = await stage.signIn('clerk', '/sales-orders/new')
  await customer(page).press('ArrowDown')
  await options(page).first().waitFor()
  expect(await active(page)).toBeNull()
  await customer(page).press('ArrowDown')
  expect(await active(page)).toBe('Alder & Sons')
  await customer(page).press('ArrowUp')
  expect(await active(page)).toBe('Teak Toys')
  await customer(page).press('Enter')
  expect(await customer(page).inputValue()).toBe('Teak Toys')
  await customer(page).fill('pine')
  await expect.poll(() => active(page)).toBe('Pine Print')
  await customer(page).press('Escape')
  expect([await customer(page).inputValue(), await isExpanded(page)]).toEqual(['Teak Toys', 'false'])
  expect(new URL(page.url()).pathname).toBe('/sales-orders/new')
})

test('Enter before the answer chooses the first entry, and leaving an emptied field removes the entry', async () => {
  const page = await stage.signIn('clerk', '/sales-orders/new')
  const answer = Promise.withResolvers<void>()
  await page.route(/trade\.customer\?.*q=pine/, async (route) => {
    await answer.promise
    await route.continue()
  })
  await customer(page).fill('pine')
  await customer(page).press('Enter')
  answer.resolve()
  await expect.poll(() => customer(page).inputValue()).toBe('Pine Print')
  await customer(page).fill('')
  await customer(page).press('Tab')
  expect(await customer(page).inputValue()).toBe('')
  await customer(page).fill('pine')
  await expect.poll(() => active(page)).toBe('Pine Print')
  await customer(page).press('Shift+Tab')
  expect(await customer(page).inputValue()).toBe('')
  await customer(page).fill('pine')
  await expect.poll(() => active(page)).toBe('Pine Print')
  await customer(page).press('Tab')
  expect(await customer(page).inputValue()).toBe('Pine Print')
})

test('arrow keys and Enter before the answer choose an entry of the answer, and not of the list before it', async () => {
  const page = await stage.signIn('clerk', '/sales-orders/new')
  await customer(page).fill('pine')
  await expect.poll(() => active(page)).toBe('Pine Print')
  const unanswered: Route[] = []
  await page.route(/trade\.customer\?.*q=/, (route) => void unanswered.push(route))
  await customer(page).fill('bak')
  await expect.poll(() => unanswered.length).toBe(1)
  await customer(page).press('ArrowDown')
  await customer(page).press('Enter')
  await unanswered[0]?.continue()
  await expect.poll(() => customer(page).inputValue()).toBe('Birch Bakery')

  await customer(page).fill('pin')
  await expect.poll(() => unanswered.length).toBe(2)
  await unanswered[1]?.continue()
  await expect.poll(() => active(page)).toBe('Pine Print')
  await customer(page).fill('s')
  await expect.poll(() => unanswered.length).toBe(3)
  await customer(page).press('ArrowDown')
  await unanswered[2]?.continue()
  await expect.poll(() => active(page)).toBe('Spruce Supplies')
})

test('a failed search shows an error, and the next text searches again', async () => {
  const page = await stage.signIn('clerk', '/sales-orders/new')
  tolerate(page, /500 \(Internal Server Error\)/)
  await page.route(/q=oak/, (route) => route.fulfill({ status: 500, body: 'broken' }))
  await customer(page).fill('oak')
  await page.getByRole('alert').waitFor()
  await customer(page).fill('pine')
  await options(page).getByText('Pine Print').waitFor()
})

test('a payment finds posted invoices by number and customer, and drafts are not offered', async () => {
  const posted = await postedInvoice(await stage.demo.as('clerk'))
  const page = await stage.signIn('clerk', '/payments/new')
  const invoice = page.getByRole('combobox', { name: 'Invoice' })
  await invoice.fill(posted.number)
  await expect.poll(() => options(page).allTextContents()).toEqual([expect.stringMatching(/Acme\s+25\.00/)])
  await invoice.press('Enter')
  expect(await invoice.inputValue()).toBe(`${posted.number} · Acme`)
  await invoice.fill('SI-000040')
  await page.getByText('Nothing found.').first().waitFor()
})

test.each(['ltr', 'rtl'])('on a narrow screen, the list fits the page (%s)', async (direction) => {
  const page = await stage.signIn('clerk', '/sales-invoices/new', { viewport: { width: 320, height: 700 } })
  await page.evaluate((dir) => document.documentElement.setAttribute('dir', dir), direction)
  await page.getByRole('combobox', { name: 'Item, line 1' }).fill('o')
  await options(page).first().waitFor()
  const box = await page.locator('.picker-list:not([hidden])').boundingBox()
  expect(box?.x).toBeGreaterThanOrEqual(0)
  expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual(320)
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(320)
  await expectNoSeriousViolations(page)
})

test('Enter that ends the composition of an input method chooses nothing', async () => {
  const page = await stage.signIn('clerk', '/sales-orders/new')
  await customer(page).click()
  await options(page).first().waitFor()
  await customer(page).press('ArrowDown')
  await customer(page).evaluate((input) =>
    input.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', isComposing: true, bubbles: true })),
  )
  expect(await isExpanded(page)).toBe('true')
  await customer(page).press('Enter')
  expect(await isExpanded(page)).toBe('false')
})

/** Opens a new draft order, whose customer is Acme. */
async function openDraft() {
  const clerk = await stage.demo.as('clerk')
  const draft = await draftSales(clerk, 'trade.sales_order')
  const page = await stage.signIn('clerk', `/sales-orders/${draft.id}`)
  await expect.poll(() => customer(page).inputValue()).toBe('Acme')
  const puts: string[] = []
  page.on('request', (request) => request.method() === 'PUT' && puts.push(request.url()))
  const storedCustomer = async () => {
    const { payload } = await expectAnswer(clerk('GET', `/api/documents/trade.sales_order/${draft.id}`), 200)
    return (payload as typeof draft.payload).fields['customerId']
  }
  return { page, draft, puts, storedCustomer }
}

const save = (page: Page) => page.getByRole('button', { name: 'Save', exact: true })

test.each(['Save', 'Ctrl+S'])('%s chooses the entry of a typed text first, after its search', async (way) => {
  const { page, draft, storedCustomer } = await openDraft()
  const [asked, answer] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  await page.route(/trade\.customer\?.*q=pine/, async (route) => {
    asked.resolve()
    await answer.promise
    await route.continue()
  })
  await customer(page).fill('pine')
  await asked.promise
  if (way === 'Save') await save(page).click()
  else await page.keyboard.press('Control+s')
  answer.resolve()
  await page.locator('vk-toasts li').filter({ hasText: 'Saved.' }).waitFor()
  expect(await customer(page).inputValue()).toBe('Pine Print')
  expect(await storedCustomer()).not.toBe(draft.payload.fields['customerId'])
  await page.locator('vk-document-actions').waitFor()
})

test('Save keeps the chosen entry of several with the same name, and does not guess', async () => {
  const { page, draft, puts, storedCustomer } = await openDraft()
  const clerk = await stage.demo.as('clerk')
  for (const city of ['Graz', 'Wels']) {
    await expectAnswer(
      clerk('POST', '/api/catalogs/trade.customer', { body: { name: 'Acme', fields: { city } } }),
      201,
    )
  }
  await page.getByLabel('Quantity, line 1').fill('9')
  await customer(page).fill('')
  await customer(page).pressSequentially('Acme')
  await expect.poll(() => options(page).count()).toBeGreaterThanOrEqual(3)
  await save(page).click()
  await page.locator('vk-toasts li').filter({ hasText: 'Saved.' }).waitFor()
  expect(await storedCustomer()).toBe(draft.payload.fields['customerId'])

  await customer(page).fill('acm')
  await expect.poll(() => options(page).count()).toBeGreaterThanOrEqual(3)
  await save(page).click()
  await page.getByText('Choose an entry from the list.').waitFor()
  expect(puts).toHaveLength(1)
  await customer(page).press('ArrowDown')
  await save(page).click()
  await expect.poll(() => puts.length).toBe(2)
  await expect.poll(storedCustomer).not.toBe(draft.payload.fields['customerId'])
})

test('Save repeats a failed search, and shows its error', async () => {
  const { page, draft, puts, storedCustomer } = await openDraft()
  await page.route(/q=pine/, (route) => route.abort())
  tolerate(page, /ERR_FAILED/)
  await customer(page).fill('pine')
  await page.getByText('The service cannot be reached.').waitFor()
  const repeated = page.waitForRequest(/q=pine/)
  await save(page).click()
  await repeated
  await page.getByText('The service cannot be reached.').waitFor()
  expect(await page.getByText('Choose an entry from the list.').count()).toBe(0)
  await page.unroute(/q=pine/)
  await save(page).click()
  await expect.poll(() => puts.length).toBe(1)
  await expect.poll(storedCustomer).not.toBe(draft.payload.fields['customerId'])
})

test('on a narrow screen, a click that leaves a typed text reaches its button', async () => {
  const { page } = await openDraft()
  await page.setViewportSize({ width: 390, height: 844 })
  await customer(page).fill('unfinished')
  await page.getByText('Nothing found.').first().waitFor()
  await page.getByRole('button', { name: 'Add a line' }).click()
  await page.getByLabel('Quantity, line 2').waitFor()
  expect(await customer(page).inputValue()).toBe('Acme')
})

test('Discard removes a typed text, and the focus stays in the form', async () => {
  const { page } = await openDraft()
  await page.setViewportSize({ width: 390, height: 844 })
  await customer(page).fill('unfinished')
  await page.getByRole('button', { name: 'Discard changes' }).click()
  await expect.poll(() => customer(page).inputValue()).toBe('Acme')
  expect(await page.evaluate(() => document.activeElement?.closest('form') !== null)).toBe(true)
})

test('a typed text without an entry is an unsaved change that cannot be saved', async () => {
  const { page, draft, puts, storedCustomer } = await openDraft()
  expect(await save(page).isEnabled()).toBe(false)
  await page.getByLabel('Quantity, line 1').fill('9')
  const error = page.getByText('Choose an entry from the list.')
  for (const submit of [() => save(page).click(), () => page.keyboard.press('Control+s')]) {
    await customer(page).fill('unfinished')
    await submit()
    await error.waitFor()
    expect(await customer(page).inputValue()).toBe('unfinished')
    expect(await customer(page).evaluate((one) => one === document.activeElement)).toBe(true)
    await customer(page).press('Escape')
    await error.waitFor({ state: 'detached' })
  }
  expect([puts, await storedCustomer()]).toEqual([[], draft.payload.fields['customerId']])

  await page.getByRole('button', { name: 'Discard changes' }).click()
  await expect.poll(() => save(page).isEnabled()).toBe(false)
  await customer(page).fill('unfinished')
  await expect.poll(() => save(page).isEnabled()).toBe(true)
  const question = page.waitForEvent('dialog')
  const leaving = page.reload().catch(() => {})
  await (await question).accept()
  await leaving
  await expect.poll(() => customer(page).inputValue()).toBe('Acme')
})
