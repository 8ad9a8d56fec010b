import type { Locator, Page } from 'playwright-core'
import { expect } from 'vitest'
import { postedInvoice } from '../trade/actions/documents.ts'
import { stageOfFile, test } from './harness.ts'
import { notify, rowsOf, withDatabase } from './many-items.ts'
import { focusedRow, messages, rowOf, workCenter } from './work-center-stage.ts'

const stage = stageOfFile()
const clerk = stage.as('clerk')

const boxOf = (row: Locator): Locator => row.getByRole('checkbox')

async function press(page: Page, ...keys: string[]): Promise<void> {
  for (const key of keys) await page.keyboard.press(key)
}

test('a key that applies to none of the items opens no dialog and gives the reason', async () => {
  await withDatabase(stage.demo.databaseUrl, (sql) =>
    notify(sql, { user: 'viewer', count: 2, title: 'Notification %.', target: null }),
  )
  const page = await stage.signIn('viewer', '/work-center?tab=notifications')
  await rowsOf(page).first().waitFor()
  await press(page, 'j', 'x', 's')
  await messages(page).getByText('These items do not allow this.').waitFor()
  expect(await page.getByRole('dialog').count()).toBe(0)
})

test('`e` takes the selected task, also if another row has the focus, and explains why it takes no two', async () => {
  const [first, second] = [await postedInvoice(clerk), await postedInvoice(clerk)]
  const page = await stage.signIn('clerk', '/work-center')
  for (const invoice of [first, second]) await boxOf(rowOf(page, invoice)).check()
  await press(page, 'e')
  await messages(page).getByText('Take the action of one task at a time.').waitFor()
  await boxOf(rowOf(page, second)).uncheck()
  expect(await focusedRow(page)).toContain(second.number)
  await press(page, 'e')
  await page.waitForURL(`**/sales-invoices/${first.id}`)
})

test('z says that there is nothing to undo, before a change and after its undo', async () => {
  const invoice = await postedInvoice(clerk)
  const page = await stage.signIn('clerk', '/work-center')
  const mine = rowOf(page, invoice).getByText('Claimed by you')
  const nothing = messages(page).getByText('Nothing to undo.')
  await rowOf(page, invoice).waitFor()
  await press(page, 'z')
  await nothing.waitFor()
  await press(page, 'j', 'c')
  await mine.waitFor()
  await nothing.waitFor({ state: 'detached' })
  await press(page, 'z')
  await mine.waitFor({ state: 'detached' })
  await messages(page).getByText('Released 1 item.').waitFor()
  await press(page, 'z')
  await nothing.waitFor()
})

test('completed tasks are neither marked as read nor as unread', async () => {
  const page = await stage.signIn('clerk', '/work-center?tab=completed')
  const row = rowsOf(page).first()
  await row.waitFor()
  const marks = workCenter(page).getByRole('button', { name: /^Mark/ })
  expect(await marks.count()).toBe(0)
  await boxOf(row).check()
  await workCenter(page).getByText('1 selected').waitFor()
  expect(await marks.count()).toBe(0)
})

test('no empty bar of buttons covers the time of a completed task', async () => {
  const page = await stage.signIn('clerk', '/work-center?tab=completed')
  const row = rowsOf(page).first()
  await row.hover()
  expect(await row.locator('.buttons').isVisible()).toBe(false)
})

test('Escape clears the selection', async () => {
  const [first, second] = [await postedInvoice(clerk), await postedInvoice(clerk)]
  const page = await stage.signIn('clerk', '/work-center')
  for (const invoice of [first, second]) await boxOf(rowOf(page, invoice)).check()
  await workCenter(page).getByText('2 selected').waitFor()
  await press(page, 'Escape')
  await workCenter(page).getByText('Select all').waitFor()
  expect(await rowsOf(page).locator('input:checked').count()).toBe(0)
})

test('the list follows the search text while the user types', async () => {
  const [wanted, other] = [await postedInvoice(clerk), await postedInvoice(clerk)]
  const page = await stage.signIn('clerk', '/work-center')
  await rowOf(page, other).waitFor()
  const search = workCenter(page).getByRole('searchbox')
  await search.pressSequentially(`${wanted.number} `)
  await rowOf(page, other).waitFor({ state: 'detached' })
  await rowOf(page, wanted).waitFor()
  // The text stays as the user has typed it.
  expect(await search.inputValue()).toBe(`${wanted.number} `)
  expect(await search.evaluate((field) => field.matches(':focus'))).toBe(true)
})

test('Back after a search returns to the list before the search', async () => {
  const { number } = await postedInvoice(clerk)
  const page = await stage.signIn('clerk', '/work-center')
  const search = workCenter(page).getByRole('searchbox')
  const query = () => new URL(page.url()).searchParams.get('q')
  for (const text of [number.slice(0, 4), number]) {
    await search.fill(text)
    await expect.poll(query).toBe(text)
  }
  // Leaving the field finishes the search, which is already shown.
  await page.keyboard.press('Tab')
  await page.goBack()
  await expect.poll(query).toBe(null)
  expect(new URL(page.url()).pathname).toBe('/work-center')
})

test('the list of shortcuts contains the key that leads to a message', async () => {
  const page = await stage.signIn('viewer', '/work-center')
  await rowsOf(page).first().waitFor()
  await press(page, '?')
  const help = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
  await help.getByText('F8', { exact: true }).waitFor()
  await help.getByText('Go to the newest message').waitFor()
})

test('a narrow row shows its whole title, and its text in a line of its own', async () => {
  const invoice = await postedInvoice(clerk)
  const page = await stage.signIn('clerk', '/work-center')
  const row = rowOf(page, invoice)
  await row.waitFor()
  const buttons = row.locator('.buttons')
  expect(await buttons.evaluate((one) => getComputedStyle(one, '::before').content)).toBe('none')
  await page.setViewportSize({ width: 390, height: 844 })
  const share = () =>
    row
      .locator('.text')
      .evaluate((text) => text.clientWidth / (text.closest('.about')?.clientWidth ?? Number.NaN))
  await expect.poll(share).toBeGreaterThanOrEqual(0.59)
  await page.setViewportSize({ width: 320, height: 700 })
  const title = row.locator('.title')
  const hidden = (side: 'Width' | 'Height') =>
    title.evaluate((one, of) => one[`scroll${of}`] - one[`client${of}`], side)
  await expect.poll(() => hidden('Width')).toBe(0)
  expect(await hidden('Height')).toBeLessThanOrEqual(1)
})

test('on a narrow screen, the search of a French Work Center stays in its container', async () => {
  const page = await stage.signIn('clerk', '/work-center', {
    viewport: { width: 320, height: 700 },
    storageState: {
      cookies: [],
      origins: [{ origin: stage.demo.url, localStorage: [{ name: 'demo.language', value: 'fr' }] }],
    },
  })
  const search = workCenter(page).getByRole('searchbox', { name: 'Recherche' })
  await search.waitFor()
  const [outer, inner] = [await workCenter(page).boundingBox(), await search.boundingBox()]
  const end = (box: typeof outer) => (box?.x ?? 0) + (box?.width ?? 0)
  expect(end(inner)).toBeLessThanOrEqual(end(outer))
})
