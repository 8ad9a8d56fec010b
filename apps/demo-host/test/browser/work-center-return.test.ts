import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { postedInvoice } from '../trade/actions/documents.ts'
import { stageOfFile, test } from './harness.ts'
import { notify, rowsOf, scrollUntil, withDatabase } from './many-items.ts'
import { focusedRow, rowOf, verb, workCenter } from './work-center-stage.ts'

const stage = stageOfFile()

/** More than the 30 rows of the first page. */
const count = 32

/** Signs a user in who has 32 notifications about one invoice, and shows all of them. */
async function openNotifications(user: string): Promise<Page> {
  const { id } = await postedInvoice(stage.as('clerk'))
  await withDatabase(stage.demo.databaseUrl, (sql) =>
    notify(sql, {
      ...{ user, count, title: 'Notification %.' },
      target: { code: 'trade.sales_invoice', parameters: { documentId: id } },
    }),
  )
  const page = await stage.signIn(user, '/work-center?tab=notifications')
  await rowsOf(page).first().waitFor()
  await scrollUntil(page, count)
  return page
}

test('the focus returns to a row of the second page', async () => {
  const page = await openNotifications('viewer')
  await rowsOf(page).filter({ hasText: 'Notification 32.' }).locator('input').focus()
  await page.keyboard.press('k')
  const left = await focusedRow(page)
  expect(left).toContain('Notification 31.')
  await page.keyboard.press('Enter')
  await page.waitForURL('**/sales-invoices/*')
  await page.goBack()
  await expect.poll(() => focusedRow(page)).not.toBe('')
  expect(await focusedRow(page)).toContain('Notification 31.')
})

test('a list that the page has moved loads its next page when the user scrolls', async () => {
  const { id } = await postedInvoice(stage.as('clerk'))
  await withDatabase(stage.demo.databaseUrl, (sql) =>
    notify(sql, {
      ...{ user: 'manager', count, title: 'Notification %.' },
      target: { code: 'trade.sales_invoice', parameters: { documentId: id } },
    }),
  )
  const page = await stage.signIn('manager', '/work-center?tab=notifications')
  await rowsOf(page).first().waitFor()
  await workCenter(page).evaluate((one) => one.parentElement?.append(one))
  await scrollUntil(page, count)
})

test('the first row receives the focus after an undo restores a whole list', async () => {
  const page = await openNotifications('auditor')
  await rowsOf(page).last().locator('input').focus()
  await page.keyboard.press('k')
  await workCenter(page).getByRole('checkbox', { name: 'Select all' }).check()
  await page.keyboard.press('e')
  await workCenter(page).getByText('You have no notifications.').waitFor()
  await page.keyboard.press('z')
  await rowsOf(page).first().waitFor()
  await page.keyboard.press('j')
  expect(await focusedRow(page)).toContain('Notification 1.')
})

test('a key in an empty list does not move the focus to a row that arrives later', async () => {
  const user = 'clerk2'
  const page = await stage.signIn(user, '/work-center?tab=notifications')
  await workCenter(page).getByText('You have no notifications.').waitFor()
  await page.keyboard.press('j')
  await withDatabase(stage.demo.databaseUrl, (sql) =>
    notify(sql, { user, count: 1, title: 'Notification %.', target: null }),
  )
  await rowsOf(page).first().waitFor()
  expect(await focusedRow(page)).toBe('')
  await page.keyboard.press('j')
  expect(await focusedRow(page)).toContain('Notification 1.')
})

test.each(['Snooze', 'Forward'])(
  'the focus moves to the next row if a colleague has claimed the task of an open dialog (%s)',
  async (name) => {
    const clerk = stage.as('clerk')
    const [first, second] = [await postedInvoice(clerk), await postedInvoice(clerk)]
    const page = await stage.signIn('clerk2', '/work-center')
    const colleague = await stage.signIn('clerk', '/work-center')
    await verb(rowOf(page, second), name).press('Enter')
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('heading', { name }).waitFor()
    await verb(rowOf(colleague, second), 'Claim').click()
    await rowOf(page, second).waitFor({ state: 'detached' })
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    await expect.poll(() => focusedRow(page)).toContain(first.number)
  },
)
