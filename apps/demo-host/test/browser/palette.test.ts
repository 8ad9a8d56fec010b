import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { draftSales } from '../trade/actions/documents.ts'
import { expectNoSeriousViolations, signIn, stageOfFile, test, tolerate } from './harness.ts'

const stage = stageOfFile()

const palette = (page: Page) => page.getByRole('dialog', { name: 'Search and go to' })
const field = (page: Page) => palette(page).getByRole('combobox')
const options = (page: Page) => palette(page).getByRole('option')
const path = (page: Page) => new URL(page.url()).pathname

test.each(['Control', 'Meta'])(
  '%s+K opens places and actions, and Enter follows the first match',
  async (modifier) => {
    const page = await stage.signIn('clerk', '/items')
    await page.keyboard.press(`${modifier}+k`)
    await options(page).filter({ hasText: 'New sales order' }).waitFor()
    await expectNoSeriousViolations(page)
    await page.keyboard.type('new cust')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'New customer' }).waitFor()
    expect(path(page)).toBe('/customers/new')
    expect(await palette(page).count()).toBe(0)
  },
)

test.each([
  ['MacIntel', '⌘K'],
  ['Linux x86_64', 'Ctrl K'],
])('on %s, its button shows the shortcut %s', async (platform, shortcut) => {
  const page = await stage.open()
  await page.addInitScript((value) => {
    Object.defineProperty(navigator, 'platform', { value })
  }, platform)
  await signIn(page, 'clerk')
  await page.getByRole('button', { name: 'Search' }).getByText(shortcut, { exact: true }).waitFor()
})

test('it finds documents and customers, and remembers the documents that were opened', async () => {
  const { id, number } = await draftSales(await stage.demo.as('clerk'), 'trade.sales_order')
  const page = await stage.signIn('clerk', '/items')
  await page.getByRole('button', { name: 'Search' }).click()
  await field(page).fill(number)
  await expect
    .poll(() => options(page).allTextContents())
    .toEqual([expect.stringMatching(/SO-.*sales order · Acme · .+ · Draft · 25\.00/s)])
  await field(page).press('Enter')
  await expect.poll(() => path(page)).toBe(`/sales-orders/${id}`)
  await page.getByRole('heading', { name: number }).waitFor()
  await page.keyboard.press('Control+k')
  await expect
    .poll(() => options(page).first().textContent())
    .toMatch(new RegExp(`${number}.*Recent sales order`, 's'))
  await page.keyboard.press('Escape')
  await palette(page).waitFor({ state: 'hidden' })
  expect(path(page)).toBe(`/sales-orders/${id}`)
})

test('places are found even if the search in the service fails, and unsaved changes are kept', async () => {
  const page = await stage.signIn('clerk', '/items/new')
  await page.getByLabel('Name').fill('Something')
  tolerate(page, /500 \(Internal Server Error\)/)
  await page.route(/q=pref/, (route) => route.fulfill({ status: 500, body: 'broken' }))
  await page.keyboard.press('Control+k')
  await field(page).fill('pref')
  await expect.poll(() => options(page).allTextContents()).toEqual([expect.stringMatching(/Preferences/)])
  page.once('dialog', (dialog) => void dialog.dismiss())
  await field(page).press('Enter')
  expect(await page.getByLabel('Name').inputValue()).toBe('Something')
})

test('the actions of the open document can be performed', async () => {
  const { id } = await draftSales(await stage.demo.as('clerk'), 'trade.sales_invoice')
  const page = await stage.signIn('clerk', `/sales-invoices/${id}`)
  const perform = async (name: string) => {
    await page.keyboard.press('Control+k')
    await field(page).fill(name)
    // An unavailable action, such as *Post again*, may follow.
    await options(page).filter({ hasText: name }).first().waitFor()
    await field(page).press('Enter')
  }
  await page.getByRole('button', { name: 'Post', exact: true }).waitFor()
  await perform('Post')
  await page.getByRole('button', { name: 'Unpost', exact: true }).waitFor()
  await page.getByRole('link', { name: 'Register payment' }).waitFor()
  await perform('Unpost')
  await page
    .getByRole('dialog', { name: /Unpost/ })
    .getByRole('button', { name: 'Cancel' })
    .click()
  await perform('Register payment')
  await page.getByRole('heading', { name: 'New payment' }).waitFor()
  expect(new URL(page.url()).search).toBe(`?invoice=${id}&amount=25.00`)
})

test('Back closes it, so that no action is performed on another document', async () => {
  const clerk = await stage.demo.as('clerk')
  const [one, other] = [
    await draftSales(clerk, 'trade.sales_order'),
    await draftSales(clerk, 'trade.sales_order'),
  ]
  const page = await stage.signIn('clerk', `/sales-orders/${one.id}`)
  await page
    .getByRole('link', { name: /^(Previous|Next) sales order/ })
    .and(page.locator(`[href*="${other.id}"]`))
    .click()
  await page.getByRole('heading', { name: other.number }).waitFor()
  await page.getByRole('button', { name: 'Post', exact: true }).waitFor()
  await page.keyboard.press('Control+k')
  await options(page).filter({ hasText: 'Post' }).filter({ hasText: other.number }).waitFor()
  await page.goBack()
  await page.getByRole('heading', { name: one.number }).waitFor()
  await palette(page).waitFor({ state: 'hidden' })
})

test('an unavailable action of the open document has its reason, and cannot be chosen', async () => {
  const { id } = await draftSales(await stage.demo.as('clerk'), 'trade.sales_order')
  const page = await stage.signIn('clerk', `/sales-orders/${id}`)
  await page.getByRole('button', { name: 'Post', exact: true }).waitFor()
  await page.keyboard.press('Control+k')
  await field(page).fill('create')
  const create = options(page).filter({ hasText: 'The order is not posted. Post the order first.' })
  await create.waitFor()
  expect(await create.getAttribute('aria-disabled')).toBe('true')
  expect(await create.locator('bdi').first().textContent()).toBe('Create invoice')
  await expectNoSeriousViolations(page)
  // It is not chosen without the arrow keys.
  expect(await field(page).getAttribute('aria-activedescendant')).toBeNull()
  await field(page).press('ArrowDown')
  await field(page).press('Enter')
  await create.click({ force: true })
  expect(await palette(page).isVisible()).toBe(true)
})

test('while a draft has unsaved changes, its actions are unavailable with the reason', async () => {
  const { id, number } = await draftSales(await stage.demo.as('clerk'), 'trade.sales_invoice')
  const page = await stage.signIn('clerk', `/sales-invoices/${id}`)
  await page.getByLabel('Quantity, line 1').fill('9')
  await page.keyboard.press('Control+k')
  await field(page).fill('post')
  const actions = options(page).filter({ hasText: 'Save or discard your changes to use the actions.' })
  await actions.filter({ hasText: `Actions of ${number}` }).waitFor()
  expect(await actions.getAttribute('aria-disabled')).toBe('true')
  page.once('dialog', (dialog) => void dialog.accept())
  await field(page).fill('pref')
  await field(page).press('Enter')
  await page.getByRole('heading', { name: 'Preferences' }).waitFor()
})

test('a search starts after a pause of typing', async () => {
  const page = await stage.signIn('clerk', '/items')
  const searches: string[] = []
  page.on('request', (request) => {
    const q = new URL(request.url()).searchParams.get('q')
    if (q !== null) searches.push(q)
  })
  await page.clock.install()
  await page.getByRole('button', { name: 'Search' }).click()
  await page.clock.pauseAt(Date.now() + 60_000)
  await page.keyboard.type('appl')
  await page.clock.runFor(1_000)
  await expect.poll(() => searches.length).toBeGreaterThan(0)
  expect(new Set(searches)).toEqual(new Set(['appl']))
})

test('Escape of an input method ends the composition, and not the search', async () => {
  const page = await stage.signIn('clerk', '/items')
  await page.keyboard.press('Control+k')
  await field(page).fill('new cust')
  await field(page).evaluate((input) => {
    const options = { key: 'Escape', isComposing: true, bubbles: true, cancelable: true }
    input.dispatchEvent(new KeyboardEvent('keydown', options))
  })
  expect(await field(page).inputValue()).toBe('new cust')
  await field(page).press('Escape')
  await palette(page).waitFor({ state: 'hidden' })
})

test('users find only what they may view, on a narrow screen, too', async () => {
  const page = await stage.signIn('uploader', '/sales-invoices', { viewport: { width: 320, height: 700 } })
  await page.getByRole('button', { name: 'Search', exact: false }).first().click()
  await options(page).first().waitFor()
  const texts = (await options(page).allTextContents()).join()
  expect(texts).toContain('Sales invoices')
  expect(texts).not.toMatch(/New|Customers/)
  await expectNoSeriousViolations(page)
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(320)
})

test('places and actions are found while the service does not answer, and a failed search is no empty result', async () => {
  const page = await stage.signIn('clerk', '/items')
  const answer = Promise.withResolvers<void>()
  await page.route(/q=/, async (route) => {
    await answer.promise
    await route.fulfill({ status: 404, json: { code: 'broken', title: 'Broken', detail: 'Out of order.' } })
  })
  tolerate(page, /404 \(Not Found\)/)
  await page.keyboard.press('Control+k')
  await field(page).fill('pref')
  await expect.poll(() => options(page).allTextContents()).toEqual([expect.stringMatching(/Preferences/)])
  answer.resolve()
  await palette(page).getByRole('alert').waitFor()
  await field(page).press('Tab')
  expect(path(page)).toBe('/items')
  await field(page).fill('pref')
  await palette(page).getByRole('alert').waitFor()
  await field(page).press('Enter')
  await page.getByRole('heading', { name: 'Preferences' }).waitFor()

  await page.keyboard.press('Control+k')
  await field(page).fill('zzz')
  await palette(page).getByRole('alert').waitFor()
  expect(await palette(page).getByText('Nothing found.').count()).toBe(0)
})
