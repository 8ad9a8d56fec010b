import type { Locator, Page } from 'playwright-core'
import { expect } from 'vitest'
import { act } from '../actions.ts'
import { draftSales, postedInvoice } from '../trade/actions/documents.ts'
import { expectNoSeriousViolations, stageOfFile, test, tolerate } from './harness.ts'
import {
  countOf,
  knownCount,
  messages,
  openFilters,
  rowOf,
  tab,
  verb,
  workCenter,
} from './work-center-stage.ts'

const stage = stageOfFile()
const clerk = stage.as('clerk')

const bulk = (page: Page, name: string): Locator =>
  workCenter(page).getByRole('group', { name: 'Change several items' }).getByRole('button', { name })
const boxOf = (row: Locator): Locator => row.getByRole('checkbox')

/** Posts this many invoices, whose tasks all clerks receive. The last one is at the top of the list. */
async function invoices(count: number) {
  const posted = []
  for (let n = 0; n < count; n += 1) posted.push(await postedInvoice(clerk))
  return posted
}

test('a clerk selects a range with Shift, claims it, sees which task failed, and undoes the others', async () => {
  const [first, taken, last] = (await invoices(3)) as [Doc, Doc, Doc]
  const page = await stage.signIn('clerk', '/work-center')
  const colleague = await stage.signIn('clerk2', '/work-center')
  await tab(page, 'Tasks').click()
  await boxOf(rowOf(page, first)).click()
  await boxOf(rowOf(page, last)).click({ modifiers: ['Shift'] })
  await workCenter(page).getByText('3 selected').waitFor()
  expect(await boxOf(rowOf(page, taken)).isChecked()).toBe(true)
  // The claim of the colleague arrives while the request is on its way.
  await page.route(
    /\/work-center\/batch$/,
    async (route) => {
      const claimed = colleague.waitForResponse(/\/claim$/)
      await verb(rowOf(colleague, taken), 'Claim').click()
      await claimed
      await route.continue()
    },
    { times: 1 },
  )
  await bulk(page, 'Claim').click()
  await messages(page).getByText('Claimed 2 items. 1 failed.').waitFor()
  for (const invoice of [first, last]) await rowOf(page, invoice).getByText('Claimed by you').waitFor()
  await rowOf(colleague, first).waitFor({ state: 'detached' })
  await messages(page).getByRole('button', { name: 'Undo: Claimed 2 items. 1 failed.' }).click()
  await messages(page).getByText('Released 2 items.').waitFor()
  for (const invoice of [first, last]) await rowOf(colleague, invoice).waitFor()
})

test('each change of a row has a message, and its Undo works after leaving the Work Center', async () => {
  const [invoice] = (await invoices(1)) as [Doc]
  const page = await stage.signIn('clerk', '/work-center')
  const count = await knownCount(page)
  await page.evaluate(() => {
    document.addEventListener('vk-done', ({ detail }) => {
      document.title = detail.kind
    })
  })
  await verb(rowOf(page, invoice), 'Claim').click()
  await messages(page).getByText('Claimed 1 item.').waitFor()
  await expect.poll(() => page.title()).toBe('itemsClaimed')
  await rowOf(page, invoice).getByText('Claimed by you').waitFor()
  await page.getByRole('link', { name: 'Sales orders' }).click()
  await workCenter(page).waitFor({ state: 'detached' })
  await messages(page).getByRole('button', { name: 'Undo: Claimed 1 item.' }).click()
  await messages(page).getByText('Released 1 item.').waitFor()
  await page.goBack()
  await verb(rowOf(page, invoice), 'Claim').waitFor()
  await expect.poll(() => countOf(page)).toBe(count)
})

test('a dismissed notification no longer counts, until Undo restores it', async () => {
  const [invoice] = (await invoices(1)) as [Doc]
  await act(clerk, invoice, 'trade.write_off', { reason: 'Insolvent' })
  const page = await stage.signIn('auditor', '/work-center')
  const count = await knownCount(page)
  await verb(rowOf(page, invoice), 'Dismiss').click()
  await rowOf(page, invoice).waitFor({ state: 'detached' })
  await expect.poll(() => countOf(page)).toBe(count - 1)
  await messages(page).getByRole('button', { name: 'Undo: Dismissed 1 item.' }).click()
  await rowOf(page, invoice).waitFor()
  await expect.poll(() => countOf(page)).toBe(count)
})

test('opening an item marks it as read without a message', async () => {
  const [invoice] = (await invoices(1)) as [Doc]
  const page = await stage.signIn('clerk', '/work-center')
  await rowOf(page, invoice).getByText('Unread').waitFor({ state: 'attached' })
  const read = page.waitForResponse(/\/read$/)
  await rowOf(page, invoice).getByRole('link').first().click()
  await read
  await page.goBack()
  await rowOf(page, invoice).waitFor()
  await expect.poll(() => rowOf(page, invoice).getByText('Unread').count()).toBe(0)
  expect(await messages(page).getByRole('listitem').count()).toBe(0)
})

type Doc = Awaited<ReturnType<typeof postedInvoice>>

test('a clerk releases a claimed task, and a colleague can claim it', async () => {
  const [invoice] = (await invoices(1)) as [Doc]
  const page = await stage.signIn('clerk', '/work-center')
  const colleague = await stage.signIn('clerk2', '/work-center')
  await rowOf(colleague, invoice).waitFor()
  await verb(rowOf(page, invoice), 'Claim').click()
  await rowOf(colleague, invoice).waitFor({ state: 'detached' })
  await verb(rowOf(page, invoice), 'Release').click()
  await verb(rowOf(colleague, invoice), 'Claim').click()
  await rowOf(page, invoice).waitFor({ state: 'detached' })
})

test('the button with the focus stays the same when the items that are selected change', async () => {
  const [first, second] = (await invoices(2)) as [Doc, Doc]
  const page = await stage.signIn('clerk', '/work-center?tab=tasks')
  await verb(rowOf(page, first), 'Mark as read').click()
  await messages(page).getByText('Marked 1 item as read.').waitFor()
  await boxOf(rowOf(page, first)).click()
  await boxOf(rowOf(page, second)).click()
  await bulk(page, 'Claim').focus()
  const other = await page.context().newPage()
  await other.goto(page.url())
  await verb(rowOf(other, second), 'Mark as read').click()
  await bulk(page, 'Mark as read').waitFor({ state: 'detached' })
  await page.keyboard.press('Enter')
  await messages(page).getByText('Claimed 2 items.').waitFor()
})

test('a task that was selected before its list was loaded again, and that has left the list, is not selected any more', async () => {
  const [taken, kept] = (await invoices(2)) as [Doc, Doc]
  const page = await stage.signIn('clerk', '/work-center?tab=tasks')
  await rowOf(page, taken).waitFor()
  const count = await knownCount(page)
  await tab(page, 'Completed').click()
  const colleague = await stage.signIn('clerk2', '/work-center')
  await verb(rowOf(colleague, taken), 'Claim').click()
  await expect.poll(() => countOf(page)).toBe(count - 1)
  const answer = Promise.withResolvers<void>()
  await page.route(/items\?.*tab=tasks/, async (route) => {
    await answer.promise
    await route.continue()
  })
  await tab(page, 'Tasks').click()
  await boxOf(rowOf(page, taken)).check()
  answer.resolve()
  await rowOf(page, taken).waitFor({ state: 'detached' })
  await rowOf(page, kept).focus()
  await page.keyboard.press('c')
  await messages(page).getByText('Claimed 1 item.').waitFor()
})

test('several items are selected and changed with only the keyboard', async () => {
  const [first, second] = (await invoices(2)) as [Doc, Doc]
  const page = await stage.signIn('clerk', '/work-center')
  await tab(page, 'Tasks').click()
  await boxOf(rowOf(page, second)).focus()
  await page.keyboard.press('Space')
  await boxOf(rowOf(page, first)).focus()
  await page.keyboard.press('Shift+Space')
  await workCenter(page).getByText('2 selected').waitFor()
  await bulk(page, 'Mark as read').focus()
  await page.keyboard.press('Enter')
  await messages(page).getByText('Marked 2 items as read.').waitFor()
  expect(
    await workCenter(page)
      .locator('#select-all')
      .evaluate((box) => box.matches(':focus')),
  ).toBe(true)
  for (const invoice of [first, second]) {
    await expect.poll(() => rowOf(page, invoice).getByText('Unread').count()).toBe(0)
  }
})

test('tasks are searched, and grouped by their due dates', async () => {
  const [invoice, other] = (await invoices(2)) as [Doc, Doc]
  const page = await stage.signIn('clerk', '/work-center')
  await tab(page, 'Tasks').click()
  await workCenter(page).getByLabel('Search').fill(invoice.number.toLowerCase())
  await page.keyboard.press('Enter')
  await rowOf(page, other).waitFor({ state: 'detached' })
  await rowOf(page, invoice).waitFor()
  await openFilters(page)
  await workCenter(page).getByLabel('Kind').selectOption({ label: 'Collect payment' })
  await workCenter(page).getByLabel('Sort by').selectOption('due')
  await workCenter(page)
    .getByRole('heading', { name: /Overdue|Today|This week|Later/ })
    .waitFor()
  await rowOf(page, invoice).waitFor()
  await boxOf(rowOf(page, invoice)).check()
  await expectNoSeriousViolations(page)
  await page.setViewportSize({ width: 320, height: 640 })
  const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
  expect(overflow).toBeLessThanOrEqual(0)
})

test('the rows of a due day keep their buttons and dialogs when an earlier day ends', async () => {
  const due = async (days: number) => {
    const dueDate = new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)
    const draft = await draftSales(clerk, 'trade.sales_invoice', (fields) => ({ ...fields, dueDate }))
    return (await act(clerk, draft, 'post')).document
  }
  const [today, later] = [await due(0), await due(2)]
  const page = await stage.signIn('clerk', '/items')
  // Without the tasks of the demo, which are due at any time.
  await page.route('**/api/work-center/items?*', async (route) => {
    const response = await route.fetch()
    const { items, ...rest } = await response.json()
    const ids = [today.id, later.id]
    const own = items.filter(({ source }: { source: { entityId: string } }) => ids.includes(source.entityId))
    await route.fulfill({ response, json: { ...rest, items: own, nextCursor: null } })
  })
  await page.goto(`${stage.demo.url}/work-center?tab=tasks&sort=due`)
  const row = rowOf(page, later)
  await row.waitFor()
  await row.evaluate((one) => Object.assign(one, { isFirst: true }))
  const heading = workCenter(page).getByRole('heading', { name: 'Today' })
  await heading.waitFor()
  await act(clerk, today, 'trade.write_off', { reason: 'Insolvent' })
  await heading.waitFor({ state: 'detached' })
  expect(await row.evaluate((one) => 'isFirst' in one)).toBe(true)
})

test('all items are marked as read, and a failure of the whole request is shown', async () => {
  const [invoice] = (await invoices(1)) as [Doc]
  const page = await stage.signIn('clerk2', '/work-center')
  tolerate(page, /ERR_FAILED|503/)
  await tab(page, 'Tasks').click()
  await rowOf(page, invoice).getByText('Unread').waitFor({ state: 'attached' })
  await page.route(
    /\/work-center\/read-all$/,
    (route) => route.fulfill({ status: 400, json: { code: 'x', detail: 'Refused for a test.' } }),
    { times: 1 },
  )
  tolerate(page, /400/)
  await bulk(page, 'Mark all as read').click()
  await workCenter(page).getByText('Refused for a test.').waitFor()
  await bulk(page, 'Mark all as read').click()
  await messages(page)
    .getByText(/^Marked \d+ items? as read\.$/)
    .waitFor()
  await expect.poll(() => workCenter(page).getByRole('listitem').getByText('Unread').count()).toBe(0)
})
