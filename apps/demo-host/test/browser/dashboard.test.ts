import type { Page, Request } from 'playwright-core'
import { expect } from 'vitest'
import { expectNoSeriousViolations, stageOfFile, test, tolerate } from './harness.ts'
import {
  hold,
  pause,
  postOverdueInvoice,
  reportTo,
  runFor,
  showPage,
  stopClock,
  takeReports,
} from './reports.ts'

const stage = stageOfFile()

test('the start page shows what is overdue and received, in tables and bars', async () => {
  const page = await stage.signIn('clerk', '/')
  await page.getByRole('heading', { name: 'Receivables', level: 1 }).waitFor()
  await expect.poll(() => page.title()).toBe('Receivables · Vertical Kit demo')
  const overdue = page.getByRole('table', { name: 'Overdue by age' })
  await expect
    .poll(() => overdue.getByRole('row', { name: /^1 to 30 days/ }).textContent())
    .toMatch(/[1-9][\d,]*\.\d\d\s+\d+ invoices?/)
  expect(await page.getByRole('table', { name: 'Received by month' }).getByRole('row').count()).toBe(7)
  await expectNoSeriousViolations(page)
  const oldest = page.getByRole('table', { name: 'Oldest open invoices' })
  const link = oldest.getByRole('link').first()
  const number = await link.textContent()
  await link.click()
  await expect.poll(() => page.getByRole('heading', { level: 1 }).textContent()).toBe(number)
})

test.each(['ltr', 'rtl'])('it fits a narrow screen (%s)', async (direction) => {
  const page = await stage.signIn('viewer', '/', { viewport: { width: 320, height: 700 } })
  await page.evaluate((dir) => document.documentElement.setAttribute('dir', dir), direction)
  await page.getByRole('table', { name: 'Oldest open invoices' }).getByRole('link').first().waitFor()
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(320)
  // No amount is drawn over its note.
  const excess = page.locator('.chart-amount').evaluateAll(
    (amounts) =>
      amounts.filter((amount) => {
        const { left, right, top, bottom } = amount.getBoundingClientRect()
        const note = amount.nextElementSibling?.getBoundingClientRect()
        return (
          note &&
          note.width > 0 &&
          note.left < right &&
          note.right > left &&
          note.top < bottom &&
          note.bottom > top
        )
      }).length +
      amounts.filter((amount) => amount.scrollWidth > amount.clientWidth && amount.clientWidth > 0).length,
  )
  expect(await excess).toBe(0)
  await expectNoSeriousViolations(page)
})

test.each(['ltr', 'rtl'])(
  'bars begin at the start of the line, and labels keep their order (%s)',
  async (direction) => {
    const page = await stage.signIn('viewer', '/')
    await page.evaluate((dir) => document.documentElement.setAttribute('dir', dir), direction)
    const overdue = page.getByRole('table', { name: 'Overdue by age' })
    await overdue.getByRole('row', { name: /^1 to 30 days/ }).waitFor()
    const gaps = await page.locator('.bar').evaluateAll(
      (bars, side) => {
        const start = (one: Element | null) => one?.getBoundingClientRect()[side] ?? Number.NaN
        return bars.map((bar) => Math.round(start(bar) - start(bar.querySelector('.bar-share'))))
      },
      direction === 'rtl' ? ('right' as const) : ('left' as const),
    )
    expect(new Set(gaps)).toEqual(new Set([0]))
    const digitIsFirst = (cell: Element) => {
      const texts = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT, (node) =>
        /\d/.test(node.nodeValue ?? '') ? NodeFilter.FILTER_ACCEPT : NodeFilter.FILTER_SKIP,
      )
      const text = texts.nextNode()
      const [, before = '', rest = ''] = /^(\s*)(.*\S)/.exec(text?.nodeValue ?? '') ?? []
      const leftOf = (index: number) => {
        const range = document.createRange()
        if (text !== null) range.setStart(text, index)
        if (text !== null) range.setEnd(text, index + 1)
        return range.getBoundingClientRect().left
      }
      return leftOf(before.length) < leftOf(before.length + rest.length - 1)
    }
    for (const cell of [overdue.getByRole('rowheader').first(), overdue.locator('.muted').first()])
      expect(await cell.evaluate(digitIsFirst)).toBe(true)
  },
)

test('on a wide screen, the two charts fill the width', async () => {
  const page = await stage.signIn('viewer', '/', { viewport: { width: 1440, height: 900 } })
  const ends = () =>
    page.locator('.dashboard').evaluate((one) => {
      const cards = [...one.querySelectorAll('.card')].map((card) => card.getBoundingClientRect())
      return [cards[1]?.right, one.getBoundingClientRect().right]
    })
  const [card, all] = await ends()
  expect(card).toBe(all)
})

const overdueInvoice = () => postOverdueInvoice(stage.demo)

test('an invoice of another user appears while the page is open, and the focus stays', async () => {
  await overdueInvoice()
  const page = await stage.signIn('clerk', '/')
  const links = page.getByRole('table', { name: 'Oldest open invoices' }).getByRole('link')
  await links.nth(1).focus()
  const focused = await links.nth(1).textContent()
  const over60 = page.getByRole('row', { name: /^More than 60 days/ })
  const text = await over60.textContent()
  const { number } = await overdueInvoice()
  await expect.poll(() => over60.textContent()).not.toBe(text)
  await links.getByText(number).waitFor()
  expect(await page.evaluate(() => document.activeElement?.textContent)).toBe(focused)
})

const figures = /api\/receivables$/

async function showFigures(page: Page): Promise<void> {
  await page.getByRole('link', { name: 'Receivables' }).click()
  await page.getByRole('table', { name: 'Oldest open invoices' }).getByRole('link').first().waitFor()
}

test('while the figures load, changes of others cause no request, and then one after a pause of that length', async () => {
  const page = await stage.signIn('clerk', '/preferences')
  await pause(page, stage.demo)
  const held = await hold(page, figures)
  await page.getByRole('link', { name: 'Receivables' }).click()
  await expect.poll(() => held.length).toBe(1)
  for (let count = 0; count < 2; count += 1) {
    await reportTo(page, stage.demo)
    await runFor(page, 5_000)
  }
  await held[0]?.continue()
  await page.getByRole('table', { name: 'Oldest open invoices' }).getByRole('link').first().waitFor()
  await runFor(page, 9_000)
  expect(held.length).toBe(1)
  await runFor(page, 7_000)
  await expect.poll(() => held.length).toBe(2)
})

test('changes of others within two seconds cause one request', async () => {
  const page = await stage.signIn('clerk', '/preferences')
  await pause(page, stage.demo)
  await showFigures(page)
  const held = await hold(page, figures)
  await reportTo(page, stage.demo)
  await runFor(page, 1_500)
  await reportTo(page, stage.demo)
  expect(held.length).toBe(0)
  await runFor(page, 1_500)
  await expect.poll(() => held.length).toBe(1)
})

test('a page is loaded again once a minute, and not when the Work Center repeats its report', async () => {
  const page = await stage.signIn('clerk', '/preferences')
  await page.clock.install()
  await page.reload()
  await showFigures(page)
  const pending = new Set<Request>()
  let count = 0
  page.on('request', (request) => figures.test(request.url()) && pending.add(request))
  page.on('requestfailed', (request) => pending.delete(request))
  page.on('requestfinished', (request) => {
    if (figures.test(request.url())) count += 1
    pending.delete(request)
  })
  // The first report of a connection can come at any time. Its load ends before the test counts.
  await reportTo(page, stage.demo)
  await page.clock.fastForward(5_000)
  await runFor(page, 5_000)
  await expect.poll(() => pending.size).toBe(0)
  count = 0
  await reportTo(page, stage.demo)
  await expect.poll(() => count).toBe(1)
  // The page has read the answer: otherwise, the jump of the clock would end the request, and the client would repeat it.
  await runFor(page, 0)
  // The connection repeats the report every 30 seconds.
  await page.clock.fastForward(31_000)
  await runFor(page, 5_000)
  expect(count).toBe(1)
  await page.clock.fastForward(30_000)
  await page.clock.fastForward(5_000)
  await expect.poll(() => count).toBe(2)
})

test('when the network returns, a request of the figures that hangs is aborted', async () => {
  const page = await stage.signIn('clerk', '/preferences')
  await showFigures(page)
  const held = await hold(page, figures)
  const online = () => page.evaluate(() => dispatchEvent(new Event('online')))
  await online()
  await expect.poll(() => held.length).toBe(1)
  const aborted = page.waitForEvent('requestfailed', (request) => figures.test(request.url()))
  await online()
  await aborted
  await expect.poll(() => held.length).toBe(2)
})

/** Shows the figures to a user without tasks, whose only reports are those of the test. The clock stands still. */
async function figuresWithReports() {
  const page = await stage.signIn('viewer', '/preferences')
  const reports = await takeReports(page)
  await stopClock(page)
  await showFigures(page)
  const held = await hold(page, figures)
  return { page, held, ...reports }
}

test('a page that was opened after a report is not loaded again when the report is repeated', async () => {
  const { page, held, version, send } = await figuresWithReports()
  send(version)
  await runFor(page, 5_000)
  expect(held.length).toBe(0)
  send(version + 1)
  await runFor(page, 5_000)
  await expect.poll(() => held.length).toBe(1)
})

test.each([
  { random: 0, pauseMs: 2_000 },
  { random: 0.5, pauseMs: 2_500 },
  { random: 0.75, pauseMs: 2_750 },
])('the pages of many users do not load at the same time ($pauseMs ms)', async ({ random, pauseMs }) => {
  const { page, held, version, send } = await figuresWithReports()
  await page.evaluate((value) => {
    Math.random = () => value
  }, random)
  send(version + 1)
  await runFor(page, pauseMs - 1)
  expect(held.length).toBe(0)
  await runFor(page, 1)
  await expect.poll(() => held.length).toBe(1)
})

test('a hidden page loads the changes of others only when the user returns', async () => {
  const page = await stage.signIn('clerk', '/preferences')
  await pause(page, stage.demo)
  await showFigures(page)
  const held = await hold(page, figures)
  await showPage(page, 'hidden')
  await reportTo(page, stage.demo)
  await runFor(page, 20_000)
  expect(held.length).toBe(0)
  await showPage(page, 'visible')
  await runFor(page, 4_000)
  await expect.poll(() => held.length).toBe(1)
})

test('after a failure, the overview can be loaded again', async () => {
  const page = await stage.signIn('clerk', '/items')
  tolerate(page, /500 \(Internal Server Error\)/)
  await page.route(/api\/receivables/, (route) => route.fulfill({ status: 500, body: 'broken' }))
  await page.getByRole('link', { name: 'Receivables' }).click()
  await page.getByRole('heading', { name: 'The overview could not be loaded' }).waitFor()
  await page.unroute(/api\/receivables/)
  await page.getByRole('button', { name: 'Try again' }).click()
  await page.getByRole('table', { name: 'Oldest open invoices' }).getByRole('link').first().waitFor()
  await expect
    .poll(() => page.getByRole('heading', { level: 1 }).evaluate((one) => one === document.activeElement))
    .toBe(true)
})

test('users who may not view payments start with their first list', async () => {
  const page = await stage.signIn('uploader', '/')
  await page.getByRole('heading', { name: 'Sales invoices', level: 1 }).waitFor()
  expect(await page.getByRole('link', { name: 'Receivables' }).count()).toBe(0)
})
