import type { Page, Route } from 'playwright-core'
import { expect } from 'vitest'
import { draftSales, postedInvoice } from '../trade/actions/documents.ts'
import { button as action, bar, dialog } from './action-bar.ts'
import { expectNoSeriousViolations, signIn, stageOfFile, test, tolerate } from './harness.ts'
import { button, draft, notesStage, openNotes, panel, texts } from './notes-stage.ts'

const stage = stageOfFile()
const clerk = stage.as('clerk')
const { invoiceWith } = notesStage(stage)

/** The requests of a page for one part. They wait until they are released. */
interface PartRequests {
  /** Resolves when the page has asked for the part. */
  readonly asked: Promise<void>
  release(): void
}

const chunkOf = (part: string) => `**/assets/${part}-*.js`

/** Holds the requests for a part. */
async function hold(page: Page, part: string): Promise<PartRequests> {
  const asked = Promise.withResolvers<void>()
  const released = Promise.withResolvers<void>()
  await page.route(chunkOf(part), async (route) => {
    asked.resolve()
    await released.promise
    await route.continue()
  })
  return { asked: asked.promise, release: () => released.resolve() }
}

/** Opens a path of the demo as the clerk, after `prepare` has changed how the page loads its parts. */
async function openWith<T>(path: string, prepare: (page: Page) => Promise<T>): Promise<[Page, T]> {
  const page = await stage.open(path)
  const prepared = await prepare(page)
  await signIn(page, 'clerk')
  return [page, prepared]
}

const notLoaded = 'This part of the page could not be loaded.'
const missing = /net::ERR_FAILED|404 \(Not Found\)/

test('a note that is typed before its tools are loaded keeps its text, its focus and its cursor', async () => {
  const [page, tools] = await openWith(`/sales-invoices/${await invoiceWith('Older')}`, (page) =>
    hold(page, 'note-tools'),
  )
  await openNotes(page)
  await draft(page).click()
  await page.keyboard.type('Call Ann')
  const { height: before } = (await panel(page).locator('[data-editor="new"]').boundingBox()) ?? {}
  expect(await button(page, 'Add note').count()).toBe(0)
  await tools.asked
  tools.release()
  await button(page, 'Add note').waitFor()
  const { height: after } = (await panel(page).locator('[data-editor="new"]').boundingBox()) ?? {}
  expect(after).toBe(before)
  await page.keyboard.type(' back')
  expect(await draft(page).inputValue()).toBe('Call Ann back')
  await page.keyboard.press('Control+Enter')
  await expect.poll(() => texts(page)).toEqual(['Call Ann back', 'Older'])
})

test('a mention that is begun before its tools are loaded is offered afterwards', async () => {
  const [page, tools] = await openWith(`/sales-invoices/${await invoiceWith()}`, (page) =>
    hold(page, 'note-tools'),
  )
  await openNotes(page)
  await draft(page).click()
  await page.keyboard.type('Ask @Car')
  tools.release()
  await panel(page).getByRole('option', { name: 'Carl Clerk' }).waitFor()
  await page.keyboard.press('Enter')
  await expect.poll(() => draft(page).inputValue()).toBe('Ask @Carl Clerk ')
})

test('a note that is saved before its part is loaded is saved once', async () => {
  const [page, saving] = await openWith(`/sales-invoices/${await invoiceWith()}`, (page) =>
    hold(page, 'note-saving'),
  )
  await openNotes(page)
  await draft(page).fill('Paid in cash.')
  await button(page, 'Add note').click()
  await button(page, 'Saving…').waitFor()
  await page.keyboard.press('Control+Enter')
  saving.release()
  await expect.poll(() => texts(page)).toEqual(['Paid in cash.'])
})

test.each([
  ['without a network', (route: Route) => route.abort()],
  ['of an older release that the server no longer has', (route: Route) => route.fulfill({ status: 404 })],
])('tools %s show advice instead of buttons, and load with the next attempt', async (_title, fail) => {
  const [page] = await openWith(`/sales-invoices/${await invoiceWith()}`, (page) =>
    page.route(chunkOf('note-tools'), fail),
  )
  tolerate(page, missing)
  await openNotes(page)
  await draft(page).fill('Call Ann back.')
  const advice = panel(page).getByRole('alert')
  await advice.getByText(notLoaded).waitFor()
  expect(await advice.textContent()).toContain('reload the page')
  await expectNoSeriousViolations(page)
  await page.unroute(chunkOf('note-tools'))
  await advice.getByRole('button', { name: 'Try again' }).click()
  await button(page, 'Add note').click()
  await expect.poll(() => texts(page)).toEqual(['Call Ann back.'])
})

test('an idle page has its parts before the network is lost', async () => {
  const invoice = await invoiceWith('Older')
  const page = await stage.signIn('clerk', `/sales-invoices/${invoice}`)
  const parts = ['note-tools', 'note-saving', 'found-notes']
  const loaded = parts.map((part) => page.waitForResponse((response) => response.url().includes(`/${part}-`)))
  await openNotes(page)
  await Promise.all(loaded)
  tolerate(page, /net::ERR_INTERNET_DISCONNECTED/)
  await page.context().setOffline(true)
  await draft(page).fill('Written on the train.')
  await button(page, 'Add note').click()
  await panel(page).getByRole('alert').getByText('The service cannot be reached.').first().waitFor()
  expect(await draft(page).inputValue()).toBe('Written on the train.')
  await page.context().setOffline(false)
  await button(page, 'Add note').click()
  await expect.poll(() => texts(page)).toEqual(['Written on the train.', 'Older'])
})

test('a dialog shows that it is loading, then its question; Escape cancels both', async () => {
  const { id } = await postedInvoice(clerk)
  const [page, form] = await openWith(`/sales-invoices/${id}`, (page) => hold(page, 'ask-form'))
  await action(page, 'Unpost').click()
  await page.getByRole('dialog').getByText('Loading…').waitFor()
  await expectNoSeriousViolations(page)
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await action(page, 'Unpost').click()
  await page.getByRole('dialog').getByText('Loading…').waitFor()
  form.release()
  await dialog(page).getByRole('button', { name: 'Unpost' }).waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  expect(await action(page, 'Unpost').evaluate((one) => one.matches(':focus'))).toBe(true)
})

test('Back cancels the question of a dialog that is loading', async () => {
  const { id } = await postedInvoice(clerk)
  const [page, form] = await openWith(`/sales-invoices/${id}`, (page) => hold(page, 'ask-form'))
  await openNotes(page)
  await action(page, 'Unpost').click()
  await page.getByRole('dialog').getByText('Loading…').waitFor()
  await page.goBack()
  await panel(page).waitFor({ state: 'detached' })
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  form.release()
  await action(page, 'Unpost').click()
  await dialog(page).getByRole('button', { name: 'Unpost' }).waitFor()
})

test('a dialog that cannot be loaded shows advice, and asks after the next attempt', async () => {
  const { id } = await postedInvoice(clerk)
  const [page] = await openWith(`/sales-invoices/${id}`, (page) =>
    page.route(chunkOf('ask-form'), (route) => route.abort()),
  )
  tolerate(page, missing)
  await action(page, 'Unpost').click()
  await page.getByRole('dialog').getByText(notLoaded).waitFor()
  await page.unroute(chunkOf('ask-form'))
  await page.getByRole('dialog').getByRole('button', { name: 'Try again' }).click()
  await dialog(page).getByRole('button', { name: 'Unpost' }).click()
  await action(page, 'Post').waitFor()
})

test('an action whose part cannot be loaded fails with advice, and works with the next attempt', async () => {
  const { id } = await draftSales(clerk, 'trade.sales_invoice')
  const [page] = await openWith(`/sales-invoices/${id}`, (page) =>
    page.route(chunkOf('document-executions'), (route) => route.abort()),
  )
  tolerate(page, missing)
  await action(page, 'Post').click()
  await bar(page).getByRole('alert').getByText(notLoaded).waitFor()
  await page.unroute(chunkOf('document-executions'))
  await action(page, 'Post').click()
  await action(page, 'Unpost').waitFor()
})

test('an upload whose part cannot be loaded keeps its row, and succeeds with the next attempt', async () => {
  const { id } = await draftSales(clerk, 'trade.sales_invoice')
  const [page] = await openWith(`/sales-invoices/${id}?panel=attachments`, (page) =>
    page.route(chunkOf('running-uploads'), (route) => route.abort()),
  )
  tolerate(page, missing)
  const files = page.locator('vk-attachments')
  const choosing = page.waitForEvent('filechooser')
  await files.getByRole('button', { name: 'Choose files' }).click()
  const bytes = Buffer.from('%PDF-1.7')
  await (await choosing).setFiles({ name: 'Order.pdf', mimeType: 'application/pdf', buffer: bytes })
  await files.getByRole('alert').getByText(notLoaded).waitFor()
  await page.unroute(chunkOf('running-uploads'))
  await files.getByRole('button', { name: 'Try again: upload Order.pdf' }).click()
  await files.getByRole('button', { name: 'Download Order.pdf' }).waitFor()
})

test('a task is shown as pending before the part that changes it is loaded', async () => {
  await postedInvoice(clerk)
  const [page, verbs] = await openWith('/work-center?tab=tasks', (page) => hold(page, 'work-center-verbs'))
  const row = page.locator('vk-work-center li[data-id]').first()
  await row.hover()
  await row.getByRole('button', { name: /^Claim/ }).click()
  await expect.poll(() => row.getAttribute('aria-busy')).toBe('true')
  verbs.release()
  await row.getByText('Claimed by you').waitFor()
})
