import type { Page, Route } from 'playwright-core'
import { expect } from 'vitest'
import { act, type Document } from '../actions.ts'
import type { OpenDemo } from '../demo-process.ts'
import { draftSales } from '../trade/actions/documents.ts'

/** Posts an invoice that was due long ago, as another user than the one of the page. */
export async function postOverdueInvoice(demo: OpenDemo): Promise<Document> {
  const clerk = await demo.as('clerk2')
  const draft = await draftSales(clerk, 'trade.sales_invoice', (fields) => ({
    ...fields,
    dueDate: '2020-01-31',
  }))
  return (await act(clerk, draft, 'post')).document
}

/** Posts an invoice. Resolves when the Work Center has reported it to the page. */
export async function reportTo(page: Page, demo: OpenDemo): Promise<Document> {
  const badge = page.locator('vk-work-center-badge .count')
  const before = await badge.textContent()
  const invoice = await postOverdueInvoice(demo)
  await expect.poll(() => badge.textContent()).not.toBe(before)
  return invoice
}

/** The reports that a page receives. */
export interface Reports {
  /** The version of the first report. */
  readonly version: number
  /** Sends a report to the page. */
  send(version: number): void
}

/** Connects a page to the Work Center again. Resolves after the first report. */
export async function takeReports(page: Page): Promise<Reports> {
  const first = Promise.withResolvers<Reports>()
  await page.routeWebSocket(/hubs\/work-center/, (socket) => {
    socket.connectToServer().onMessage((message) => {
      socket.send(message)
      const report = /{[^{}]*"workCenterChanged","arguments":\[(\d+)\]}./.exec(message.toString())
      const send = (version: number) => socket.send(String(report?.[0].replace(/\d+(?=\])/, `${version}`)))
      if (report !== null) first.resolve({ version: Number(report[1]), send })
    })
  })
  await page.reload()
  return first.promise
}

/** Connects a page to the Work Center. Then its clock stands still, except for the connection. */
export async function pause(page: Page, demo: OpenDemo): Promise<void> {
  await reportTo(page, demo)
  await stopClock(page)
}

/** Lets the clock of a page stand still, except for a connection to the Work Center. */
export async function stopClock(page: Page): Promise<void> {
  await page.clock.install()
  // A longer step would end a connection that has just received a message: it waits for the next one for 30 s.
  await page.clock.pauseAt(Date.now() + 2_000)
}

/** Lets the clock run. Resolves when the requests of this time were sent. */
export async function runFor(page: Page, ms: number): Promise<void> {
  await page.clock.runFor(ms)
  await page.evaluate(() => fetch('/page-settings.json').then(({ ok }) => ok))
}

/** Holds each request to an address until the test answers it. */
export async function hold(page: Page, address: RegExp): Promise<Route[]> {
  const held: Route[] = []
  await page.route(address, (route) => void held.push(route))
  return held
}

/** Lets a page believe that it is hidden or visible. */
export const showPage = (page: Page, visibility: DocumentVisibilityState): Promise<void> =>
  page.evaluate((state) => {
    Object.defineProperty(document, 'visibilityState', { configurable: true, value: state })
    Object.defineProperty(document, 'hidden', { configurable: true, value: state === 'hidden' })
    document.dispatchEvent(new Event('visibilitychange'))
  }, visibility)
