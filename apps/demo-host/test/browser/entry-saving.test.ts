import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { editorState } from '../actions.ts'
import { expectAnswer } from '../answers.ts'
import { draftSales } from '../trade/actions/documents.ts'
import { openWithoutNews } from './followed-page.ts'
import { stageOfFile, test, tolerate } from './harness.ts'

const stage = stageOfFile()
const clerk = stage.as('clerk')

const quantity = (page: Page) => page.getByLabel('Quantity, line 1')
const save = (page: Page) => page.getByRole('button', { name: 'Save', exact: true })
const saveAndPost = (page: Page) => page.getByRole('button', { name: 'Save and post' })
const remove = (page: Page) => page.locator('form').getByRole('button', { name: 'Delete' })
const message = (page: Page, text: string) => page.locator('vk-toasts li').filter({ hasText: text })

async function openDraft() {
  const document = await draftSales(clerk, 'trade.sales_order')
  const page = await stage.signIn('clerk', `/sales-orders/${document.id}`)
  await quantity(page).waitFor()
  return { page, document, path: `**/api/documents/trade.sales_order/${document.id}` }
}

/** Opens a draft, like {@link openWithoutNews}. */
async function openDraftWithoutNews() {
  const document = await draftSales(clerk, 'trade.sales_order')
  const opened = await openWithoutNews(stage, `/sales-orders/${document.id}`)
  return { ...opened, document, path: `**/api/documents/trade.sales_order/${document.id}` }
}

/** The response to the next save does not arrive. */
async function loseAnswer(page: Page, path: string): Promise<void> {
  tolerate(page, /net::ERR_FAILED|409 \(Conflict\)/)
  await page.route(
    path,
    async (route) => {
      await route.fetch()
      await route.abort()
    },
    { times: 1 },
  )
}

/** Saves the form, but the response does not arrive. */
async function saveWithoutAnswer(page: Page, path: string): Promise<void> {
  await loseAnswer(page, path)
  await page.keyboard.press('Control+s')
  await unreachable(page).waitFor()
}

const unreachable = (page: Page) => page.getByText('The service cannot be reached.')

test('after a save whose response was lost, the form is saved as soon as the page learns of it', async () => {
  const { page, path, letNewsThrough } = await openDraftWithoutNews()
  await quantity(page).fill('77')
  await saveWithoutAnswer(page, path)
  await letNewsThrough()
  await message(page, 'Saved.').waitFor()
  expect([await unreachable(page).count(), await page.locator('.conflict').count()]).toEqual([0, 0])
  expect(await save(page).isDisabled()).toBe(true)
})

test('after a save whose response was lost, the page says that a document was not posted', async () => {
  const { page, path, letNewsThrough } = await openDraftWithoutNews()
  await quantity(page).fill('77')
  await loseAnswer(page, path)
  await saveAndPost(page).press('Enter')
  await unreachable(page).waitFor()
  await letNewsThrough()
  await message(page, 'Saved, but not posted.').waitFor()
  await page.locator('vk-document-actions').getByRole('button', { name: 'Post' }).waitFor()
  // The button had the focus and is gone.
  await expect.poll(() => page.locator('main').evaluate((main) => main === document.activeElement)).toBe(true)
})

const notice = (page: Page, text: string) =>
  page.locator('demo-entry').getByRole('alert').filter({ hasText: text })

test('after a post whose response was lost, the page shows the posted document', async () => {
  const { page, path } = await openDraftWithoutNews()
  tolerate(page, /net::ERR_FAILED/)
  let attemptCount = 0
  await page.route(`${path}/actions/post`, async (route) => {
    attemptCount += 1
    if (attemptCount === 1) await route.fetch()
    await route.abort()
  })
  await quantity(page).fill('77')
  await saveAndPost(page).click()
  await page.locator('.entry-head').getByText('Posted').waitFor()
  expect(await notice(page, 'posted').count()).toBe(0)
  expect(await quantity(page).count()).toBe(0)
})

test('while the page cannot load a document, it does not claim that the document was not posted', async () => {
  const { page, path } = await openDraftWithoutNews()
  tolerate(page, /net::ERR_FAILED/)
  const paths = [`${path}/actions/post`, `${path}/editor-state`]
  for (const one of paths) await page.route(one, (route) => route.abort())
  await quantity(page).fill('77')
  await saveAndPost(page).click()
  await notice(page, 'The draft is saved, but it is not known whether it was posted.').waitFor()
  expect(await quantity(page).inputValue()).toBe('77')
  for (const one of paths) await page.unroute(one)
  await page.getByRole('button', { name: 'Try again' }).click()
  await notice(page, 'The draft is saved, but it could not be posted.').waitFor()
})

test('a value that equals the newer version while the user types it does not end the conflict', async () => {
  const { page, document, letNewsThrough } = await openDraftWithoutNews()
  await quantity(page).fill('77')
  const { typeCode, id, payload } = document
  const [line] = payload.fields['lines'] as readonly object[]
  const body = { fields: { ...payload.fields, lines: [{ ...line, quantity: 1 }] } }
  await expectAnswer(stage.as('clerk2')('PUT', `/api/documents/${typeCode}/${id}`, { body }), 200)
  await letNewsThrough()
  await page.locator('.conflict').getByRole('list').waitFor()
  await quantity(page).fill('')
  await quantity(page).pressSequentially('12')
  expect(await quantity(page).inputValue()).toBe('12')
  expect(await page.locator('.conflict').isVisible()).toBe(true)
})

test('after a save whose response was lost, another save of the same values succeeds', async () => {
  const { page, document, path } = await openDraftWithoutNews()
  await quantity(page).fill('77')
  await saveWithoutAnswer(page, path)
  await save(page).click()
  await message(page, 'Saved.').waitFor()
  expect(await page.locator('.conflict').count()).toBe(0)
  await page.locator('vk-document-actions').waitFor()
  expect((await editorState(clerk, document)).documentVersion).toBe(2)

  await quantity(page).fill('78')
  await saveWithoutAnswer(page, path)
  await saveAndPost(page).click()
  await message(page, 'Saved and posted.').waitFor()
  const { documentVersion, document: posted } = await editorState(clerk, document)
  expect([documentVersion, posted.status]).toEqual([4, 'Posted'])
})

test('Ctrl+S during a save saves the later values after it, and once', async () => {
  const { page, document, path } = await openDraft()
  const [puts, saving] = [[] as string[], Promise.withResolvers<void>()]
  await page.route(path, async (route) => {
    if (route.request().method() === 'PUT') {
      puts.push(route.request().postData() ?? '')
      await saving.promise
    }
    await route.continue()
  })
  await quantity(page).fill('77')
  await page.keyboard.press('Control+s')
  await page.getByRole('button', { name: 'Saving…' }).waitFor()
  await quantity(page).fill('78')
  await page.keyboard.press('Control+s')
  await page.keyboard.press('Control+s')
  saving.resolve()
  await expect.poll(async () => (await editorState(clerk, document)).documentVersion).toBe(3)
  expect((await editorState(clerk, document)).document.payload).toMatchObject({
    fields: { lines: [{ quantity: 78 }] },
  })
  await page.locator('vk-document-actions').waitFor()
  expect(puts).toHaveLength(2)
})

test('input during a save is kept if the user leaves before its end', async () => {
  const { page, document, path } = await openDraft()
  const saving = Promise.withResolvers<void>()
  await page.route(path, async (route) => {
    if (route.request().method() === 'PUT') await saving.promise
    await route.continue()
  })
  await quantity(page).fill('77')
  await save(page).click()
  await page.getByRole('button', { name: 'Saving…' }).waitFor()
  await quantity(page).fill('78')
  await page.getByRole('link', { name: 'Sales orders' }).first().click()
  await page.waitForURL('**/sales-orders')
  saving.resolve()
  await message(page, 'Your sales order was saved. What you typed afterwards is kept.').waitFor()
  expect((await editorState(clerk, document)).document.payload).toMatchObject({
    fields: { lines: [{ quantity: 77 }] },
  })
  await page.goto(`${stage.demo.url}/sales-orders/${document.id}`)
  await message(page, 'Your unsaved changes were restored.').waitFor()
  expect(await quantity(page).inputValue()).toBe('78')
})

test.each([
  { answer: 'success', version: 2 },
  { answer: 'refusal', version: 1 },
])('input during a save is in the form if the user has come back before the $answer', async (end) => {
  const { page, document, path } = await openDraft()
  tolerate(page, /400 \(Bad Request\)/)
  const saving = Promise.withResolvers<void>()
  await page.route(path, async (route) => {
    if (route.request().method() !== 'PUT') return route.continue()
    await saving.promise
    if (end.answer === 'success') await route.continue()
    else await route.fulfill({ status: 400, json: { code: 'request.malformed', detail: 'Not now.' } })
  })
  await quantity(page).fill('77')
  await save(page).click()
  await page.getByRole('button', { name: 'Saving…' }).waitFor()
  await quantity(page).fill('78')
  await page.getByRole('link', { name: 'Sales orders' }).first().click()
  await page.locator('tbody').getByRole('link', { name: document.number }).click()
  await expect.poll(() => quantity(page).inputValue()).not.toBe('78')
  await page.locator('vk-document-actions').waitFor()
  saving.resolve()
  await message(page, 'Your unsaved changes were restored.').waitFor()
  expect(await quantity(page).inputValue()).toBe('78')
  expect(await page.locator('.conflict').count()).toBe(0)
  expect(await page.getByText('Open it again').count()).toBe(0)
  await page.unroute(path)
  await save(page).click()
  await expect.poll(async () => (await editorState(clerk, document)).documentVersion).toBe(end.version + 1)
})

test('a draft cannot be deleted while it is saved, and a refused deletion loses no focus', async () => {
  const { page, document: draft, path } = await openDraft()
  const saving = Promise.withResolvers<void>()
  await page.route(path, async (route) => {
    if (route.request().method() === 'PUT') await saving.promise
    await route.continue()
  })
  await quantity(page).fill('77')
  await page.keyboard.press('Control+s')
  await page.getByRole('button', { name: 'Saving…' }).waitFor()
  expect(await remove(page).isDisabled()).toBe(true)
  saving.resolve()
  await message(page, 'Saved.').waitFor()
  expect(await remove(page).isDisabled()).toBe(false)

  tolerate(page, /409 \(Conflict\)/)
  const clerk2 = await stage.demo.as('clerk2')
  await clerk2('PUT', `/api/documents/trade.sales_order/${draft.id}`, {
    body: { fields: { ...draft.payload.fields, dueDate: '2031-01-02' } },
  })
  await remove(page).press('Enter')
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).press('Enter')
  await page.locator('.conflict').waitFor()
  await expect.poll(() => page.evaluate(() => document.activeElement?.localName)).toBe('main')
})

test('after a deletion whose response was lost, another deletion succeeds', async () => {
  const { page, path } = await openDraftWithoutNews()
  const confirmRemoval = async () => {
    await remove(page).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  }
  tolerate(page, /404 \(Not Found\)/)
  await loseAnswer(page, `${path}?*`)
  await confirmRemoval()
  await unreachable(page).waitFor()
  await confirmRemoval()
  await message(page, 'deleted.').waitFor()
  await page.waitForURL('**/sales-orders')
})
