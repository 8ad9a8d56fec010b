import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { act, type Document } from '../actions.ts'
import { expectAnswer } from '../answers.ts'
import { draftSales } from '../trade/actions/documents.ts'
import { openFollowed } from './followed-page.ts'
import { expectNoSeriousViolations, ofDeleted, screenshot, stageOfFile, test, tolerate } from './harness.ts'

const stage = stageOfFile()

const quantity = (page: Page) => page.getByLabel('Quantity, line 1')
const save = (page: Page) => page.getByRole('button', { name: 'Save', exact: true })
const conflict = (page: Page) => page.getByRole('alert').filter({ hasText: 'after you opened it' })
const discardAndLoad = (page: Page) =>
  page.getByRole('button', { name: 'Discard my changes and load the current version' })
const keep = (page: Page) => page.getByRole('button', { name: 'Keep my changes, and load the other ones' })
const load = (page: Page) => page.getByRole('button', { name: 'Load the current version', exact: true })

/** Creates a draft order and opens it as the clerk. */
async function openedDraft(): Promise<{ readonly page: Page; readonly draft: Document }> {
  const draft = await draftSales(await stage.demo.as('clerk'), 'trade.sales_order')
  return { page: await openFollowed(stage, `/sales-orders/${draft.id}`), draft }
}

const pathOf = ({ id }: Document) => `/api/documents/trade.sales_order/${id}`

/** Changes the due date of the draft as the second clerk. */
async function changeDueDate(draft: Document, dueDate: string): Promise<void> {
  const clerk2 = await stage.demo.as('clerk2')
  const body = { fields: { ...draft.payload.fields, dueDate } }
  await expectAnswer(clerk2('PUT', pathOf(draft), { body }), 200)
}

async function storedFields(draft: Document): Promise<unknown> {
  const clerk = await stage.demo.as('clerk')
  const { payload } = await expectAnswer(clerk('GET', pathOf(draft)), 200)
  return payload
}

test('if another user has changed a draft, an edit stays in the form and does not overwrite the change', async () => {
  const { page, draft } = await openedDraft()
  tolerate(page, /409 \(Conflict\)/)
  await quantity(page).fill('77')
  await changeDueDate(draft, '2031-01-02')
  const theirs = await storedFields(draft)
  for (let attempts = 0; attempts < 2; attempts += 1) {
    const refused = page.waitForResponse((response) => response.request().method() === 'PUT')
    await save(page).click()
    expect((await refused).status()).toBe(409)
    await conflict(page).waitFor()
    expect(await quantity(page).inputValue()).toBe('77')
    expect(await storedFields(draft)).toEqual(theirs)
  }
  await expectNoSeriousViolations(page)
  await screenshot(page, 'sales-order-conflict')

  await discardAndLoad(page).click()
  await expect.poll(() => page.getByLabel('Due date').inputValue()).toBe('2031-01-02')
  expect(await quantity(page).inputValue()).not.toBe('77')
  expect(await conflict(page).count()).toBe(0)
  await quantity(page).fill('78')
  await save(page).click()
  await page.locator('vk-document-actions').waitFor()
  expect(await storedFields(draft)).toMatchObject({
    fields: { dueDate: '2031-01-02', lines: [{ quantity: 78 }] },
  })
})

test('a conflict is visible on a phone and names the other user and the changes, and the user can keep both', async () => {
  const { page, draft } = await openedDraft()
  tolerate(page, /409 \(Conflict\)/)
  await page.setViewportSize({ width: 320, height: 700 })
  await quantity(page).fill('77')
  await changeDueDate(draft, '2031-01-02')
  await page.keyboard.press('Control+s')
  await conflict(page).getByText('Carl Clerk').waitFor()
  const changes = conflict(page).getByRole('list', { name: 'Changes' })
  await expect.poll(() => changes.getByRole('listitem').allTextContents()).toHaveLength(1)
  expect(await changes.textContent()).toMatch(/Due date:\s+Jan 2, 2031 \(before: /)
  await expect
    .poll(() => discardAndLoad(page).evaluate((one) => one.getBoundingClientRect().bottom <= innerHeight))
    .toBe(true)
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(320)
  await expectNoSeriousViolations(page)

  await keep(page).click()
  await expect.poll(() => page.getByLabel('Due date').inputValue()).toBe('2031-01-02')
  expect(await quantity(page).inputValue()).toBe('77')
  expect(await conflict(page).count()).toBe(0)
  await expect.poll(() => save(page).evaluate((one) => one === document.activeElement)).toBe(true)
  await save(page).click()
  await page.locator('vk-document-actions').waitFor()
  expect(await storedFields(draft)).toMatchObject({
    fields: { dueDate: '2031-01-02', lines: [{ quantity: 77 }] },
  })
})

test('a change that the user wants to see does not replace unsaved changes, and the page has one notice about it', async () => {
  const { page, draft } = await openedDraft()
  tolerate(page, /409 \(Conflict\)/)
  const show = page.locator('vk-live-object').getByRole('button', { name: 'Show' })
  await quantity(page).fill('77')
  await changeDueDate(draft, '2031-01-02')
  await show.press('Enter')
  await conflict(page).waitFor()
  await expect.poll(() => keep(page).evaluate((one) => one === document.activeElement)).toBe(true)
  expect(await quantity(page).inputValue()).toBe('77')
  await discardAndLoad(page).press('Enter')
  await expect.poll(() => page.getByLabel('Due date').inputValue()).toBe('2031-01-02')
  await expect
    .poll(() => page.getByLabel('Customer').evaluate((one) => one === document.activeElement))
    .toBe(true)

  await quantity(page).fill('78')
  await changeDueDate(draft, '2031-01-03')
  await show.waitFor()
  await save(page).click()
  await conflict(page).waitFor()
  expect(await show.isVisible()).toBe(false)
  await discardAndLoad(page).click()
  await expect.poll(() => page.getByLabel('Due date').inputValue()).toBe('2031-01-03')
  expect(await show.isVisible()).toBe(false)
})

test('if another user has posted a draft, the change can be shown without losing unsaved changes', async () => {
  const { page, draft } = await openedDraft()
  await quantity(page).fill('77')
  await act(await stage.demo.as('clerk2'), draft, 'post')
  await page.locator('vk-live-object').getByRole('button', { name: 'Show' }).click()
  await conflict(page).waitFor()
  expect(await quantity(page).inputValue()).toBe('77')
  await discardAndLoad(page).click()
  await page.locator('form').waitFor({ state: 'detached' })
})

test('a failure is shown also next to a conflict that is shown already', async () => {
  const { page, draft } = await openedDraft()
  tolerate(page, /500 \(Internal Server Error\)/)
  await quantity(page).fill('77')
  await changeDueDate(draft, '2031-01-02')
  await page.locator('vk-live-object').getByRole('button', { name: 'Show' }).click()
  await conflict(page).getByRole('list').waitFor()
  expect(await conflict(page).textContent()).not.toContain('Nothing was saved')
  await page.route('**/editor-state', (route) => route.fulfill({ status: 500, body: 'broken' }))
  await keep(page).click()
  await page.locator('form > .notice.bad').waitFor()
  expect(await conflict(page).isVisible()).toBe(true)
  await page.unroute('**/editor-state')
  await keep(page).click()
  await conflict(page).waitFor({ state: 'detached' })
  expect(await page.locator('form > .notice.bad').count()).toBe(0)
})

test('if the current version of a draft fails to load, the form stays unchanged', async () => {
  const { page, draft } = await openedDraft()
  tolerate(page, /409 \(Conflict\)|500 \(Internal Server Error\)/)
  await quantity(page).fill('77')
  await changeDueDate(draft, '2031-01-02')
  await save(page).click()
  await page.route('**/editor-state', (route) => route.fulfill({ status: 500, body: 'broken' }))
  await discardAndLoad(page).click()
  await conflict(page).waitFor({ state: 'detached' })
  await page.locator('form [role=alert]').waitFor()
  expect(await quantity(page).inputValue()).toBe('77')
  await page.unroute('**/editor-state')
  await save(page).click()
  await discardAndLoad(page).click()
  await expect.poll(() => page.getByLabel('Due date').inputValue()).toBe('2031-01-02')
})

test('a user who leaves while the current version is loaded keeps the changes', async () => {
  const { page, draft } = await openedDraft()
  tolerate(page, /409 \(Conflict\)/)
  await quantity(page).fill('77')
  await changeDueDate(draft, '2031-01-02')
  await save(page).click()
  const [reached, loading] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  await page.locator('.conflict').waitFor()
  await page.route('**/editor-state', async (route) => {
    reached.resolve()
    await loading.promise
    await route.continue()
  })
  await keep(page).click()
  await reached.promise
  await page.getByRole('link', { name: 'Customers' }).click()
  await page.getByRole('heading', { name: 'Customers', level: 1 }).waitFor()
  loading.resolve()
  await page.goBack()
  await conflict(page).waitFor()
  expect(await quantity(page).inputValue()).toBe('77')
})

test('if another user has changed a draft, deleting it succeeds only after the page has loaded the current version', async () => {
  const { page, draft } = await openedDraft()
  tolerate(page, /409 \(Conflict\)/)
  tolerate(page, ofDeleted)
  await changeDueDate(draft, '2031-01-02')
  const remove = async () => {
    await page.getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  }
  await remove()
  await conflict(page).waitFor()
  await load(page).click()
  await expect.poll(() => page.getByLabel('Due date').inputValue()).toBe('2031-01-02')
  await remove()
  await page.getByRole('heading', { name: 'Sales orders' }).waitFor()
  const clerk = await stage.demo.as('clerk')
  await expectAnswer(clerk('GET', pathOf(draft)), 404, 'documents.not_found')
})

test('if another user has posted a draft, loading the current version shows the posted document', async () => {
  const { page, draft } = await openedDraft()
  tolerate(page, /409 \(Conflict\)/)
  await quantity(page).fill('77')
  await act(await stage.demo.as('clerk2'), draft, 'post')
  await save(page).click()
  await conflict(page).waitFor()
  expect(await quantity(page).inputValue()).toBe('77')
  await discardAndLoad(page).click()
  await page.getByText('Posted', { exact: true }).waitFor()
  expect(await page.locator('form').count()).toBe(0)
})

test('consecutive edits and actions on the same page cause no version conflict', async () => {
  const { page, draft } = await openedDraft()
  for (const value of ['77', '78']) {
    await quantity(page).fill(value)
    await save(page).click()
    await page.locator('vk-document-actions').waitFor()
  }
  await page.getByRole('button', { name: 'Post', exact: true }).click()
  await page.getByRole('button', { name: 'Unpost', exact: true }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Unpost' }).click()
  await quantity(page).fill('79')
  await save(page).click()
  await page.locator('vk-document-actions').waitFor()
  expect(await storedFields(draft)).toMatchObject({ fields: { lines: [{ quantity: 79 }] } })
})

test('a confirmation ends its dry run, which would otherwise conflict with the action', async () => {
  const { page } = await openedDraft()
  const executed = Promise.withResolvers<void>()
  await page.route('**/actions/unpost?dryRun=true', async (route) => {
    await executed.promise
    await route.continue().catch(() => {})
  })
  await page.getByRole('button', { name: 'Post', exact: true }).click()
  await page.getByRole('button', { name: 'Unpost', exact: true }).click()
  const ended = page.waitForEvent('requestfailed', (request) => request.url().endsWith('dryRun=true'))
  await page.getByRole('dialog').getByRole('button', { name: 'Unpost' }).click()
  await ended
  await page.getByRole('button', { name: 'Post', exact: true }).waitFor()
  executed.resolve()
})

test('input during a save stays in the form and is part of the next save', async () => {
  const { page, draft } = await openedDraft()
  const saving = Promise.withResolvers<void>()
  await page.route(`**${pathOf(draft)}`, async (route) => {
    await saving.promise
    await route.continue()
  })
  await quantity(page).fill('77')
  await save(page).click()
  await page.getByRole('button', { name: 'Saving…' }).waitFor()
  await quantity(page).fill('78')
  saving.resolve()
  await save(page).click()
  await page.locator('vk-document-actions').waitFor()
  expect(await storedFields(draft)).toMatchObject({ fields: { lines: [{ quantity: 78 }] } })
})

test('input while the user posts a draft does not turn the own change into that of somebody else', async () => {
  const { page } = await openedDraft()
  const posting = Promise.withResolvers<void>()
  await page.route('**/actions/post', async (route) => {
    await posting.promise
    await route.continue()
  })
  await quantity(page).fill('77')
  await page.getByRole('button', { name: 'Save and post' }).click()
  await page.getByRole('button', { name: 'Saving…' }).waitFor()
  await quantity(page).fill('78')
  posting.resolve()
  await conflict(page).getByText('You saved another version of this sales order').waitFor()
  expect(await conflict(page).textContent()).not.toContain('Nothing was saved')
})

test('changes that are restored after somebody else has saved are a conflict', async () => {
  const { page, draft } = await openedDraft()
  await quantity(page).fill('77')
  await page.getByRole('button', { name: 'Discard changes' }).click()
  // The message stays while the pointer is over it.
  const message = page.locator('vk-toasts li').filter({ hasText: 'Changes discarded.' })
  await message.hover()
  await changeDueDate(draft, '2031-01-02')
  await page.locator('vk-live-object').getByRole('button', { name: 'Show' }).press('Enter')
  await expect.poll(() => page.getByLabel('Due date').inputValue()).toBe('2031-01-02')
  await message.getByRole('button', { name: 'Undo' }).press('Enter')
  await conflict(page).waitFor()
  expect(await quantity(page).inputValue()).toBe('77')
})
