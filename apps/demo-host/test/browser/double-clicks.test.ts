import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { editorState } from '../actions.ts'
import { expectAnswer } from '../answers.ts'
import { draftSales, postedInvoice } from '../trade/actions/documents.ts'
import { attach } from '../uploads.ts'
import { stageOfFile, test } from './harness.ts'
import { messages, rowOf, verb, workCenter } from './work-center-stage.ts'

const stage = stageOfFile()
const clerk = stage.as('clerk')

/** Clicks again in the same place, as the second click of a double click. */
async function clickAgain(page: Page): Promise<void> {
  await page.mouse.down({ clickCount: 2 })
  await page.mouse.up({ clickCount: 2 })
  // Resolves when the requests of the click were sent.
  await page.evaluate(() => fetch('/page-settings.json').then(({ ok }) => ok))
}

/** Returns the paths of the changes that the page has requested since. */
function changesOf(page: Page): readonly string[] {
  const paths: string[] = []
  page.on('request', (request) => {
    if (/POST|PUT|DELETE/.test(request.method())) paths.push(new URL(request.url()).pathname)
  })
  return paths
}

test('a double click on "Claim" claims a task, and does not release it', async () => {
  const invoice = await postedInvoice(clerk)
  const page = await stage.signIn('clerk', '/work-center')
  const row = rowOf(page, invoice)
  await verb(row, 'Claim').click()
  await row.getByText('Claimed by you').waitFor()
  const changes = changesOf(page)
  await clickAgain(page)
  expect(changes).toEqual([])
  await verb(row, 'Release').click()
  await verb(row, 'Claim').waitFor()
})

test('a double click on "Mark as read" marks only the selected items', async () => {
  const invoices = [await postedInvoice(clerk), await postedInvoice(clerk)]
  await postedInvoice(clerk)
  const page = await stage.signIn('clerk', '/work-center')
  for (const invoice of invoices) await rowOf(page, invoice).getByRole('checkbox').check()
  const bulk = workCenter(page).getByRole('group', { name: 'Change several items' })
  await bulk.getByRole('button', { name: 'Mark as read' }).click({ position: { x: 5, y: 5 } })
  await messages(page).getByText('Marked 2 items as read.').waitFor()
  await bulk.getByRole('button', { name: 'Mark all as read' }).waitFor()
  const changes = changesOf(page)
  await clickAgain(page)
  expect(changes).toEqual([])
})

test('a double click on "Undo" undoes one change', async () => {
  const invoices = [await postedInvoice(clerk), await postedInvoice(clerk)]
  const page = await stage.signIn('clerk', '/work-center')
  for (const invoice of invoices) {
    await verb(rowOf(page, invoice), 'Claim').click()
    await rowOf(page, invoice).getByText('Claimed by you').waitFor()
  }
  const undo = messages(page).getByRole('button', { name: 'Undo' })
  await expect.poll(() => undo.count()).toBe(2)
  await undo.first().click()
  await messages(page).getByText('Released 1 item.').waitFor()
  // The other message is now in the place of the first one.
  await undo.first().hover()
  const changes = changesOf(page)
  await clickAgain(page)
  expect(changes).toEqual([])
  expect(await undo.count()).toBe(1)
})

test('a double click deletes one file or one note', async () => {
  const { id } = await draftSales(clerk, 'trade.sales_invoice')
  const target = { kind: 'Document', typeCode: 'trade.sales_invoice', id }
  for (const name of ['one', 'two', 'three']) {
    await attach(clerk, target, { fileName: name, contentType: 'text/plain', bytes: Buffer.from(name) })
    await expectAnswer(clerk('POST', '/api/notes', { body: { target, text: name } }), 201)
  }
  const page = await stage.signIn('clerk', `/sales-invoices/${id}?panel=attachments`)
  const deleteFile = page.locator('vk-attachments').getByRole('button', { name: /^Delete/ })
  await deleteFile.first().click()
  await expect.poll(() => deleteFile.count()).toBe(2)
  await clickAgain(page)
  expect(await deleteFile.count()).toBe(2)

  await page.getByRole('button', { name: /^Notes/ }).click()
  const deleteNote = page.locator('vk-notes').getByRole('button', { name: /^Delete/ })
  await deleteNote.first().click()
  await expect.poll(() => deleteNote.count()).toBe(2)
  await clickAgain(page)
  expect(await deleteNote.count()).toBe(2)
})

test('a double click closes one message, so that the other files can still be restored', async () => {
  const { id } = await draftSales(clerk, 'trade.sales_invoice')
  const target = { kind: 'Document', typeCode: 'trade.sales_invoice', id }
  for (const name of ['one', 'two'])
    await attach(clerk, target, { fileName: name, contentType: 'text/plain', bytes: Buffer.from(name) })
  const page = await stage.signIn('clerk', `/sales-invoices/${id}?panel=attachments`)
  const files = page.locator('vk-attachments')
  for (const name of ['one', 'two']) await files.getByRole('button', { name: `Delete ${name}` }).click()
  await messages(page)
    .getByRole('button', { name: /^Close.*two/ })
    .click()
  const other = messages(page).getByRole('button', { name: /^Close.*one/ })
  await other.hover()
  await clickAgain(page)
  expect(await other.count()).toBe(1)
  await messages(page)
    .getByRole('button', { name: /^Undo.*one/ })
    .click()
  await files.getByText('one', { exact: true }).waitFor()
})

test('a double click cancels one upload', async () => {
  const { id } = await draftSales(clerk, 'trade.sales_invoice')
  const page = await stage.signIn('clerk', `/sales-invoices/${id}?panel=attachments`)
  await page.route('**/api/attachments/uploads', () => new Promise(() => {}))
  const files = page.locator('vk-attachments')
  await files
    .locator('input[type=file]')
    .setInputFiles(
      ['one', 'two', 'three'].map((name) => ({ name, mimeType: 'text/plain', buffer: Buffer.from(name) })),
    )
  const cancel = files.getByRole('button', { name: /^Cancel the upload/ })
  await expect.poll(() => cancel.count()).toBe(3)
  await cancel.first().click()
  await expect.poll(() => cancel.count()).toBe(2)
  await cancel.first().hover()
  await clickAgain(page)
  expect(await cancel.count()).toBe(2)
})

test('a double click removes one line of a form', async () => {
  const page = await stage.signIn('clerk', '/sales-orders/new')
  const add = page.getByRole('button', { name: 'Add a line' })
  for (let count = 0; count < 2; count += 1) await add.click()
  const remove = page.getByRole('button', { name: /^Remove line/ })
  await expect.poll(() => remove.count()).toBe(3)
  await remove.first().click()
  await expect.poll(() => remove.count()).toBe(2)
  await clickAgain(page)
  expect(await remove.count()).toBe(2)
})

/** Presses Enter again while it is down, as a keyboard repeats a held key. */
async function holdEnter(page: Page): Promise<void> {
  await page.keyboard.down('Enter')
  await page.evaluate(() => fetch('/page-settings.json').then(({ ok }) => ok))
}

test('a held Enter claims a task, and does not open it', async () => {
  const invoice = await postedInvoice(clerk)
  const page = await stage.signIn('clerk', '/work-center')
  const row = rowOf(page, invoice)
  await verb(row, 'Claim').focus()
  await page.keyboard.down('Enter')
  await row.getByText('Claimed by you').waitFor()
  await expect.poll(() => row.evaluate((one) => one.matches(':focus'))).toBe(true)
  await holdEnter(page)
  expect(new URL(page.url()).pathname).toBe('/work-center')
  await page.keyboard.up('Enter')
  await page.keyboard.press('Enter')
  await page.waitForURL((url) => url.pathname !== '/work-center')
})

test('a held Enter deletes a file, and does not press the link that has the focus afterwards', async () => {
  const { id } = await draftSales(clerk, 'trade.sales_invoice')
  const target = { kind: 'Document', typeCode: 'trade.sales_invoice', id }
  for (const name of ['one', 'two'])
    await attach(clerk, target, { fileName: name, contentType: 'text/plain', bytes: Buffer.from(name) })
  const page = await stage.signIn('clerk', `/sales-invoices/${id}?panel=attachments`)
  const files = page.locator('vk-attachments')
  await files.getByRole('button', { name: 'Delete two' }).focus()
  await page.keyboard.down('Enter')
  await expect
    .poll(() =>
      files.getByRole('button', { name: 'one', exact: true }).evaluate((one) => one.matches(':focus')),
    )
    .toBe(true)
  const changes = changesOf(page)
  await holdEnter(page)
  await page.keyboard.up('Enter')
  expect(changes).toEqual([])

  await page.getByRole('button', { name: /^Notes/ }).click()
  const text = page.locator('vk-notes textarea').first()
  await text.focus()
  await page.keyboard.down('Enter')
  await holdEnter(page)
  expect(await text.inputValue()).toBe('\n\n')
})

test('the second click does not reach a button of the view that the first one has opened', async () => {
  const draft = await draftSales(clerk, 'trade.sales_order')
  const page = await stage.signIn('clerk', '/sales-orders')
  await page.getByRole('link', { name: draft.number }).click()
  await page.getByRole('button', { name: 'Post', exact: true }).hover()
  const changes = changesOf(page)
  await clickAgain(page)
  expect(changes).toEqual([])
  expect((await editorState(clerk, draft)).document.status).toBe('Draft')

  // The same link can be clicked as fast as the user wants.
  const step = page.getByRole('link', { name: /^(Previous|Next) sales order/ }).and(page.locator('[href]'))
  await step.last().click()
  await page.waitForURL((url) => !url.pathname.includes(draft.id))
  const before = page.url()
  await clickAgain(page)
  await expect.poll(() => page.url()).not.toBe(before)
})
