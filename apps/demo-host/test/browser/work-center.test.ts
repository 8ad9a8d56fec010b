import type { Page } from 'playwright-core'
import { describe, expect } from 'vitest'
import { act } from '../actions.ts'
import { draftSales, postedInvoice, postedPayment } from '../trade/actions/documents.ts'
import { expectNoSeriousViolations, screenshot, stageOfFile, test, tolerate } from './harness.ts'
import {
  badge,
  countOf,
  focusedRow,
  knownCount,
  openFilters,
  rowOf,
  tab,
  verb,
  workCenter,
} from './work-center-stage.ts'

const stage = stageOfFile()
const clerk = stage.as('clerk')

describe('two clerks', () => {
  test('see a higher count without a reload after an invoice is posted', async () => {
    const pages = [
      await stage.signIn('clerk', '/sales-orders'),
      await stage.signIn('clerk2', '/sales-orders'),
    ]
    const before = await Promise.all(pages.map(knownCount))
    await postedInvoice(clerk)
    for (const [index, page] of pages.entries()) {
      await expect.poll(() => countOf(page), { timeout: 30_000 }).toBe((before[index] ?? 0) + 1)
    }
  })

  test('cannot both claim a task: one claim succeeds, and the other clerk sees a message instead of the row', async () => {
    const invoice = await postedInvoice(clerk)
    const winner = await stage.signIn('clerk', '/work-center')
    const loser = await stage.signIn('clerk2', '/work-center')
    tolerate(loser, /409 \(Conflict\)/)
    const won = winner.waitForResponse(/\/claim$/)
    await loser.route(/\/claim$/, async (route) => {
      await won
      await route.continue()
    })
    await rowOf(loser, invoice).waitFor()
    await Promise.all([
      verb(rowOf(loser, invoice), 'Claim').click(),
      verb(rowOf(winner, invoice), 'Claim').click(),
    ])
    await rowOf(winner, invoice).getByText('Claimed by you').waitFor()
    await workCenter(loser)
      .getByRole('alert')
      .getByText(`Someone else has claimed “Collect payment for ${invoice.number}”.`)
      .waitFor()
    await rowOf(loser, invoice).waitFor({ state: 'detached' })
  })

  test('no longer see the row of a task after the other clerk claims it, and the focus moves to the next row', async () => {
    const [first, second] = [await postedInvoice(clerk), await postedInvoice(clerk)]
    const page = await stage.signIn('clerk2', '/work-center')
    const colleague = await stage.signIn('clerk', '/work-center')
    await verb(rowOf(page, second), 'Claim').focus()
    await verb(rowOf(colleague, second), 'Claim').click()
    await rowOf(page, second).waitFor({ state: 'detached' })
    await expect.poll(() => focusedRow(page)).toContain(first.number)
  })
})

describe('a clerk', () => {
  test('can snooze a task until tomorrow and end the snooze', async () => {
    const invoice = await postedInvoice(clerk)
    const page = await stage.signIn('clerk', '/work-center')
    await verb(rowOf(page, invoice), 'Snooze').click()
    await page.getByRole('dialog').getByRole('button', { name: 'Tomorrow morning' }).click()
    await rowOf(page, invoice).waitFor({ state: 'detached' })
    await tab(page, 'Tasks').click()
    await rowOf(page, invoice).getByText('Snoozed until').waitFor()
    await verb(rowOf(page, invoice), 'Show now').click()
    await verb(rowOf(page, invoice), 'Show now').waitFor({ state: 'detached' })
    await tab(page, 'Attention').click()
    await rowOf(page, invoice).waitFor()
  })

  test('can snooze a task only until a time in the future', async () => {
    const invoice = await postedInvoice(clerk)
    const page = await stage.signIn('clerk', '/work-center')
    await verb(rowOf(page, invoice), 'Snooze').click()
    const dialog = page.getByRole('dialog')
    await screenshot(page, 'work-center-snooze')
    await expectNoSeriousViolations(page)
    await dialog.getByLabel('Choose a date and time').fill('2020-01-31T08:00')
    await dialog.getByRole('button', { name: 'Snooze' }).click()
    await dialog.getByText('Choose a time in the future.').waitFor()
    await dialog.getByLabel('Choose a date and time').fill('2099-01-31T08:00')
    await dialog.getByRole('button', { name: 'Snooze' }).click()
    await rowOf(page, invoice).waitFor({ state: 'detached' })
  })

  test('no longer sees an open dialog after the session ends', async () => {
    const invoice = await postedInvoice(clerk)
    const page = await stage.signIn('clerk', '/work-center')
    await verb(rowOf(page, invoice), 'Snooze').click()
    const dialog = page.getByRole('dialog')
    await dialog.waitFor()
    await workCenter(page).evaluate((element) => Reflect.get(element, 'session').close())
    await expect.poll(() => dialog.count()).toBe(0)
    expect(await page.getByText(invoice.number).count()).toBe(0)
  })

  test('can open the document of an item, which marks the item as read', async () => {
    const invoice = await postedInvoice(clerk)
    const page = await stage.signIn('clerk', '/work-center')
    await rowOf(page, invoice).getByText('Unread').waitFor({ state: 'attached' })
    await rowOf(page, invoice).getByRole('link', { name: invoice.number }).click()
    await page.waitForURL(`**/sales-invoices/${invoice.id}`)
    await page.goBack()
    await rowOf(page, invoice).waitFor()
    await expect.poll(() => rowOf(page, invoice).getByText('Unread').count()).toBe(0)
    await expect.poll(() => focusedRow(page)).toContain(invoice.number)
  })

  test('can use the Work Center with only the keyboard', async () => {
    const invoice = await postedInvoice(clerk)
    const page = await stage.signIn('clerk', '/sales-orders')
    await badge(page).focus()
    await page.keyboard.press('Enter')
    await rowOf(page, invoice).waitFor()
    await tabTo(page, /^Attention/)
    await page.keyboard.press('ArrowRight')
    await expect.poll(() => focusedName(page)).toMatch(/^Tasks/)
    expect(await tab(page, 'Tasks').getAttribute('aria-selected')).toBe('true')
    const direct = (dir: string) =>
      page.evaluate((dir) => {
        document.documentElement.dir = dir
      }, dir)
    await direct('rtl')
    await page.keyboard.press('ArrowRight')
    await expect.poll(() => focusedName(page)).toMatch(/^Attention/)
    await page.keyboard.press('ArrowLeft')
    await expect.poll(() => focusedName(page)).toMatch(/^Tasks/)
    await direct('ltr')
    await page.keyboard.press('End')
    await expect.poll(() => focusedName(page)).toBe('Completed')
    await page.keyboard.press('Home')
    await rowOf(page, invoice).waitFor()
    await tabTo(page, new RegExp(`^Snooze: .*${invoice.number}`))
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Snooze until' }).waitFor()
    await page.keyboard.press('Escape')
    await expect.poll(() => focusedName(page)).toContain(invoice.number)
    await tabTo(page, new RegExp(`^Mark as read: .*${invoice.number}`))
    await page.keyboard.press('Enter')
    await verb(rowOf(page, invoice), 'Mark as read').waitFor({ state: 'detached' })
    await expect.poll(() => focusedRow(page)).toContain(invoice.number)
    await page.keyboard.press('Escape')
    await workCenter(page).waitFor({ state: 'detached' })
  })
})

test('a viewer can read and dismiss a notification, and empty tabs show a message', async () => {
  const invoice = await postedInvoice(clerk)
  const payment = await postedPayment(clerk, invoice, '25.00')
  await act(clerk, payment, 'trade.apply_payment', { payload: { amount: '25.00' } })
  const page = await stage.signIn('viewer', '/work-center')
  const row = rowOf(page, invoice)
  await row.getByText('Success').waitFor()
  await verb(row, 'Mark as read').click()
  await row.waitFor({ state: 'detached' })
  await tab(page, 'Notifications').click()
  await verb(row, 'Dismiss').click()
  await row.waitFor({ state: 'detached' })
  await tab(page, 'Tasks').click()
  await workCenter(page).getByText('You have no open tasks.').waitFor()
})

test('amounts and dates in the texts of items have the format of the user’s language', async () => {
  const draft = await draftSales(clerk, 'trade.sales_invoice', ({ lines, ...fields }) => ({
    ...fields,
    dueDate: '2031-01-02',
    lines: lines.map((line) => ({ ...line, quantity: 1, unitPrice: '12345.50' })),
  }))
  const { document: invoice } = await act(clerk, draft, 'post')
  const page = await stage.signIn('clerk', '/work-center', { locale: 'de-DE' })
  await rowOf(page, invoice).getByText('12.345,50 in total', { exact: true }).waitFor()
  await rowOf(page, invoice).getByText('02.01.2031').waitFor()
  await act(clerk, invoice, 'trade.write_off', { reason: 'Insolvent' })
  const auditor = await stage.signIn('auditor', '/work-center', { locale: 'de-DE' })
  await rowOf(auditor, invoice).getByText(`12.345,50 of invoice ${invoice.number} written off`).waitFor()
})

test('a completed task is neither bold nor unread, and cannot be marked as read', async () => {
  const invoice = await postedInvoice(clerk)
  const page = await stage.signIn('clerk', '/work-center')
  await rowOf(page, invoice).getByText('Unread').waitFor({ state: 'attached' })
  const boldness = () =>
    rowOf(page, invoice)
      .locator('.title')
      .evaluate((title) => getComputedStyle(title).fontWeight)
  expect(await boldness()).toBe('600')
  const payment = await postedPayment(clerk, invoice, '25.00')
  await act(clerk, payment, 'trade.apply_payment', { payload: { amount: '25.00' } })
  await rowOf(page, invoice).waitFor({ state: 'detached' })
  await tab(page, 'Completed').click()
  await rowOf(page, invoice).waitFor()
  expect(await boldness()).toBe('400')
  expect(await rowOf(page, invoice).getByText('Unread').count()).toBe(0)
  expect(await verb(rowOf(page, invoice), 'Mark as read').count()).toBe(0)
})

test('the filters of the Work Center keep their selection and can be cleared', async () => {
  const invoice = await postedInvoice(clerk)
  const page = await stage.signIn('clerk', '/work-center')
  await rowOf(page, invoice).waitFor()
  await openFilters(page)
  const priority = workCenter(page).getByRole('combobox', { name: 'Priority', exact: true })
  await priority.selectOption('Low')
  await workCenter(page).getByText('No items match these filters.').waitFor()
  await workCenter(page).getByRole('button', { name: 'Clear filters' }).click()
  await rowOf(page, invoice).waitFor()
  expect(await priority.inputValue()).toBe('')
  // The button has disappeared.
  expect(await page.evaluate(() => document.activeElement?.localName)).toBe('vk-work-center')
})

test('a change of the filters in one tab keeps those that only other tabs support', async () => {
  const page = await stage.signIn('clerk', '/work-center')
  await openFilters(page)
  const priority = workCenter(page).getByRole('combobox', { name: 'Priority', exact: true })
  await priority.selectOption('High')
  await tab(page, 'Notifications').click()
  await workCenter(page).getByRole('searchbox').fill('abc')
  await expect.poll(() => new URL(page.url()).searchParams.get('q')).toBe('abc')
  await tab(page, 'Attention').click()
  await expect.poll(() => priority.inputValue()).toBe('High')
})

test('users can switch preferences on and off, except mandatory preferences', async () => {
  const page = await stage.signIn('auditor', '/preferences')
  const settled = page.getByRole('switch', { name: 'Invoice settled' })
  const saved = page.waitForResponse((response) => response.request().method() === 'PUT')
  await settled.uncheck()
  expect((await saved).status()).toBe(200)
  await page.reload()
  await settled.waitFor()
  expect(await settled.isChecked()).toBe(false)
  const mandatory = page.getByRole('switch', { name: 'Write-off recorded' })
  await mandatory.focus()
  await page.keyboard.press('Space')
  await expect.poll(() => mandatory.isChecked()).toBe(true)
  await page.getByText('This cannot be turned off.').waitFor()
  await screenshot(page, 'preferences')
  await expectNoSeriousViolations(page)
})

test('the Work Center is accessible in light and dark mode, at 320 pixels and in a drawer', async () => {
  await postedInvoice(clerk)
  const page = await stage.signIn('clerk', '/work-center')
  await workCenter(page).getByRole('listitem').first().waitFor()
  await screenshot(page, 'work-center')
  await expectNoSeriousViolations(page)
  await page.setViewportSize({ width: 320, height: 640 })
  const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
  expect(overflow).toBeLessThanOrEqual(0)
  await page.setViewportSize({ width: 1280, height: 800 })
  await page.goto(`${stage.demo.url}/sales-orders`)
  await badge(page).click()
  await workCenter(page).getByRole('listitem').first().waitFor()
  await screenshot(page, 'work-center-drawer')
  await expectNoSeriousViolations(page)
})

/** Returns the label of the focused element, even if the element is in a shadow root. */
const focusedName = (page: Page): Promise<string> =>
  page.evaluate(() => {
    let focused = document.activeElement
    while (focused?.shadowRoot?.activeElement != null) focused = focused.shadowRoot.activeElement
    const label = focused?.getAttribute('aria-label') ?? focused?.textContent ?? ''
    return label.replaceAll(/\s+/g, ' ').trim()
  })

/** Presses Tab until an element with a matching label has the focus. */
async function tabTo(page: Page, name: RegExp): Promise<void> {
  for (let presses = 0; presses < 200; presses += 1) {
    if (name.test(await focusedName(page))) return
    await page.keyboard.press('Tab')
  }
  throw new Error(`Tab does not reach ${name}`)
}
