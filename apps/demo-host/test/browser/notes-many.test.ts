import type { Locator, Page, Route } from 'playwright-core'
import { expect } from 'vitest'
import { expectAnswer } from '../answers.ts'
import { draftSales } from '../trade/actions/documents.ts'
import { expectNoSeriousViolations, stageOfFile, test, tolerate } from './harness.ts'

const stage = stageOfFile()
const clerk = stage.as('clerk')

const panel = (page: Page): Locator => page.locator('vk-notes')
const draft = (page: Page): Locator => panel(page).getByLabel('New note')
const texts = (page: Page): Promise<readonly (string | null)[]> =>
  panel(page)
    .locator('li .text')
    .evaluateAll((all) => all.map((one) => one.textContent))

/** Opens the notes of a new invoice. The last text is the newest note. */
async function openNotes(...notes: readonly string[]): Promise<Page> {
  const { id } = await draftSales(clerk, 'trade.sales_invoice')
  const target = { kind: 'Document', typeCode: 'trade.sales_invoice', id }
  for (const text of notes) await expectAnswer(clerk('POST', '/api/notes', { body: { target, text } }), 201)
  const page = await stage.signIn('clerk', `/sales-invoices/${id}`)
  await page.getByRole('button', { name: /^Notes/ }).click()
  await draft(page).waitFor()
  return page
}

test('the text field has the focus when the panel opens, and shows the remaining characters near the limit', async () => {
  const page = await openNotes()
  await expect
    .poll(() => draft(page).evaluate((one) => (one.getRootNode() as ShadowRoot).activeElement === one))
    .toBe(true)
  await draft(page).fill('x'.repeat(9_499))
  expect(await panel(page).getByText('characters').isVisible()).toBe(false)
  await draft(page).fill('😀'.repeat(9_995))
  await panel(page).getByRole('status').getByText('5 characters remaining').waitFor()
  await draft(page).fill('x'.repeat(10_003))
  await panel(page).getByRole('status').getByText('3 characters too many').waitFor()
  await expectNoSeriousViolations(page)
})

test('a long note is collapsed until the user expands it, or reaches a link in it', async () => {
  const lines = Array.from({ length: 30 }, (_, index) => `line ${index}`).join('\n')
  const page = await openNotes(`${lines}\nhttps://example.com/last`)
  const text = panel(page).locator('li .text')
  const isClipped = () => text.evaluate((one) => one.scrollHeight > one.clientHeight)
  await text.waitFor()
  expect(await isClipped()).toBe(true)
  await expectNoSeriousViolations(page)
  await panel(page).getByRole('button', { name: 'Show all' }).click()
  await expect.poll(isClipped).toBe(false)
  await panel(page).getByRole('button', { name: 'Show less' }).click()
  await expect.poll(isClipped).toBe(true)
  await panel(page).getByRole('link').focus()
  await expect.poll(isClipped).toBe(false)
})

test('the search finds loaded notes, and loads older ones if none of them matches', async () => {
  const numbers = Array.from({ length: 30 }, (_, index) => `note ${index}.`)
  const page = await openNotes('The oldest', ...numbers)
  const search = panel(page).getByRole('searchbox', { name: 'Search notes' })
  await search.fill('NOTE 29.')
  await expect.poll(() => texts(page)).toEqual(['note 29.'])
  await panel(page).getByText('1 of the newest 25 notes match.').waitFor()
  await expectNoSeriousViolations(page)
  await search.fill('oldest')
  await expect.poll(() => texts(page)).toEqual(['The oldest'])
  await panel(page).getByText('1 of 31 notes match.').waitFor()
  await search.fill('absent')
  await panel(page).getByText('No note matches.').waitFor()
  await search.fill('')
  await expect.poll(() => texts(page).then(({ length }) => length)).toBe(31)
})

/** Loads the notes again. Resolves with the request, which the test answers. */
async function refresh(page: Page): Promise<Route> {
  const held = Promise.withResolvers<Route>()
  await page.route(/\/api\/notes\?/, (route) => held.resolve(route), { times: 1 })
  await panel(page).evaluate((notes: HTMLElementTagNameMap['vk-notes']) => void notes.store?.load())
  return held.promise
}

test('a search that begins while the notes are refreshed finds older ones', async () => {
  const page = await openNotes('The oldest', ...Array.from({ length: 60 }, (_, index) => `note ${index}.`))
  const search = panel(page).getByRole('searchbox', { name: 'Search notes' })
  await search.fill('note 59.')
  await expect.poll(() => texts(page)).toEqual(['note 59.'])
  const request = await refresh(page)
  await search.fill('oldest')
  await expect.poll(() => texts(page)).toEqual([])
  await request.continue()
  await expect.poll(() => texts(page)).toEqual(['The oldest'])
})

test('while the notes are refreshed, the text that none matches stays', async () => {
  const page = await openNotes(...Array.from({ length: 7 }, (_, index) => `note ${index}.`))
  await panel(page).getByRole('searchbox', { name: 'Search notes' }).fill('absent')
  await panel(page).getByText('No note matches.').waitFor()
  const request = await refresh(page)
  expect(await panel(page).getByText('No note matches.').count()).toBe(1)
  await request.continue()
})

test('the editor of a note stays while the user searches, and shows why the note was not saved', async () => {
  const page = await openNotes(...Array.from({ length: 7 }, (_, index) => `note ${index}.`))
  tolerate(page, /400 \(Bad Request\)/)
  const refuse = Promise.withResolvers<void>()
  await page.route('**/api/notes/*', async (route) => {
    await refuse.promise
    await route.fulfill({ status: 400, json: { code: 'notes.text_invalid', detail: 'Refused.' } })
  })
  await panel(page)
    .getByRole('button', { name: /^Edit the note by/ })
    .nth(3)
    .click()
  const editor = panel(page).locator('[data-editor]:not([data-editor="new"]) textarea')
  await editor.fill('changed')
  await panel(page).getByRole('button', { name: 'Save' }).click()
  await panel(page).getByRole('searchbox', { name: 'Search notes' }).fill('note 0.')
  await expect.poll(() => texts(page)).toEqual(['note 0.'])
  refuse.resolve()
  await panel(page).getByRole('alert').filter({ hasText: /\S/ }).waitFor()
  expect(await editor.inputValue()).toBe('changed')
})

test('the list of users for a mention closes when the page shows another object', async () => {
  const page = await openNotes()
  await draft(page).pressSequentially('@C')
  const list = panel(page).getByRole('listbox')
  await list.waitFor()
  const { id } = await draftSales(clerk, 'trade.sales_invoice')
  await page.locator('vk-notes').evaluate((element, target) => Object.assign(element, { target }), {
    kind: 'Document',
    typeCode: 'trade.sales_invoice',
    id,
  })
  await expect.poll(() => draft(page).inputValue()).toBe('')
  expect(await list.count()).toBe(0)
})

test('a search whose older notes cannot be loaded shows the failure, and goes on after another attempt', async () => {
  const page = await openNotes('The oldest', ...Array.from({ length: 30 }, (_, index) => `note ${index}.`))
  tolerate(page, /500 \(Internal Server Error\)/)
  const older = (url: URL) => url.pathname === '/api/notes' && url.searchParams.has('cursor')
  await page.route(older, (route) => route.fulfill({ status: 500, json: { code: 'internal' } }))
  await panel(page).getByRole('searchbox', { name: 'Search notes' }).fill('oldest')
  await panel(page).getByRole('alert').getByText('Could not load more.').waitFor()
  await expectNoSeriousViolations(page)
  await page.unroute(older)
  await panel(page).getByRole('button', { name: 'Try again' }).click()
  await expect.poll(() => texts(page)).toEqual(['The oldest'])
  expect(await panel(page).getByRole('alert').count()).toBe(0)
})
