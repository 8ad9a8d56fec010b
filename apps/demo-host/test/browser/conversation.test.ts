import type { Locator, Page, Route } from 'playwright-core'
import { describe, expect } from 'vitest'
import { act } from '../actions.ts'
import { expectAnswer } from '../answers.ts'
import { draftSales } from '../trade/actions/documents.ts'
import { expectNoSeriousViolations, screenshot, stageOfFile, test } from './harness.ts'

const stage = stageOfFile()
const clara = stage.as('clerk')
const carl = stage.as('clerk2')

const typeCode = 'trade.sales_invoice'
const draft = async (): Promise<string> => (await draftSales(clara, typeCode)).id
const note = (invoice: string, text: string, by = carl) =>
  expectAnswer(
    by('POST', '/api/notes', { body: { target: { kind: 'Document', typeCode, id: invoice }, text } }),
    201,
  )

const open = (user: string, invoice: string): Promise<Page> =>
  stage.signIn(user, `/sales-invoices/${invoice}`)
const live = (page: Page): Locator => page.locator('vk-live-object')
const panel = (page: Page): Locator => page.locator('vk-notes')
const field = (page: Page): Locator => panel(page).getByLabel('New note')

async function openNotes(page: Page): Promise<void> {
  await page.getByRole('button', { name: /^Notes/ }).click()
  await field(page).waitFor()
}

/** Waits until a user has a notification with this title. */
const hasNews = (user: typeof carl, title: RegExp, invoice: string) =>
  expect
    .poll(
      async () => {
        const page = await expectAnswer(
          user('GET', '/api/work-center/items?tab=notifications&limit=100'),
          200,
        )
        const items = page['items'] as unknown as readonly { title: string; source: { entityId: string } }[]
        return items.some((item) => item.source.entityId === invoice && title.test(item.title))
      },
      { timeout: 20_000 },
    )
    .toBe(true)

/** Waits until the page knows the newest event of its document. */
const settled = (page: Page) =>
  live(page).locator('[role=status][aria-busy=false]').waitFor({ state: 'attached' })

describe('a page that shows a document', () => {
  test('tells that a colleague has posted it, and shows the change on request', async () => {
    const document = await draftSales(clara, typeCode)
    const page = await open('clerk', document.id)
    await settled(page)
    await act(carl, document, 'post')
    await live(page)
      .getByText(/Carl Clerk. posted this/)
      .waitFor()
    await page.getByText('Draft', { exact: true }).first().waitFor()
    await expectNoSeriousViolations(page)
    await screenshot(page, 'live-object')
    await live(page).getByRole('button', { name: 'Show' }).click()
    await page.getByText('Posted', { exact: true }).first().waitFor()
    await live(page).getByRole('button', { name: 'Show' }).waitFor({ state: 'detached' })
  })

  test('tells a reader without the history of a change only after there was one', async () => {
    const document = await draftSales(clara, typeCode)
    const page = await stage.signIn('viewer', '/sales-invoices')
    let counts = 0
    page.on('response', (response) => {
      if (response.url().includes('/content-summary')) counts += 1
    })
    await page.goto(`${stage.demo.url}/sales-invoices/${document.id}`)
    // The page counts again when it is subscribed to its document. The hub reports only changes after that.
    await expect.poll(() => counts).toBeGreaterThan(1)
    await act(carl, document, 'post')
    await live(page)
      .getByText(/Someone. changed this/)
      .first()
      .waitFor()
    // On a slow machine, too, everything below is soon after the click.
    await page.clock.setFixedTime(new Date())
    await live(page).getByRole('button', { name: 'Show' }).click()
    await page.getByText('Posted', { exact: true }).first().waitFor()
    await live(page).getByRole('button', { name: 'Show' }).waitFor({ state: 'detached' })
    // The user returns to the tab after a time without changes.
    await page.evaluate(`(async () => {
      document.dispatchEvent(new Event('visibilitychange'))
      await fetch('/page-settings.json')
      await new Promise(requestAnimationFrame)
    })()`)
    expect(await live(page).getByRole('button', { name: 'Show' }).count()).toBe(0)
    // Soon after that, a report can be a repetition. It causes no further message.
    await act(carl, document, 'unpost')
    await page.getByText('Draft', { exact: true }).first().waitFor()
    expect(await live(page).getByRole('button', { name: 'Show' }).count()).toBe(0)
  })

  test('shows no notice of own work, and adds the notes of a colleague to the open list', async () => {
    const invoice = await draft()
    const [mine, theirs] = await Promise.all([open('clerk', invoice), open('clerk2', invoice)])
    for (const page of [mine, theirs]) {
      await settled(page)
      await openNotes(page)
    }
    await field(theirs).fill('From Carl')
    await panel(theirs).getByRole('button', { name: 'Add note' }).click()
    await panel(mine).getByText('From Carl').waitFor()
    await live(mine)
      .getByText(/Carl Clerk. added a note/)
      .waitFor({ state: 'attached' })
    expect(await live(theirs).getByRole('button', { name: 'Show' }).count()).toBe(0)
  })
})

describe('a mention', () => {
  test('is picked with the keyboard, shown as a name on both pages, and notifies', async () => {
    const invoice = await draft()
    const page = await open('clerk', invoice)
    await openNotes(page)
    await field(page).pressSequentially('Please check, @carl')
    await panel(page).getByRole('option', { name: 'Carl Clerk' }).waitFor()
    await expectNoSeriousViolations(page)
    await screenshot(page, 'mention-picker')
    await page.keyboard.press('Enter')
    await expect.poll(() => field(page).inputValue()).toBe('Please check, @Carl Clerk ')
    await page.keyboard.press('Control+Enter')
    await panel(page).locator('.mention').getByText('@Carl Clerk').waitFor()
    await hasNews(carl, /^Clara Clerk mentioned you on Sales invoice/, invoice)
    const theirs = await stage.signIn('clerk2', '/work-center?tab=notifications')
    await theirs
      .getByRole('link', { name: /mentioned you on Sales invoice/ })
      .first()
      .click()
    await panel(theirs).locator('.mention').getByText('@Carl Clerk').waitFor()
    await panel(theirs)
      .getByRole('button', { name: /^Edit the note/ })
      .click()
    const editor = panel(theirs).getByLabel(/Edit the note by .Clara Clerk/)
    await expect.poll(() => editor.inputValue()).toBe('Please check, @Carl Clerk')
    await editor.fill('Checked, @Carl Clerk.')
    await panel(theirs).getByRole('button', { name: 'Save' }).click()
    await panel(page)
      .getByText(/edited by .Carl Clerk/)
      .waitFor()
    await expect.poll(() => panel(page).locator('li .text').textContent()).toBe('Checked, @Carl Clerk.')
  })

  test('in an unsaved note keeps its name when the panel opens again and after a reload', async () => {
    const invoice = await draft()
    const page = await open('clerk', invoice)
    await openNotes(page)
    await field(page).pressSequentially('Please check, @carl')
    await panel(page).getByRole('option', { name: 'Carl Clerk' }).click()
    await page.reload()
    await expect.poll(() => field(page).inputValue()).toBe('Please check, @Carl Clerk ')
    await field(page).press('Control+Enter')
    await panel(page).locator('.mention').getByText('@Carl Clerk').waitFor()
  })

  test('a name is picked only while the cursor is at its end', async () => {
    const page = await open('clerk', await draft())
    await openNotes(page)
    await field(page).fill('ask  about the price')
    await field(page).evaluate((text: HTMLTextAreaElement) => text.setSelectionRange(4, 4))
    await field(page).pressSequentially('@carl')
    await panel(page).getByRole('option', { name: 'Carl Clerk' }).waitFor()
    await field(page).press('End')
    await field(page).press('Enter')
    expect(await field(page).inputValue()).toBe('ask @carl about the price\n')
    expect(await panel(page).getByRole('option').count()).toBe(0)
  })

  /** Types a text for which the notes of a new invoice offer people to mention. */
  async function openList(text: string): Promise<Page> {
    const page = await open('clerk', await draft())
    await openNotes(page)
    await field(page).pressSequentially(text)
    await panel(page).getByRole('listbox').waitFor()
    return page
  }

  test('picks only users whose names contain the typed text, even before the answer of the service', async () => {
    const page = await openList('Ask @c')
    await panel(page).getByRole('option', { name: 'Clara Clerk' }).waitFor()
    const options = panel(page).getByRole('option')
    expect((await options.allTextContents()).map((name) => name.trim())[0]).toBe('Carl Clerk')
    const unanswered: Route[] = []
    await page.route('**/mentionable?*', (route) => void unanswered.push(route))
    await field(page).pressSequentially('lara')
    await expect.poll(() => unanswered.length).toBe(4)
    await field(page).press('Enter')
    expect(await field(page).inputValue()).toBe('Ask @Clara Clerk ')

    await field(page).pressSequentially('and @c')
    await field(page).press('Enter')
    expect(await field(page).inputValue()).toBe('Ask @Clara Clerk and @c\n')
    await Promise.all(unanswered.map((route) => route.continue()))
  })

  test('picks the user selected with the arrow keys, although the answer arrives afterwards', async () => {
    const page = await openList('Ask @cle')
    const unanswered: Route[] = []
    await page.route('**/mentionable?*', (route) => void unanswered.push(route))
    await field(page).pressSequentially('r')
    await expect.poll(() => unanswered.length).toBe(1)
    await field(page).press('ArrowDown')
    const selected = panel(page).getByRole('option', { selected: true })
    const name = (await selected.textContent())?.trim()
    const answer = page.waitForResponse('**/mentionable?*')
    await unanswered[0]?.continue()
    await (await answer).finished()
    // The page has read the answer before a later one.
    await page.evaluate("fetch('/page-settings.json').then(() => new Promise(requestAnimationFrame))")
    await field(page).press('Enter')
    expect(await field(page).inputValue()).toBe(`Ask @${name} `)
  })

  test('list closes with Escape, and offers nobody for an unknown name', async () => {
    const page = await openList('@c')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Escape')
    await panel(page).getByRole('listbox').waitFor({ state: 'detached' })
    await field(page).pressSequentially('zzz')
    expect(await panel(page).getByRole('listbox').count()).toBe(0)
    expect(await field(page).inputValue()).toBe('@czzz')
  })

  test('list closes when the note is saved', async () => {
    const page = await openList('Ask @c')
    await page.keyboard.press('Control+Enter')
    await panel(page).getByRole('listitem').filter({ hasText: 'Ask @c' }).waitFor()
    expect(await panel(page).getByRole('listbox').count()).toBe(0)
    expect(await field(page).getAttribute('aria-activedescendant')).toBeNull()
  })
})

test('links of a note lead to addresses in a new page, and to documents', async () => {
  const [invoice, other] = [await draft(), await draftSales(clara, typeCode)]
  await note(invoice, `See ${other.number} and https://example.com/terms.`)
  const page = await open('clerk', invoice)
  await openNotes(page)
  const link = panel(page).getByRole('link', { name: 'https://example.com/terms' })
  expect(await link.getAttribute('rel')).toBe('noopener noreferrer nofollow')
  await panel(page).getByRole('link', { name: other.number }).click()
  await page.waitForURL(new RegExp(`/sales-invoices/${other.id}$`))
})

test('a follower is notified of what a colleague does', async () => {
  const invoice = await draft()
  const page = await open('clerk', invoice)
  await page.getByRole('button', { name: 'Follow' }).click()
  await page.getByRole('button', { name: 'Following', pressed: true }).waitFor()
  await expectNoSeriousViolations(page)
  await note(invoice, 'Look at this')
  await hasNews(clara, /^Carl Clerk worked on Sales invoice/, invoice)
  await page.reload()
  await page.getByRole('button', { name: 'Following', pressed: true }).click()
  await page.getByRole('button', { name: 'Follow', pressed: false }).waitFor()
})

test('a second click on Follow counts, also while the first one is saved', async () => {
  const page = await open('clerk', await draft())
  const letGo = Promise.withResolvers<void>()
  await page.route('**/api/business-objects/watch?*', async (route) => {
    if (route.request().method() === 'PUT') await letGo.promise
    await route.continue()
  })
  const follow = page.getByRole('button', { name: 'Follow', exact: true })
  const following = page.getByRole('button', { name: 'Following', pressed: true })
  const put = page.waitForRequest((request) => request.method() === 'PUT')
  await follow.click()
  await put
  await following.click()
  await follow.waitFor()
  await follow.click()
  await following.click()
  const after = page.waitForRequest((request) => request.method() === 'DELETE')
  letGo.resolve()
  await (await after).response()
  await page.reload()
  await follow.waitFor()
})
