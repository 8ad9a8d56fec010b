import { readFile } from 'node:fs/promises'
import type { Locator, Page } from 'playwright-core'
import { expect } from 'vitest'
import { act, type Document } from '../actions.ts'
import { type Body, expectAnswer } from '../answers.ts'
import { draftSales } from '../trade/actions/documents.ts'
import { attach } from '../uploads.ts'
import { expectNoSeriousViolations, screenshot, stageOfFile, test, tolerate } from './harness.ts'

const stage = stageOfFile()
const clerk = stage.as('clerk')

const markup = '<img src=x onerror="console.error(\'it ran\')">'

const targetOf = ({ typeCode, id }: Document) => ({ kind: 'Document', typeCode, id })

const addNote = async (document: Document, text: string): Promise<Body> =>
  expectAnswer(clerk('POST', '/api/notes', { body: { target: targetOf(document), text } }), 201)

/** Creates an invoice, calls `prepare` to change it, and opens its history as a user. */
async function openHistory(prepare: (invoice: Document) => Promise<unknown>) {
  const invoice = await draftSales(clerk, 'trade.sales_invoice')
  await prepare(invoice)
  const page = await stage.signIn('clerk', `/sales-invoices/${invoice.id}`)
  await openDrawer(page)
  await events(page).first().waitFor()
  return page
}

/** Opens the history. Waits until the notes have loaded, because their count moves the button. */
async function openDrawer(page: Page): Promise<void> {
  await page.getByRole('button', { name: /^Notes: / }).waitFor()
  await page.getByRole('button', { name: 'History' }).click()
}

const events = (page: Page): Locator => page.locator('vk-audit-timeline article')
const event = (page: Page, what: string): Locator => events(page).filter({ hasText: what })

test('the history of a document shows actions, authors and changed fields', async () => {
  const page = await openHistory(async (document) => {
    await clerk('PUT', `/api/documents/${document.typeCode}/${document.id}`, {
      body: { fields: { ...document.payload.fields, dueDate: '2027-02-28' } },
    })
    await act(clerk, document, 'post')
    await act(clerk, document, 'trade.write_off', { reason: 'The customer is insolvent.' })
  })
  expect(await events(page).locator('.what').allTextContents()).toEqual([
    'Write off',
    'Posted',
    'Changed',
    'Created',
  ])
  await event(page, 'Write off').getByText('The customer is insolvent.').waitFor()
  await event(page, 'Posted').getByText('Clara Clerk').waitFor()
  const changed = event(page, 'Changed').locator('dl')
  await changed.getByText('Due date').waitFor()
  await changed.getByText('Jan 31, 2027').waitFor()
  await changed.getByText('Feb 28, 2027').waitFor()
  await page.locator('vk-audit-timeline h3').waitFor()
  await expectNoSeriousViolations(page)
  await screenshot(page, 'history')
})

test('the history shows old and new texts with line breaks and markup as plain text, and long texts can be expanded', async () => {
  const long = Array.from({ length: 40 }, (_, line) => `Line ${line}`).join('\n')
  const page = await openHistory(async (document) => {
    const { id } = await addNote(document, `${markup}\nsecond line`)
    await expectAnswer(clerk('PUT', `/api/notes/${id}`, { body: { text: long, version: 1 } }), 200)
    await expectAnswer(clerk('DELETE', `/api/notes/${id}?version=2`), 200)
  })
  const edited = event(page, 'Note edited')
  const before = edited.getByText(markup)
  expect(await before.innerText()).toBe(`${markup}\nsecond line`)
  expect(await page.locator('vk-audit-timeline img').count()).toBe(0)
  const showAll = edited.getByRole('button', { name: 'Show all' })
  const after = edited.locator('.after .value').first()
  const shortHeight = (await after.boundingBox())?.height ?? 0
  await showAll.focus()
  await page.keyboard.press('Enter')
  await edited.getByRole('button', { name: 'Show less' }).waitFor()
  expect((await after.boundingBox())?.height).toBeGreaterThan(shortHeight * 5)
  expect(await after.innerText()).toBe(long)
  await event(page, 'Note deleted').getByText('—').first().waitFor()
  await expectNoSeriousViolations(page)
})

test('a deleted file can be downloaded from the history with only the keyboard', async () => {
  const page = await openHistory(async (document) => {
    const id = await attachText(document, `${markup}.txt`, 'what was in it')
    await expectAnswer(clerk('DELETE', `/api/attachments/${id}`), 204)
  })
  const deleted = event(page, 'File deleted')
  await deleted.getByText('(14 bytes)').waitFor()
  expect(await page.locator('vk-audit-timeline img').count()).toBe(0)
  expect(await event(page, 'Upload started').count()).toBe(0)
  await page.getByRole('combobox', { name: 'Show' }).selectOption('Changes with details')
  await event(page, 'Upload started').waitFor()
  expect(await event(page, 'Upload started').getByRole('button').count()).toBe(0)
  await deleted.getByRole('button', { name: 'Download' }).focus()
  const [download] = await Promise.all([page.waitForEvent('download'), page.keyboard.press('Enter')])
  expect(await readFile(await download.path(), 'utf8')).toBe('what was in it')
  expect(await events(page).count()).toBeGreaterThan(0)
})

test('the error of a failed download appears at its event in the history', async () => {
  const page = await openHistory((document) => attachText(document, 'contract.txt', 'x'))
  tolerate(page, /ERR_FAILED|503/)
  await page.route('**/audit-download', (route) => route.abort())
  await event(page, 'File attached').getByRole('button', { name: 'Download' }).click()
  await event(page, 'File attached').getByRole('alert').getByText('The service cannot be reached').waitFor()
  await page.unrouteAll()
  await page.route(`${stage.demo.objectStore}/**`, (route) =>
    route.fulfill({ status: 503, body: '<Error/>' }),
  )
  await event(page, 'File attached').getByRole('button', { name: 'Download' }).click()
  await event(page, 'File attached')
    .getByRole('alert')
    .getByText('The file could not be transferred')
    .waitFor()
})

test('scrolling loads more events, and if a request fails, the loaded events stay in the history', async () => {
  const page = await openHistory(async (document) => {
    for (let index = 0; index < 120; index += 1) await addNote(document, `Note ${index}`)
  })
  tolerate(page, /ERR_FAILED/)
  await page.route(/audit\/events\?.*cursor/, (route) => route.abort())
  const shown = await events(page).count()
  await events(page).last().scrollIntoViewIfNeeded()
  const alert = page.locator('vk-list-end').getByRole('alert')
  await alert.waitFor()
  expect(await events(page).count()).toBe(shown)
  await page.unrouteAll()
  await alert.getByRole('button', { name: 'Try again' }).click()
  await expect.poll(() => events(page).count()).toBeGreaterThan(shown)
  await expect
    .poll(async () => {
      await events(page).last().scrollIntoViewIfNeeded()
      return events(page).count()
    })
    .toBe(121)
})

test('the open history shows a new event after an action on the same page', async () => {
  const page = await openHistory(async () => {})
  // The history is docked next to the document, so it stays open.
  await page.getByRole('button', { name: 'Post', exact: true }).click()
  await event(page, 'Posted').waitFor()
})

test('the history fits a screen width of 360 pixels', async () => {
  const invoice = await draftSales(clerk, 'trade.sales_invoice')
  await act(clerk, invoice, 'post')
  const page = await stage.signIn('auditor', `/sales-invoices/${invoice.id}`, {
    viewport: { width: 360, height: 740 },
  })
  await openDrawer(page)
  await event(page, 'Posted').waitFor()
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360)
  await expectNoSeriousViolations(page)
})

test('the history shows names instead of ids, can be filtered with the keyboard, and is exported', async () => {
  const page = await openHistory(async (document) => {
    await addNote(document, 'Call first')
    await act(clerk, document, 'post')
  })
  const created = event(page, 'Created').locator('dl')
  await created.getByText('Customer', { exact: true }).waitFor()
  await created.getByText('Acme', { exact: true }).waitFor()
  expect(await created.textContent()).not.toMatch(/[\da-f]{8}-[\da-f]{4}-7/)

  const show = page.getByRole('combobox', { name: 'Show' })
  await show.focus()
  await page.keyboard.press('e')
  await expect.poll(() => events(page).filter({ hasText: 'Call first' }).count()).toBe(2)
  await show.selectOption('Notes')
  await expect.poll(() => events(page).locator('.what').allTextContents()).toEqual(['Note'])
  await show.selectOption('Changes')
  await page.getByRole('combobox', { name: 'Person' }).selectOption('Clara Clerk')
  await expect.poll(() => events(page).count()).toBe(3)
  await page.getByLabel('To', { exact: true }).fill('2020-01-01')
  await page.getByText('Nothing matches these filters.').waitFor()
  await page.getByLabel('To', { exact: true }).fill('')
  await event(page, 'Posted').waitFor()
  await expectNoSeriousViolations(page)
  await screenshot(page, 'history-names')

  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Export' }).click(),
  ])
  expect(download.suggestedFilename()).toMatch(/^audit-trade\.sales_invoice-[\da-f-]+\.csv$/)
  expect(await readFile(await download.path(), 'utf8')).toContain('Clara Clerk,post,trade.sales_invoice,')
  await page.getByLabel('To', { exact: true }).fill('2020-01-01')
  await page.getByText('Nothing matches these filters.').waitFor()
  const [filtered] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Export' }).click(),
  ])
  expect((await readFile(await filtered.path(), 'utf8')).trimEnd().split('\n')).toHaveLength(1)
  tolerate(page, /ERR_FAILED/)
  await page.route(/api\/audit/, (route) => route.abort())
  await page.getByRole('button', { name: 'Export' }).click()
  await page
    .locator('vk-audit-timeline')
    .getByRole('alert')
    .getByText('The service cannot be reached')
    .waitFor({ timeout: 60_000 })
})

test('an auditor filters the audit log of all objects, reads names, opens an object, and exports the search', async () => {
  const invoice = await draftSales(clerk, 'trade.sales_invoice')
  await act(clerk, invoice, 'post')
  await act(clerk, invoice, 'trade.write_off', { reason: 'The customer is insolvent.' })
  const page = await stage.signIn('auditor', '/audit-log')
  await events(page).first().waitFor()
  await expectNoSeriousViolations(page)
  const suggested = page.locator('vk-audit-timeline datalist').first().locator('option')
  expect(await suggested.allTextContents()).toContain('trade.write_off')
  await page.getByLabel('Action code').fill('trade.write_off')
  await page.keyboard.press('Tab')
  await expect
    .poll(async () => new Set(await events(page).locator('.what').allTextContents()))
    .toEqual(new Set(['Write off']))
  const name = `Sales invoice ${invoice.number}`
  await event(page, name).getByText('Clara Clerk').waitFor()
  await screenshot(page, 'audit-log')
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Export' }).click(),
  ])
  const lines = (await readFile(await download.path(), 'utf8')).trimEnd().split('\r\n').slice(1)
  expect(lines.length).toBeGreaterThan(0)
  for (const line of lines) expect(line).toContain(',trade.write_off,')
  await page.getByRole('link', { name }).click()
  await page.getByRole('heading', { name: invoice.number }).waitFor()
})

test('the address of the audit log contains its filters, and a reload and Back restore them', async () => {
  const page = await stage.signIn('auditor', '/audit-log')
  const code = page.getByLabel('Action code')
  const actions = async () => new Set(await events(page).locator('.what').allTextContents())
  await events(page).first().waitFor()
  await code.fill('trade.write_off')
  await page.keyboard.press('Tab')
  await expect.poll(actions).toEqual(new Set(['Write off']))
  await page.reload()
  await expect.poll(actions).toEqual(new Set(['Write off']))
  expect(await code.inputValue()).toBe('trade.write_off')
  await events(page).getByRole('link').first().click()
  await page.waitForURL('**/sales-invoices/*')
  await page.goBack()
  await expect.poll(actions).toEqual(new Set(['Write off']))
  expect(await code.inputValue()).toBe('trade.write_off')
  await page.goBack()
  await expect.poll(() => code.inputValue()).toBe('')
  await expect.poll(actions).toContain('Created')

  // A link can contain anything.
  await page.goto(`${stage.demo.url}/audit-log?from=yesterday&limit=x`)
  await events(page).first().waitFor()
})

test('the filters of a history do not stay for the next document', async () => {
  const invoice = await draftSales(clerk, 'trade.sales_invoice')
  const page = await stage.signIn('clerk', '/sales-invoices')
  await page.getByRole('link', { name: invoice.number }).click()
  await page.getByRole('button', { name: 'History' }).click()
  await page.getByLabel('Show').selectOption('Notes')
  await page.getByText('Nothing matches these filters.').waitFor()
  await page.getByRole('link', { name: 'Next sales invoice' }).click()
  await event(page, 'Created').first().waitFor()
  expect(await page.getByLabel('Show').inputValue()).toBe('')
})

test('users without permission do not see the audit log', async () => {
  const page = await stage.signIn('clerk', '/audit-log')
  await page.getByRole('heading', { name: 'Not found' }).waitFor()
  expect(await page.getByRole('link', { name: 'Audit log' }).count()).toBe(0)
})

const attachText = async (document: Document, fileName: string, text: string): Promise<string> =>
  (
    await attach(clerk, targetOf(document), {
      fileName,
      contentType: 'text/plain',
      bytes: Buffer.from(text),
    })
  ).id

test('an answer of the audit search does not change the field in which the user is typing', async () => {
  const page = await stage.signIn('admin', '/audit-log')
  await events(page).first().waitFor()
  const { promise: hasTyped, resolve: answer } = Promise.withResolvers<void>()
  await page.route('**/api/audit/search*', async (route) => {
    await hasTyped
    await route.continue()
  })
  await page.getByLabel('Action code').fill('created')
  await page.keyboard.press('Tab')
  await page.keyboard.type('trade.sa')
  const answered = page.waitForResponse('**/api/audit/search*')
  answer()
  await answered
  await event(page, 'Posted').first().waitFor({ state: 'detached' })
  await page.keyboard.type('les_invoice')
  expect(await page.getByLabel('Type code').inputValue()).toBe('trade.sales_invoice')
})
