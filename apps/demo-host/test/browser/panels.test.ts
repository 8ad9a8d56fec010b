import type { Page } from 'playwright-core'
import { beforeAll, expect } from 'vitest'
import type { Document } from '../actions.ts'
import { draftSales, postedInvoice } from '../trade/actions/documents.ts'
import { attach } from '../uploads.ts'
import { expectNoSeriousViolations, stageOfFile, test } from './harness.ts'
import { draft, edit } from './notes-stage.ts'

const stage = stageOfFile()
let invoice: Document
beforeAll(async () => {
  invoice = await draftSales(await stage.demo.as('clerk'), 'trade.sales_invoice')
})

const open = (query = '', width = 1280): Promise<Page> =>
  stage.signIn('clerk', `/sales-invoices/${invoice.id}${query}`, { viewport: { width, height: 800 } })
const panel = (page: Page, name: string) => page.getByRole('complementary', { name })
const button = (page: Page, name: RegExp) => page.getByRole('button', { name })
const query = (page: Page) => new URL(page.url()).search

test('on a wide screen, a panel is docked next to the document, and both can be used', async () => {
  const page = await open()
  await button(page, /^Notes/).click()
  const notes = panel(page, 'Notes')
  await notes.waitFor()
  expect(query(page)).toBe('?panel=notes')
  expect(await notes.evaluate((element) => element.contains(document.activeElement))).toBe(true)
  expect(await page.getByRole('dialog').count()).toBe(0)
  await page.getByLabel('Quantity, line 1').fill('9')
  const form = await page.locator('form.card').boundingBox()
  const box = await notes.boundingBox()
  expect((form?.x ?? 0) + (form?.width ?? 0)).toBeLessThanOrEqual(box?.x ?? 0)
  await expectNoSeriousViolations(page)
  await button(page, /^History/).click()
  await panel(page, 'History').waitFor()
  expect(query(page)).toBe('?panel=history')
  await page.goBack()
  await panel(page, 'History').waitFor({ state: 'detached' })
  expect(await page.getByLabel('Quantity, line 1').inputValue()).toBe('9')
})

test('a link opens the panel, and closing it returns the focus to its button', async () => {
  const page = await open('?panel=history')
  await panel(page, 'History').getByRole('button', { name: 'Close' }).click()
  await panel(page, 'History').waitFor({ state: 'detached' })
  expect(query(page)).toBe('')
  const history = button(page, /^History/)
  await expect.poll(() => history.evaluate((element) => element === document.activeElement)).toBe(true)
  expect(await history.getAttribute('aria-expanded')).toBe('false')
})

test('if Back closes a panel with an open question, the focus returns to the button of the panel', async () => {
  const { kind, typeCode, id } = { kind: 'Document', ...invoice }
  for (const fileName of ['one', 'two']) {
    const file = { fileName, contentType: 'text/plain', bytes: Buffer.from(fileName) }
    await attach(await stage.demo.as('clerk'), { kind, typeCode, id }, file)
  }
  const page = await open()
  const opener = button(page, /^Attachments/)
  await opener.click()
  const files = panel(page, 'Attachments')
  for (const name of ['one', 'two']) await files.getByRole('checkbox', { name: `Select ${name}` }).check()
  await files.getByRole('button', { name: 'Delete', exact: true }).click()
  await page.getByRole('dialog', { name: 'Delete 2 files?' }).waitFor()
  await page.goBack()
  await files.waitFor({ state: 'detached' })
  await expect.poll(() => opener.evaluate((element) => element === document.activeElement)).toBe(true)
})

test('Back closes the panel and the question of an action', async () => {
  const { id } = await postedInvoice(await stage.demo.as('clerk'))
  const page = await stage.signIn('clerk', `/sales-invoices/${id}`)
  await button(page, /^Notes/).click()
  await panel(page, 'Notes').waitFor()
  const unpost = page.getByRole('button', { name: 'Unpost', exact: true })
  const question = page.locator('vk-document-actions').getByRole('dialog')
  await unpost.click()
  await question.getByRole('button', { name: 'Cancel' }).waitFor()
  await page.goBack()
  await panel(page, 'Notes').waitFor({ state: 'detached' })
  await question.waitFor({ state: 'hidden' })
  await unpost.click()
  await question.getByRole('button', { name: 'Cancel' }).click()
})

test('after a reload, closing a panel returns to the place before it, and Back leaves the document', async () => {
  const page = await stage.signIn('clerk', '/sales-invoices')
  await page.getByRole('link', { name: invoice.number, exact: true }).click()
  await button(page, /^Notes/).click()
  await panel(page, 'Notes').waitFor()
  await page.reload()
  await panel(page, 'Notes').getByRole('button', { name: 'Close' }).click()
  await panel(page, 'Notes').waitFor({ state: 'detached' })
  await page.goBack()
  await page.waitForURL('**/sales-invoices')
})

test('the panel stays open on the way to the next document', async () => {
  const page = await open('?panel=notes')
  await panel(page, 'Notes').waitFor()
  await page.getByRole('link', { name: 'Next sales invoice' }).click()
  await expect.poll(() => new URL(page.url()).pathname).not.toContain(invoice.id)
  await panel(page, 'Notes').waitFor()
})

test('closing a panel after stepping to the next document stays at that document', async () => {
  const page = await open()
  await button(page, /^Notes/).click()
  await panel(page, 'Notes').waitFor()
  await page.getByRole('link', { name: 'Next sales invoice' }).click()
  await expect.poll(() => new URL(page.url()).pathname).not.toContain(invoice.id)
  const next = new URL(page.url()).pathname
  await panel(page, 'Notes').getByRole('button', { name: 'Close' }).click()
  await panel(page, 'Notes').waitFor({ state: 'detached' })
  expect(new URL(page.url()).pathname).toBe(next)
})

test.each([320, 1199])(
  'on a screen of %i px, the panel is a drawer that Back and Escape close',
  async (width) => {
    const page = await open('', width)
    const drawer = page.getByRole('dialog', { name: 'Notes' })
    await button(page, /^Notes/).click()
    await drawer.waitFor()
    expect(await panel(page, 'Notes').count()).toBe(0)
    await expectNoSeriousViolations(page)
    await page.goBack()
    await drawer.waitFor({ state: 'hidden' })
    await button(page, /^Notes/).click()
    await drawer.waitFor()
    await page.keyboard.press('Escape')
    await drawer.waitFor({ state: 'hidden' })
    await expect.poll(() => query(page)).toBe('')
    expect(new URL(page.url()).pathname).toBe(`/sales-invoices/${invoice.id}`)
  },
)

test('a resized window keeps the panel and what the user has typed', async () => {
  const page = await open('?panel=notes')
  await draft(page).fill('Not added yet')
  const drawer = page.getByRole('dialog', { name: 'Notes' })
  await page.setViewportSize({ width: 700, height: 800 })
  await drawer.waitFor()
  // The hub reports the note to its author, too. This loads the list once.
  const announced = page.waitForResponse(
    (response) => new URL(response.url()).pathname === '/api/notes' && response.request().method() === 'GET',
  )
  await button(page, /^Add note/).click()
  await edit(page).click()
  await announced
  const editor = page.getByLabel(/Edit the note by .Clara Clerk/)
  await editor.fill('Not saved yet')
  const loads: string[] = []
  page.on('request', (request) => loads.push(new URL(request.url()).pathname))
  await page.setViewportSize({ width: 1280, height: 800 })
  await drawer.waitFor({ state: 'hidden' })
  await panel(page, 'Notes').waitFor()
  expect(await editor.inputValue()).toBe('Not saved yet')
  expect(query(page)).toBe('?panel=notes')
  expect(loads).not.toContain('/api/notes')
})

test('in right-to-left layout, the panel is docked on the left', async () => {
  const page = await open('?panel=notes')
  await page.evaluate(() => document.documentElement.setAttribute('dir', 'rtl'))
  expect((await panel(page, 'Notes').boundingBox())?.x).toBe(0)
  expect(
    await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth),
  ).toBe(0)
})

test('a click beside the drawer closes it, but not the release of a selection that began in it', async () => {
  const page = await open('', 800)
  await button(page, /^Notes/).click()
  const field = page.getByRole('dialog', { name: 'Notes' }).getByRole('textbox').first()
  await field.fill('A note to select')
  const box = await field.boundingBox()
  if (box === null) throw new Error('The field has no box')
  await page.mouse.move(box.x + 60, box.y + 12)
  await page.mouse.down()
  await page.mouse.move(20, box.y + 12)
  await page.mouse.up()
  expect(await field.inputValue()).toBe('A note to select')
  await page.mouse.click(20, box.y + 12)
  await page.getByRole('dialog', { name: 'Notes' }).waitFor({ state: 'detached' })
})

test('a user steps through the entries with the keyboard, while the panel stays open', async () => {
  const page = await open('?panel=notes')
  await panel(page, 'Notes').waitFor()
  const next = page.getByRole('link', { name: 'Next sales invoice' })
  const path = () => new URL(page.url()).pathname
  const seen = [path()]
  const hasAddress = () => expect.poll(() => next.getAttribute('href')).not.toBeNull()
  await hasAddress()
  await next.focus()
  for (const step of [1, 2]) {
    await hasAddress()
    await page.keyboard.press('Enter')
    await expect.poll(path).not.toBe(seen.at(-1))
    seen.push(path())
    expect(new Set(seen).size, `after step ${step}`).toBe(seen.length)
    await page.locator('demo-entry form, demo-entry .fields').first().waitFor()
    expect(await next.evaluate((link) => link === document.activeElement)).toBe(true)
    expect(await panel(page, 'Notes').isVisible()).toBe(true)
  }
  expect(await page.evaluate(() => Object.keys(localStorage).filter((key) => key.includes('note/')))).toEqual(
    [],
  )
})
