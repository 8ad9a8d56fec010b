import type { Locator, Page } from 'playwright-core'
import { expect } from 'vitest'
import { act } from '../actions.ts'
import { expectAnswer } from '../answers.ts'
import { draftSales, postedInvoice } from '../trade/actions/documents.ts'
import { expectNoSeriousViolations, screenshot, signIn, stageOfFile, test } from './harness.ts'
import { watchShifts } from './layout-shift.ts'
import { focusedRow, knownCount, rowOf, tab, verb, workCenter } from './work-center-stage.ts'

const stage = stageOfFile()
const clerk = stage.as('clerk')

const rows = (page: Page): Locator => workCenter(page).locator('li[data-id]')
const selectedCount = (page: Page): Promise<number> => rows(page).locator('input:checked').count()
const openCount = async (): Promise<number> =>
  Number((await expectAnswer(clerk('GET', '/api/work-center/summary'), 200))['attentionCount'])

async function press(page: Page, ...keys: string[]): Promise<void> {
  for (const key of keys) await page.keyboard.press(key)
}

/** Opens the dialog for a snooze with `s`, and chooses its first time with Enter. */
async function snooze(page: Page): Promise<void> {
  await press(page, 's')
  await expect.poll(() => page.getByRole('dialog').locator('button:focus').count()).toBe(1)
  await press(page, 'Enter')
}

/** Presses a key until the row with the focus contains a text. */
async function moveTo(page: Page, text: string, key: 'j' | 'k'): Promise<void> {
  for (let moves = 0; !(await focusedRow(page)).includes(text); moves += 1) {
    if (moves === 200) throw new Error(`No row with ${text} has received the focus`)
    await press(page, key)
  }
}

test('a clerk with 34 tasks clears her list by keyboard alone', { timeout: 180_000 }, async () => {
  const found = await openCount()
  const total = Math.max(34, found + 2)
  const missing = total - found
  const order = (await act(clerk, await draftSales(clerk, 'trade.sales_order'), 'post')).document
  let invoice = await postedInvoice(clerk)
  for (let posted = 2; posted < missing; posted += 1) invoice = await postedInvoice(clerk)
  const page = await stage.signIn('clerk', '/work-center')
  await expect.poll(() => knownCount(page)).toBe(total)
  await rowOf(page, invoice).waitFor()

  // `e` opens a task without an action. Back returns to its row, where `c` claims it and `z` undoes that.
  await press(page, 'j', 'e')
  await page.waitForURL(`**/sales-invoices/${invoice.id}`)
  await page.goBack()
  await expect.poll(() => focusedRow(page)).toContain(invoice.number)
  await press(page, 'c')
  await rowOf(page, invoice).getByText('Claimed by you').waitFor()
  await press(page, 'z')
  await rowOf(page, invoice).getByText('Claimed by you').waitFor({ state: 'detached' })

  // `e` takes the action of a task: the page shows the created invoice, and Back returns to the row after the task.
  await expect.poll(() => focusedRow(page)).toContain(invoice.number)
  await moveTo(page, order.number, 'j')
  await press(page, 'e')
  await page.waitForURL(/\/sales-invoices\/[\da-f-]{36}$/)
  await page.goBack()
  await expect.poll(() => focusedRow(page)).not.toBe('')
  await expect.poll(() => rowOf(page, order).count()).toBe(0)

  // One task is snoozed, and the focus moves to the next one.
  const first = await focusedRow(page)
  await snooze(page)
  await expect.poll(() => knownCount(page)).toBe(total - 2)
  await expect.poll(() => focusedRow(page)).not.toBe('')
  expect(await focusedRow(page)).not.toBe(first)

  // The others are selected and snoozed together.
  await moveTo(page, invoice.number, 'k')
  await press(page, 'x')
  expect(await selectedCount(page)).toBe(1)
  // The list loads its last rows when the focus comes near them.
  for (let presses = 0; (await selectedCount(page)) < total - 2 && presses < 200; presses += 1) {
    await press(page, 'Shift+ArrowDown')
  }
  expect(await selectedCount(page)).toBe(total - 2)
  await snooze(page)
  await workCenter(page).getByText('Nothing needs your attention.').waitFor()
  await expect.poll(() => knownCount(page)).toBe(0)
  await press(page, 'z')
  await expect.poll(() => knownCount(page)).toBe(total - 2)
})

test('keys do nothing in a text field, with a modifier, in a dialog, and when the page switches them off', async () => {
  const invoice = await postedInvoice(clerk)
  const page = await stage.signIn('clerk', '/work-center')
  await rowOf(page, invoice).waitFor()
  await workCenter(page).getByRole('searchbox').focus()
  await press(page, 'j', 'x')
  expect(await focusedRow(page)).toBe('')
  expect(await workCenter(page).getByRole('searchbox').inputValue()).toBe('jx')
  await workCenter(page).getByRole('searchbox').fill('')
  await workCenter(page).getByRole('tab', { name: 'Attention' }).focus()
  await press(page, 'Control+j', 'Alt+j')
  expect(await focusedRow(page)).toBe('')
  // With Alt, the browser goes back, so the tab must not take the key.
  const isLeftToBrowser = await workCenter(page)
    .getByRole('tab', { name: 'Attention' })
    .evaluate((tab) => {
      const key = { key: 'ArrowRight', altKey: true, bubbles: true, cancelable: true }
      return tab.dispatchEvent(new KeyboardEvent('keydown', key))
    })
  expect(isLeftToBrowser).toBe(true)

  await press(page, '?')
  const help = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
  await help.getByText('Next row').waitFor()
  await expectNoSeriousViolations(page)
  await press(page, 'j', 'x', 'Escape')
  await help.waitFor({ state: 'detached' })
  expect(await selectedCount(page)).toBe(0)
  for (const leave of [
    () => page.keyboard.press('Tab'),
    () => page.mouse.click(1, 1),
    () => help.getByRole('button', { name: 'Close' }).click(),
  ]) {
    await press(page, '?')
    await help.getByText('Next row').click()
    await help.getByRole('button', { name: 'Close' }).focus()
    await leave()
    await help.waitFor({ state: 'detached' })
  }

  await press(page, 'j', 'x')
  await expect.poll(() => selectedCount(page)).toBe(1)
  await workCenter(page).evaluate((element) => element.setAttribute('no-shortcuts', ''))
  await workCenter(page).getByRole('button', { name: 'Keyboard shortcuts' }).waitFor({ state: 'detached' })
  await press(page, 'x', '?')
  expect(await selectedCount(page)).toBe(1)
  expect(await help.count()).toBe(0)
})

test('a key does not ask for a change while another change of the row or the selection is saved', async () => {
  // The next row has no change either.
  await postedInvoice(clerk)
  const invoice = await postedInvoice(clerk)
  const page = await stage.signIn('clerk', '/work-center')
  const row = rowOf(page, invoice)
  await row.focus()
  const answer = Promise.withResolvers<void>()
  await page.route(/\/(claim|batch)$/, async (route) => {
    await answer.promise
    await route.continue()
  })
  await press(page, 'c')
  await expect.poll(() => row.getAttribute('aria-busy')).toBe('true')
  await press(page, 's')
  expect(await page.getByRole('dialog').count()).toBe(0)
  await press(page, 'j', 'x', 'c')
  await expect.poll(() => workCenter(page).locator('[data-bulk][aria-disabled=true]').count()).not.toBe(0)
  await press(page, 's')
  expect(await page.getByRole('dialog').count()).toBe(0)
  answer.resolve()
  await expect.poll(() => row.getAttribute('aria-busy')).toBe('false')
})

test('after the list of shortcuts, the focus returns to its row, unless the user has moved it', async () => {
  const invoice = await postedInvoice(clerk)
  const page = await stage.signIn('clerk', '/work-center')
  const row = rowOf(page, invoice)
  await row.waitFor()
  const help = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
  const close = help.getByRole('button', { name: 'Close' })
  // Nothing has the focus yet.
  await press(page, '?')
  await close.click()
  await help.waitFor({ state: 'detached' })
  expect(await focusedRow(page)).toBe('')
  await press(page, 'j')
  await expect.poll(() => focusedRow(page)).toContain(invoice.number)
  for (const leave of [() => press(page, 'Escape'), () => close.click()]) {
    await press(page, '?')
    await close.waitFor()
    await leave()
    await help.waitFor({ state: 'detached' })
    await expect.poll(() => focusedRow(page)).toContain(invoice.number)
  }
  // The next key can come before the browser reports that the list has closed.
  await press(page, '?')
  for (let times = 0; times < 10; times++) {
    await close.waitFor()
    await Promise.all([press(page, 'Escape'), press(page, '?')])
  }
  await close.click()
  await help.waitFor({ state: 'detached' })
  await expect.poll(() => focusedRow(page)).toContain(invoice.number)
  const search = workCenter(page).getByRole('searchbox')
  await press(page, '?')
  await close.waitFor()
  await search.focus()
  await help.waitFor({ state: 'detached' })
  await press(page, 'x')
  expect(await search.inputValue()).toBe('x')
})

test('the address contains the tab, the order, the search and the filters; chips remove them, and Back restores them', async () => {
  const invoice = await postedInvoice(clerk)
  const page = await stage.signIn('clerk', '/work-center?tab=tasks')
  await tab(page, 'Tasks').and(page.locator('[aria-selected="true"]')).waitFor()
  await workCenter(page).getByRole('searchbox').fill(invoice.number)
  await press(page, 'Enter')
  await workCenter(page).getByLabel('Sort by').selectOption('due')
  await page.waitForURL(`**/work-center?tab=tasks&sort=due&q=${invoice.number}`)
  await page.reload()
  await rowOf(page, invoice).waitFor()
  await expect.poll(() => rows(page).count()).toBe(1)
  await workCenter(page).getByRole('button', { name: 'Remove: Sort by: Due date' }).click()
  await page.waitForURL(`**/work-center?tab=tasks&q=${invoice.number}`)
  await expect
    .poll(() =>
      workCenter(page)
        .getByRole('searchbox')
        .evaluate((field) => field.matches(':focus')),
    )
    .toBe(true)
  await workCenter(page)
    .getByRole('button', { name: `Remove: Search: ${invoice.number}` })
    .click()
  await page.waitForURL('**/work-center?tab=tasks')
  await expect.poll(() => rows(page).count()).toBeGreaterThan(1)
  await page.goBack()
  await expect.poll(() => rows(page).count()).toBe(1)
  await workCenter(page)
    .getByRole('button', { name: /^Remove: / })
    .waitFor()
})

test.each(['Priority: High', 'Sort by: Due date'])(
  'a click right after typing removes the filter that was clicked (%s)',
  async (name) => {
    const page = await stage.signIn('clerk', '/work-center?tab=tasks&sort=due&priority=High')
    const chip = workCenter(page).getByRole('button', { name: `Remove: ${name}` })
    await chip.waitFor()
    await page.clock.install()
    await page.clock.pauseAt(Date.now() + 60_000)
    await workCenter(page).getByRole('searchbox').fill('SI-')
    await chip.click()
    await chip.waitFor({ state: 'detached' })
    expect(new URL(page.url()).searchParams.get('q')).toBe('SI-')
  },
)

test('a search that was typed right before the user leaves the list does not bring them back', async () => {
  const page = await stage.signIn('clerk', '/work-center?tab=tasks')
  const search = workCenter(page).getByRole('searchbox')
  await search.waitFor()
  await page.clock.install()
  await search.evaluate((field: HTMLInputElement) => {
    field.value = 'SI-'
    field.dispatchEvent(new InputEvent('input', { bubbles: true, composed: true }))
    document.querySelector<HTMLAnchorElement>('nav a[href="/sales-invoices"]')?.click()
  })
  await page.getByRole('heading', { level: 1, name: 'Sales invoices' }).waitFor()
  await page.clock.runFor(200)
  expect(new URL(page.url()).pathname).toBe('/sales-invoices')
})

test('a list with a selection is accessible in forced colours, at 320 pixels and from right to left, and its rows are low', async () => {
  const invoice = await postedInvoice(clerk)
  const page = await stage.signIn('clerk', '/work-center?sort=due&tab=tasks')
  await rowOf(page, invoice).waitFor()
  const heights = await rows(page).evaluateAll((all) => all.map((row) => row.getBoundingClientRect().height))
  expect(Math.max(...heights)).toBeLessThanOrEqual(56)
  expect(Math.min(...heights)).toBeGreaterThanOrEqual(52)
  await press(page, 'j', 'x', 'Shift+ArrowDown')
  await expect.poll(() => selectedCount(page)).toBe(2)
  await screenshot(page, 'work-center-selection')
  await expectNoSeriousViolations(page)
  await page.emulateMedia({ forcedColors: 'active' })
  await expectNoSeriousViolations(page)
  await page.emulateMedia({ forcedColors: 'none' })
  await page.evaluate(() => {
    document.documentElement.dir = 'rtl'
  })
  await expectNoSeriousViolations(page)
  await page.setViewportSize({ width: 320, height: 640 })
  await expectNoSeriousViolations(page)
  expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0)
})

test('nothing moves while the page loads, and when the buttons of a row appear', async () => {
  const invoice = await postedInvoice(clerk)
  const page = await stage.signIn('clerk', '/preferences')
  const shifted = await watchShifts(page)
  await page.goto(`${stage.demo.url}/work-center`)
  await rowOf(page, invoice).hover()
  await rows(page).nth(3).hover()
  await press(page, 'j', 'x')
  await expect.poll(() => selectedCount(page)).toBe(1)
  // The digit of a count replaces a dash of another width.
  expect(await shifted()).toBeLessThan(0.0001)
})

test('a user switches the shortcuts off, in this browser, and on again', async () => {
  await postedInvoice(clerk)
  const page = await stage.signIn('clerk', '/preferences')
  const setting = page.getByLabel('Use single letters as shortcuts in the Work Center')
  await expectNoSeriousViolations(page)
  await setting.uncheck()
  const help = workCenter(page).getByRole('button', { name: 'Keyboard shortcuts' })
  const openWorkCenter = async () => {
    await page.goto(`${stage.demo.url}/work-center`)
    await rows(page).first().waitFor()
    await press(page, 'j', 'x', '?')
  }
  await openWorkCenter()
  // Without shortcuts, `x` has selected nothing: this is the first selection.
  await rows(page).first().locator('input').focus()
  await press(page, 'Space')
  await expect.poll(() => selectedCount(page)).toBe(1)
  expect([await help.count(), await page.getByRole('dialog').count()]).toEqual([0, 0])

  await page.goto(`${stage.demo.url}/preferences`)
  expect(await setting.isChecked()).toBe(false)
  await setting.check()
  await openWorkCenter()
  await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor()
  expect([await help.count(), await selectedCount(page)]).toEqual([1, 1])
})

test('a swipe shows the buttons of a row on a touch screen', async () => {
  const invoice = await postedInvoice(clerk)
  const page = await stage.open('/work-center', {
    hasTouch: true,
    isMobile: true,
    viewport: { width: 360, height: 740 },
  })
  await signIn(page, 'clerk')
  const claim = verb(rowOf(page, invoice), 'Claim')
  const isHidden = () =>
    claim.evaluate((button) => {
      const { right } = button.closest('li')?.getBoundingClientRect() ?? { right: 0 }
      return button.getBoundingClientRect().left >= right
    })
  await rowOf(page, invoice).waitFor()
  expect(await isHidden()).toBe(true)
  await rowOf(page, invoice).evaluate((row) => row.scrollBy(1_000, 0))
  await expect.poll(isHidden).toBe(false)
  await claim.tap()
  await rowOf(page, invoice).getByText('Claimed by you').waitFor()
})

test('a key that is pressed before the rows have loaded moves to the first row', async () => {
  await postedInvoice(clerk)
  const page = await stage.signIn('clerk', '/preferences')
  const loading = Promise.withResolvers<void>()
  await page.route(/work-center\/items\?/, async (route) => {
    await loading.promise
    await route.continue()
  })
  await page.getByRole('link', { name: 'Work Center', exact: true }).click()
  await workCenter(page).getByRole('tab').first().waitFor()
  await press(page, 'j')
  loading.resolve()
  await expect
    .poll(() =>
      rows(page)
        .first()
        .evaluate((row) => row.matches(':focus')),
    )
    .toBe(true)
})

test('an Enter that is held opens the question about the end of a snooze, and does not answer it', async () => {
  const invoice = await postedInvoice(clerk)
  const page = await stage.signIn('clerk', '/work-center')
  await verb(rowOf(page, invoice), 'Snooze').focus()
  const dialog = page.getByRole('dialog')
  await page.keyboard.down('Enter')
  // A dialog that still loads has one button.
  await expect.poll(() => dialog.getByRole('button').count()).toBeGreaterThan(1)
  await expect.poll(() => dialog.locator('button:focus').count()).toBe(1)
  for (let repeated = 0; repeated < 3; repeated += 1) await page.keyboard.down('Enter')
  await page.keyboard.up('Enter')
  expect(await dialog.locator('button:focus').count()).toBe(1)
  await press(page, 'Enter')
  await rowOf(page, invoice).waitFor({ state: 'detached' })
})
