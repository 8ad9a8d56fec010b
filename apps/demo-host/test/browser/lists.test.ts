import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { draft, draftSales, postedInvoice } from '../trade/actions/documents.ts'
import type { salesFields } from '../trade/harness.ts'
import { expectNoSeriousViolations, stageOfFile, test, tolerate } from './harness.ts'

const stage = stageOfFile()

const search = (page: Page) => page.getByRole('searchbox')
const filter = (page: Page, name: string) => page.getByRole('navigation', { name: 'Status' }).getByText(name)
const numbers = (page: Page) => page.locator('.list-table tbody tr:not(.bone-row) a').allTextContents()
const column = (page: Page, index: number) =>
  page.locator(`.list-table tbody tr:not(.bone-row) td:nth-child(${index})`).allTextContents()
const parameters = (page: Page) => Object.fromEntries(new URL(page.url()).searchParams)

test('a search finds documents by customer, follows the typed text and survives a reload', async () => {
  const page = await stage.signIn('clerk', '/sales-invoices')
  await search(page).pressSequentially('pine')
  await expect.poll(() => parameters(page)).toEqual({ q: 'pine' })
  await expect.poll(async () => new Set(await column(page, 2))).toEqual(new Set(['Pine Print']))
  await page.reload()
  await expect.poll(async () => new Set(await column(page, 2))).toEqual(new Set(['Pine Print']))
  expect(await search(page).inputValue()).toBe('pine')
  await search(page).fill('nothing like this')
  await page.getByRole('heading', { name: 'No sales invoices found' }).waitFor()
  await expectNoSeriousViolations(page)
  await page.getByRole('link', { name: 'clear the filters' }).press('Enter')
  await expect.poll(() => search(page).inputValue()).toBe('')
  // The link has disappeared.
  expect(await search(page).evaluate((field) => field === document.activeElement)).toBe(true)
  await expect.poll(async () => (await numbers(page)).length).toBe(30)
})

test('a text that is typed before the user opens another list does not search that list', async () => {
  const page = await stage.signIn('clerk', '/customers')
  await page.getByRole('searchbox').waitFor()
  await page.clock.install()
  await page.clock.pauseAt(Date.now() + 60_000)
  await page.getByRole('searchbox').fill('Acme')
  await page.getByRole('link', { name: 'Items', exact: true }).click()
  await page.getByRole('heading', { name: 'Items', level: 1 }).waitFor()
  await page.clock.runFor(5_000)
  expect(new URL(page.url()).pathname + new URL(page.url()).search).toBe('/items')
})

test('a status filter shows how many documents it has, keeps the focus, and Back restores the list', async () => {
  const page = await stage.signIn('clerk', '/sales-invoices')
  await expect.poll(() => filter(page, 'Draft').textContent()).toMatch(/^Draft\s+8$/)
  expect(await filter(page, 'All').textContent()).toMatch(/^All\s+40$/)
  await filter(page, 'Draft').press('Enter')
  await expect.poll(async () => (await numbers(page)).length).toBe(8)
  expect(await filter(page, 'Draft').getAttribute('aria-current')).toBe('true')
  expect(await filter(page, 'Draft').evaluate((link) => link === document.activeElement)).toBe(true)
  expect(await page.getByRole('status').getByText('8 sales invoices').count()).toBe(1)
  await expectNoSeriousViolations(page)
  await page.locator('.list-table tbody a').first().click()
  await page.locator('form.card').waitFor()
  await page.getByRole('link', { name: 'Sales invoices' }).last().click()
  await expect.poll(async () => (await numbers(page)).length).toBe(8)
  expect(parameters(page)).toEqual({ status: 'Draft' })
  await page.goBack()
  await page.goBack()
  await expect.poll(async () => (await numbers(page)).length).toBe(8)
  await page.goBack()
  await expect.poll(async () => (await numbers(page)).length).toBe(30)
})

test('a heading sorts the list, reverses the order on all pages, and ends it', async () => {
  const page = await stage.signIn('clerk', '/sales-invoices')
  const total = page.getByRole('columnheader', { name: 'Total' })
  await total.getByRole('link').click()
  const amounts = async () => (await column(page, 5)).map((text) => Number(text.replaceAll(',', '')))
  const isSorted = async (sign: 1 | -1) => {
    const shown = await amounts()
    return (
      shown.length > 1 &&
      shown.every((amount, index) => index === 0 || sign * (amount - (shown[index - 1] ?? 0)) >= 0)
    )
  }
  await expect.poll(() => isSorted(-1)).toBe(true)
  expect(await total.getAttribute('aria-sort')).toBe('descending')
  await page.getByRole('button', { name: 'Show more' }).click()
  await expect.poll(async () => (await amounts()).length).toBe(40)
  expect(await isSorted(-1)).toBe(true)
  await total.getByRole('link').click()
  await expect.poll(() => isSorted(1)).toBe(true)
  expect(parameters(page)).toEqual({ sort: 'total' })
  await total.getByRole('link').click()
  await expect.poll(() => total.getAttribute('aria-sort')).toBe(null)
  expect(parameters(page)).toEqual({})
})

test('catalogs can be searched and sorted on a narrow screen', async () => {
  const page = await stage.signIn('clerk', '/customers', { viewport: { width: 320, height: 700 } })
  await page.getByLabel('Order').selectOption('Name, A to Z')
  await expect.poll(async () => (await numbers(page))[0]).toBe('Alder & Sons')
  await search(page).fill('wien cy')
  await search(page).press('Enter')
  await expect.poll(() => numbers(page)).toEqual(['Cedar Cycles'])
  expect(parameters(page)).toEqual({ q: 'wien cy', sort: 'name' })
  await page.getByLabel('Order').selectOption('Name, Z to A')
  await page.goBack()
  const shownOrder = () =>
    page.getByLabel('Order').evaluate((select: HTMLSelectElement) => select.selectedOptions[0]?.text)
  await expect.poll(shownOrder).toBe('Name, A to Z')
  await expectNoSeriousViolations(page)
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(320)
})

test('the page ignores filters that the list does not have', async () => {
  const page = await stage.signIn('clerk', '/customers?status=Draft&sort=total')
  await expect.poll(async () => (await numbers(page)).length).toBe(20)
  await page.goto(`${stage.demo.url}/sales-orders?status=Gone`)
  await expect.poll(async () => (await numbers(page)).length).toBe(10)
})

test('a document of another user appears in an open list, and focus, selection and further rows stay', async () => {
  const page = await stage.signIn('clerk', '/sales-invoices')
  await page.getByRole('button', { name: 'Show more' }).click()
  await expect.poll(async () => (await numbers(page)).length).toBeGreaterThan(30)
  const before = await numbers(page)
  const box = page.getByRole('checkbox', { name: `Select ${before[1]}`, exact: true })
  await box.check()
  const { number } = await postedInvoice(await stage.demo.as('clerk2'))
  await expect.poll(async () => (await numbers(page))[0]).toBe(number)
  expect(await numbers(page)).toEqual([number, ...before].slice(0, before.length))
  expect(await box.isChecked()).toBe(true)
  expect(await box.evaluate((one) => one === document.activeElement)).toBe(true)
})

test('a list that is loading has nothing to select', async () => {
  const page = await stage.signIn('clerk', '/preferences')
  const loading = Promise.withResolvers<void>()
  await page.route('**/api/documents/trade.sales_invoice?*', async (route) => {
    await loading.promise
    await route.continue()
  })
  await page.getByRole('link', { name: 'Sales invoices' }).click()
  const all = page.getByRole('checkbox', { name: 'Select all shown sales invoices' })
  await all.click()
  expect(await all.isChecked()).toBe(false)
  loading.resolve()
  await expect.poll(async () => (await numbers(page)).length).toBe(30)
  expect(await all.isChecked()).toBe(false)
})

test('a filter that cannot be loaded shows an error and can be retried', async () => {
  const page = await stage.signIn('clerk', '/payments')
  await expect.poll(async () => (await numbers(page)).length).toBe(8)
  tolerate(page, /500 \(Internal Server Error\)/)
  await page.route(/status=Draft/, (route) => route.fulfill({ status: 500, body: 'broken' }))
  await filter(page, 'Draft').click()
  await page.getByRole('heading', { name: 'The list could not be loaded' }).waitFor()
  await page.unroute(/status=Draft/)
  await page.getByRole('button', { name: 'Try again' }).click()
  await expect.poll(async () => (await numbers(page)).length).toBe(2)
})

test('the page does not shift while it loads', async () => {
  const page = await stage.signIn('clerk', '/sales-invoices')
  for (const path of ['/sales-invoices?status=Posted', '/items']) {
    await page.goto(stage.demo.url + path)
    await expect.poll(async () => (await numbers(page)).length).toBeGreaterThan(7)
    await expect.poll(() => page.getByRole('status').first().textContent()).toMatch(/\d/)
    const shift = await page.evaluate(
      () =>
        new Promise<number>((resolve) => {
          const valueIn = (entry: PerformanceEntry) => (entry as unknown as { value: number }).value
          const sum = (entries: PerformanceEntry[]) => entries.reduce((all, entry) => all + valueIn(entry), 0)
          const observer = new PerformanceObserver(() => {})
          observer.observe({ type: 'layout-shift', buffered: true })
          // The second frame is painted after the observer has received the past shifts.
          requestAnimationFrame(() => requestAnimationFrame(() => resolve(sum(observer.takeRecords()))))
        }),
    )
    expect([path, shift < 0.01]).toEqual([path, true])
  }
})

/** Returns the pairs of cells of the same row whose texts overlap. */
const overlaps = (page: Page) =>
  page.locator('.list-table tbody tr').evaluateAll((rows) =>
    rows.flatMap((row) => {
      const texts = [...row.querySelectorAll('td')].map((cell) => {
        const range = document.createRange()
        range.selectNodeContents(cell)
        return { text: cell.textContent?.trim(), area: range.getBoundingClientRect() }
      })
      return texts.flatMap((one, index) =>
        texts
          .slice(index + 1)
          .filter(
            ({ area }) =>
              area.left < one.area.right &&
              area.right > one.area.left &&
              area.top < one.area.bottom &&
              area.bottom > one.area.top,
          )
          .map((other) => [one.text, other.text]),
      )
    }),
  )

test('on a narrow screen, large amounts do not overlap other values', async () => {
  const clerk = await stage.demo.as('clerk')
  const page = await stage.signIn('clerk', '/preferences', { viewport: { width: 320, height: 700 } })
  for (const amount of ['99999999.00', '9999999999999.99']) {
    const change = (fields: Awaited<ReturnType<typeof salesFields>>) => ({
      ...fields,
      dueDate: '2027-12-30',
      lines: fields.lines.map((line) => ({ ...line, quantity: 1, unitPrice: amount })),
    })
    const { id: invoiceId } = await draftSales(clerk, 'trade.sales_invoice', change)
    await draftSales(clerk, 'trade.sales_order', change)
    await draft(clerk, 'trade.customer_payment', { invoiceId, amount })
  }
  for (const list of ['sales-invoices', 'sales-orders', 'payments']) {
    await page.goto(`${stage.demo.url}/${list}`)
    await page.getByText('9,999,999,999,999.99').first().waitFor()
    expect([list, await overlaps(page)]).toEqual([list, []])
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(320)
  }
})

test('on a narrow screen, the amounts of a list are below each other at its end', async () => {
  const page = await stage.signIn('clerk', '/preferences', { viewport: { width: 390, height: 800 } })
  for (const list of ['sales-invoices', 'payments', 'journal-entries', 'items', 'customers']) {
    await page.goto(`${stage.demo.url}/${list}`)
    await expect.poll(async () => (await numbers(page)).length).toBeGreaterThan(1)
    const spaces = await page.locator('.list-table tbody td.aside').evaluateAll((cells) =>
      cells.map((cell) => {
        const { right } = cell.closest('tr')?.getBoundingClientRect() ?? { right: 0 }
        return Math.round(right - cell.getBoundingClientRect().right)
      }),
    )
    // The padding of the row.
    expect([list, new Set(spaces)]).toEqual([list, new Set([16])])
  }
})

test('the headings of a list begin above its values', async () => {
  const page = await stage.signIn('clerk', '/sales-invoices')
  await expect.poll(async () => (await numbers(page)).length).toBeGreaterThan(1)
  const left = (selector: string) =>
    page
      .locator(selector)
      .first()
      .evaluate((link) => link.getBoundingClientRect().left)
  expect(await left('.list-table thead a')).toBe(await left('.list-table tbody a'))
})

test('right to left, the checkboxes of a list have a space before the numbers', async () => {
  const page = await stage.signIn('clerk', '/sales-invoices')
  await page.evaluate(() => document.documentElement.setAttribute('dir', 'rtl'))
  const box = page.locator('.list-table tbody .choice').first()
  const gap = () =>
    box.evaluate((one) => {
      const link = one.parentElement?.querySelector('a')
      return one.getBoundingClientRect().left - (link?.getBoundingClientRect().right ?? 0)
    })
  expect(await gap()).toBeGreaterThanOrEqual(8)
})
