import type { Page } from 'playwright-core'
import { describe, expect } from 'vitest'
import { draftSales, postedInvoice, postedPayment } from '../trade/actions/documents.ts'
import { expectNoSeriousViolations, screenshot, stageOfFile, test, tolerate } from './harness.ts'
import { pause, runFor } from './reports.ts'

const stage = stageOfFile()

const rowsOf = (page: Page) => page.locator('.list-table tbody tr')

/** Waits until all rows are loaded. */
const loaded = async (page: Page) => {
  await page.locator('.list-table tbody tr:not(.bone-row)').first().waitFor()
}

describe.each([
  ['/sales-invoices', 'Sales invoices'],
  ['/sales-orders', 'Sales orders'],
  ['/payments', 'Payments'],
  ['/journal-entries', 'Journal entries'],
  ['/customers', 'Customers'],
  ['/items', 'Items'],
])('the list at %s', (path, title) => {
  test('shows its entries, is accessible and fits narrow and wide screens', async () => {
    const page = await stage.signIn('clerk', path)
    await page.getByRole('heading', { name: title, level: 1 }).waitFor()
    await loaded(page)
    expect(await page.title()).toBe(`${title} · Vertical Kit demo`)
    await expectNoSeriousViolations(page)
    await expectFitting(page)
    await screenshot(page, path.slice(1))
    await page.locator('.list-table tbody a').first().click()
    await page.locator('form.card').waitFor()
    await expectNoSeriousViolations(page)
    await expectFitting(page)
  })
})

test.each(['/work-center', '/preferences', '/sales-invoices/new', '/journal-entries/new', '/customers/new'])(
  'the page at %s is accessible and fits narrow and wide screens',
  async (path) => {
    const page = await stage.signIn('clerk', path)
    await page.getByRole('heading', { level: 1 }).waitFor()
    await expectNoSeriousViolations(page)
    await expectFitting(page)
    await screenshot(page, path.slice(1).replace('/', '-'))
  },
)

test('at 360 pixels, the titles of tasks do not break in the number of a document', async () => {
  await postedInvoice(await stage.demo.as('clerk'))
  const page = await stage.signIn('clerk', '/work-center', { viewport: { width: 360, height: 740 } })
  const title = page.getByRole('link', { name: /^Collect payment for SI-/ }).first()
  const lineCount = await title.evaluate((link) => {
    const range = document.createRange()
    range.selectNodeContents(link)
    const walker = document.createTreeWalker(link, NodeFilter.SHOW_TEXT)
    while (walker.nextNode()) {
      const start = walker.currentNode.textContent?.indexOf('SI-') ?? -1
      if (start < 0) continue
      range.setStart(walker.currentNode, start)
      range.setEnd(walker.currentNode, start + 'SI-000000'.length)
    }
    return range.getClientRects().length
  })
  expect(lineCount).toBe(1)
})

/** Opens the sales invoices, whose second page fails to load. */
async function openWithFailedPage(): Promise<Page> {
  // A change of others would load the list again, with the page that has failed.
  const page = await stage.signIn('clerk', '/preferences')
  await pause(page, stage.demo)
  await page.getByRole('link', { name: 'Sales invoices' }).click()
  await loaded(page)
  expect(await rowsOf(page).count()).toBe(30)
  tolerate(page, /ERR_FAILED/)
  await page.route(/cursor=/, (route) => route.abort())
  await page.getByRole('button', { name: 'Show more' }).click()
  // The client repeats the request after some seconds.
  const hasFailed = async () => {
    await runFor(page, 1_000)
    return page.getByRole('alert').isVisible()
  }
  await expect.poll(hasFailed).toBe(true)
  expect(await rowsOf(page).count()).toBe(30)
  await page.unroute(/cursor=/)
  return page
}

test('after the failure of "Show more", another query begins with its first page', async () => {
  const page = await openWithFailedPage()
  const [asked, answer] = [page.waitForRequest(/sort=/), Promise.withResolvers<void>()]
  await page.route(/sort=/, async (route) => {
    await answer.promise
    await route.continue()
  })
  await page.locator('.list-table thead').getByRole('link', { name: 'Total' }).click()
  expect(new URL((await asked).url()).searchParams.get('limit')).toBe('30')
  // The rows stay until the new ones are known.
  expect(await rowsOf(page).count()).toBe(30)
  answer.resolve()
  await page.locator('.list-table[aria-busy=false]').waitFor()
  expect(await rowsOf(page).count()).toBe(30)
})

test('the button "Show more" loads more entries of a list, and a failed request can be retried', async () => {
  const page = await openWithFailedPage()
  const rows = rowsOf(page)
  await page.getByRole('button', { name: 'Try again' }).press('Enter')
  await expect.poll(() => rows.count()).toBeGreaterThan(30)
  expect(await page.getByRole('button', { name: 'Show more' }).count()).toBe(0)
  // The button had the focus and is gone.
  const link = rows.nth(30).getByRole('link').first()
  await expect.poll(() => link.evaluate((one) => one === document.activeElement)).toBe(true)
})

test('if a list fails to load, the page shows an error and the request can be retried', async () => {
  const page = await stage.signIn('clerk', '/preferences')
  tolerate(page, /500 \(Internal Server Error\)/)
  await page.route(/api\/catalogs\/trade\.item/, (route) => route.fulfill({ status: 500, body: 'broken' }))
  await page.getByRole('link', { name: 'Items' }).click()
  await page.getByRole('heading', { name: 'The list could not be loaded' }).waitFor()
  await expectNoSeriousViolations(page)
  await page.unroute(/api\/catalogs\/trade\.item/)
  await page.getByRole('button', { name: 'Try again' }).click()
  await loaded(page)
  await expect
    .poll(() => page.getByRole('heading', { level: 1 }).evaluate((one) => one === document.activeElement))
    .toBe(true)
})

test('a list that failed without a network loads again when the network returns', async () => {
  const page = await stage.signIn('clerk', '/preferences')
  tolerate(page, /ERR_INTERNET_DISCONNECTED|WebSocket/)
  await page.context().setOffline(true)
  await page.getByRole('link', { name: 'Items' }).click()
  await page.getByRole('heading', { name: 'The list could not be loaded' }).waitFor()
  await page.context().setOffline(false)
  await loaded(page)

  await page.context().setOffline(true)
  await page.getByRole('link', { name: 'Work Center' }).click()
  const workCenter = page.locator('vk-work-center')
  await workCenter.getByRole('alert').getByText('Could not load this content.').waitFor()
  await page.context().setOffline(false)
  await workCenter.getByText('Could not load this content.').waitFor({ state: 'detached' })
  await workCenter.getByRole('listitem').first().waitFor()
})

test('users without permissions see an explanation and no lists', async () => {
  const page = await stage.signIn('outsider')
  await page.getByRole('heading', { name: 'You do not have access yet' }).waitFor()
  expect(await page.getByRole('link', { name: 'Sales invoices' }).count()).toBe(0)
  await expectNoSeriousViolations(page)
  await page.goto(`${stage.demo.url}/sales-invoices`)
  await page.getByRole('heading', { name: 'Not found' }).waitFor()
})

test('for missing entries, the page shows "Not found"', async () => {
  const page = await stage.signIn('clerk')
  tolerate(page, /404 \(Not Found\)/)
  for (const id of [
    '00000000-0000-7000-8000-000000000000',
    'nothing',
    '%3Cimg%20src=x%20onerror=alert(1)%3E',
  ]) {
    await page.goto(`${stage.demo.url}/sales-invoices/${id}`)
    await page.getByRole('heading', { name: 'Not found' }).waitFor()
  }
})

test('for a truncated address, the page shows "Not found"', async () => {
  const page = await stage.signIn('clerk', '/customers/%E0%A4%A')
  await page.getByRole('heading', { name: 'Not found' }).waitFor()
})

test('the theme follows the system until the user selects a theme, and the selection is saved', async () => {
  const page = await stage.signIn('clerk', '/preferences')
  const ground = () =>
    page.evaluate(
      () => getComputedStyle(document.body.querySelector('.top') ?? document.body).backgroundColor,
    )
  await page.emulateMedia({ colorScheme: 'light' })
  const light = await ground()
  await page.emulateMedia({ colorScheme: 'dark' })
  expect(await ground()).not.toBe(light)
  await page.getByRole('button', { name: /account and appearance/ }).click()
  await page.getByRole('radio', { name: 'Light' }).check()
  expect(await ground()).toBe(light)
  await page.reload()
  await page.locator('.top').waitFor()
  expect(await ground()).toBe(light)
})

test('on a narrow screen, a menu contains the navigation and can be used with only the keyboard', async () => {
  const page = await stage.signIn('clerk', '/items', { viewport: { width: 360, height: 740 } })
  const items = page.getByRole('link', { name: 'Items', exact: true })
  expect(await items.isVisible()).toBe(false)
  await page.getByRole('button', { name: 'Menu' }).press('Enter')
  await items.waitFor()
  await expectNoSeriousViolations(page)
  await page.keyboard.press('Escape')
  await items.waitFor({ state: 'hidden' })
  await page.getByRole('button', { name: 'Menu' }).press('Enter')
  await page.getByRole('link', { name: 'Work Center' }).press('Enter')
  await page.getByRole('heading', { name: 'Work Center', level: 1 }).waitFor()
  expect(await items.isVisible()).toBe(false)
  // The focus is at the start of the new view, so screen readers continue there.
  expect(await page.evaluate(() => document.activeElement?.id)).toBe('main')
})

test('the user’s menu can be opened and closed with only the keyboard', async () => {
  const page = await stage.signIn('viewer', '/items')
  const button = page.getByRole('button', { name: /account and appearance/ })
  await button.press('Enter')
  await page.getByRole('button', { name: 'Sign out' }).waitFor()
  await expectNoSeriousViolations(page)
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Sign out' }).waitFor({ state: 'hidden' })
  expect(await button.evaluate((element) => element === document.activeElement)).toBe(true)
})

/** Asserts that no element is wider than the screen at 360 and 1280 pixels. */
async function expectFitting(page: Page): Promise<void> {
  for (const width of [360, 1280]) {
    await page.setViewportSize({ width, height: 800 })
    const excess = () =>
      page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)
    await expect.poll(excess).toBe(0)
  }
}

test('a list shows new entries when the network returns, and keeps its rows if it cannot be updated', async () => {
  const clerk = await stage.demo.as('clerk')
  const page = await stage.signIn('clerk', '/sales-orders')
  await loaded(page)
  const { number } = await draftSales(clerk, 'trade.sales_order')
  const returned = () => page.evaluate(() => dispatchEvent(new Event('online')))
  tolerate(page, /500 \(Internal Server Error\)/)
  await page.route(/api\/documents\/trade\.sales_order\?/, (route) =>
    route.fulfill({ status: 500, body: 'broken' }),
  )
  await returned()
  await page.getByRole('alert').getByText('The list could not be updated.').waitFor()
  expect(await rowsOf(page).first().isVisible()).toBe(true)
  await page.unroute(/api\/documents\/trade\.sales_order\?/)
  await returned()
  await rowsOf(page).filter({ hasText: number }).waitFor()
  expect(await page.getByRole('alert').count()).toBe(0)
})

test('a list shows new entries when the user returns to the page after a while', async () => {
  const page = await stage.signIn('clerk', '/sales-orders')
  await loaded(page)
  const { number } = await draftSales(await stage.demo.as('clerk'), 'trade.sales_order')
  const returnAfter = (ms: number) =>
    page.evaluate((ms) => {
      const now = performance.now.bind(performance)
      const show = (hidden: boolean) => {
        Object.defineProperty(document, 'hidden', { configurable: true, value: hidden })
        document.dispatchEvent(new Event('visibilitychange'))
      }
      show(true)
      performance.now = () => now() + ms
      show(false)
    }, ms)
  const asked: string[] = []
  page.on('request', (request) => asked.push(request.url()))
  await returnAfter(1_000)
  await returnAfter(31_000)
  await rowsOf(page).filter({ hasText: number }).waitFor()
  expect(asked.filter((url) => url.includes('/api/documents/trade.sales_order?'))).toHaveLength(1)
})

test.each(['Pacific/Kiritimati', 'Etc/GMT+12'])(
  'in %s, a payment has the date of the user',
  async (timezoneId) => {
    const clerk = await stage.demo.as('clerk')
    const invoice = await postedInvoice(clerk)
    const { number, createdAtUtc } = await postedPayment(clerk, invoice, '1.00')
    const page = await stage.signIn('clerk', '/payments', { timezoneId })
    const date = new Date(createdAtUtc).toLocaleDateString('en-US', {
      timeZone: timezoneId,
      dateStyle: 'medium',
    })
    await rowsOf(page).filter({ hasText: number }).getByText(date).waitFor()
  },
)
