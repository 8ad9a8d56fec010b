import type { Locator, Page } from 'playwright-core'
import { expect } from 'vitest'
import type { Document } from '../actions.ts'
import { postedInvoice } from '../trade/actions/documents.ts'
import { expectNoSeriousViolations, screenshot, stageOfFile, test } from './harness.ts'
import { tolerate } from './unexpected.ts'
import { rowOf, selectUser, tab, verb, workCenter } from './work-center-stage.ts'

const stage = stageOfFile()
const clerk = stage.as('clerk')

const teamRow = (page: Page, { number }: Document): Locator =>
  page.locator('vk-team-tasks').getByRole('listitem').filter({ hasText: number })

/** Chooses the recipient in the open dialog, and confirms. */
async function choose(page: Page, { name, button }: { name: string; button: string }): Promise<void> {
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('To').selectOption({ label: name })
  await dialog.getByRole('button', { name: button }).click()
}

test('a manager sees who has a task, and assigns it to another clerk, who receives it without a reload', async () => {
  const invoice = await postedInvoice(clerk)
  const clara = await stage.signIn('clerk', '/work-center')
  const carl = await stage.signIn('clerk2', '/work-center')
  await verb(rowOf(clara, invoice), 'Claim').click()
  await rowOf(carl, invoice).waitFor({ state: 'detached' })
  const manager = await stage.signIn('manager', '/team')
  await teamRow(manager, invoice).getByText('Clara Clerk, since').waitFor()
  await expectNoSeriousViolations(manager)
  await verb(teamRow(manager, invoice), 'Assign').click()
  await expectNoSeriousViolations(manager)
  await choose(manager, { name: 'Carl Clerk', button: 'Assign' })
  await teamRow(manager, invoice).getByText('Carl Clerk, since').waitFor()
  await screenshot(manager, 'team-tasks')
  await rowOf(carl, invoice).getByText('Claimed by you').waitFor()
  await rowOf(clara, invoice).getByText('forwarded to Carl Clerk by Mara Manager').waitFor()

  await manager.goto(`${stage.demo.url}/sales-invoices/${invoice.id}?panel=history`)
  const event = manager.getByRole('complementary').getByRole('listitem').filter({ hasText: 'Task forwarded' })
  await event.waitFor()
  expect(await event.innerText()).toMatch(/Clara Clerk[\s\S]*Carl Clerk/)
})

test('a manager clears the filters of a team list in which no task matches', async () => {
  const invoice = await postedInvoice(clerk)
  const manager = await stage.signIn('manager', '/team')
  const team = manager.locator('vk-team-tasks')
  const show = team.getByRole('combobox', { name: 'Show' })
  await show.selectOption('Visible to nobody')
  await team.getByText('No items match these filters.').waitFor()
  await expectNoSeriousViolations(manager)
  await team.getByRole('button', { name: 'Clear filters' }).press('Enter')
  await teamRow(manager, invoice).waitFor()
  expect(await show.inputValue()).toBe('all')
  expect(new URL(manager.url()).search).toBe('?view=all&sort=due')
  expect(await team.evaluate((one) => one.matches(':focus-within'))).toBe(true)
})

/** Opens a task that Clara has claimed, and the manager's dialog that assigns it. */
async function openAssignment() {
  const invoice = await postedInvoice(clerk)
  const clara = await stage.signIn('clerk', '/work-center')
  await verb(rowOf(clara, invoice), 'Claim').click()
  const manager = await stage.signIn('manager', '/team')
  await teamRow(manager, invoice).getByText('Clara Clerk, since').waitFor()
  await verb(teamRow(manager, invoice), 'Assign').click()
  return { invoice, clara, manager }
}

test('a manager undoes an assignment after leaving the page, and the former holder has the task again', async () => {
  const { invoice, clara, manager } = await openAssignment()
  await choose(manager, { name: 'Carl Clerk', button: 'Assign' })
  await manager
    .locator('vk-toasts [part=toast]')
    .getByText(/^Assigned to .Carl Clerk.\.$/)
    .waitFor()
  await manager.getByRole('link', { name: 'Work Center' }).click()
  await manager.locator('vk-toasts').getByRole('button', { name: 'Undo' }).click()
  await rowOf(clara, invoice).getByText('Claimed by you').waitFor()
})

test('a manager returns a claimed task to its role, and undoes it', async () => {
  const { invoice, clara, manager } = await openAssignment()
  await choose(manager, { name: 'Clerk', button: 'Assign' })
  await teamRow(manager, invoice).getByText('Unclaimed, Clerk').waitFor()
  await manager.locator('vk-toasts').getByRole('button', { name: 'Undo' }).click()
  await teamRow(manager, invoice).getByText('Clara Clerk, since').waitFor()
  await rowOf(clara, invoice).getByText('Claimed by you').waitFor()
})

test('the focus stays in the list when an assigned task leaves it, and its Undo is confirmed', async () => {
  const { invoice, manager } = await openAssignment()
  await manager.keyboard.press('Escape')
  const users = manager.getByRole('combobox', { name: 'Users' })
  await selectUser(users, 'Clara Clerk')
  const assign = verb(teamRow(manager, invoice), 'Assign')
  await assign.press('Enter')
  await choose(manager, { name: 'Carl Clerk', button: 'Assign' })
  await teamRow(manager, invoice).waitFor({ state: 'detached' })
  const team = manager.locator('vk-team-tasks')
  const hasFocus = () => team.evaluate((one) => one.matches(':focus-within'))
  await expect.poll(hasFocus).toBe(true)
  await manager.keyboard.press('F8')
  await manager.keyboard.press('Enter')
  await manager
    .locator('vk-toasts [part=toast]')
    .getByText(/^Given back to .Clara Clerk.\.$/)
    .waitFor()
  expect(await hasFocus()).toBe(true)
})

test('a manager moves several tasks of one clerk, sees why one has not moved, and undoes the others', async () => {
  const clara = await stage.signIn('clerk', '/work-center')
  const invoices: Document[] = []
  for (let n = 0; n < 3; n += 1) {
    const invoice = await postedInvoice(clerk)
    invoices.push(invoice)
    await verb(rowOf(clara, invoice), 'Claim').click()
    await rowOf(clara, invoice).getByText('Claimed by you').waitFor()
  }
  const manager = await stage.signIn('manager', '/team?sort=newest')
  const select = ({ number }: Document) =>
    manager.getByRole('checkbox', { name: new RegExp(`^Select: .*${number}`) })
  const [first, second, third] = invoices as [Document, Document, Document]
  await select(first).waitFor()
  const rows = manager.locator('vk-team-tasks').getByRole('listitem')
  const numbers = (await rows.allInnerTexts()).map((text) =>
    invoices.findIndex(({ number }) => text.includes(number)),
  )
  // Shift selects the range of the three tasks, which are beside each other.
  const [top, , bottom] = numbers.filter((index) => index >= 0)
  await select(invoices[top ?? 0] as Document).check()
  await select(invoices[bottom ?? 2] as Document).click({ modifiers: ['Shift'] })
  await manager.getByText('3 selected').waitFor()
  await expectNoSeriousViolations(manager)

  await manager.getByRole('button', { name: 'Assign', exact: true }).click()
  const dialog = manager.getByRole('dialog')
  for (const { number } of invoices) await dialog.getByRole('listitem').filter({ hasText: number }).waitFor()
  // The list contains all users.
  expect(await dialog.getByRole('searchbox').count()).toBe(0)
  await expectNoSeriousViolations(manager)
  // Clara releases one of the tasks while the dialog is open.
  tolerate(manager, /409 \(Conflict\)/)
  await verb(rowOf(clara, second), 'Release').click()
  await rowOf(clara, second).getByText('Claimed by you').waitFor({ state: 'detached' })
  await choose(manager, { name: 'Carl Clerk', button: 'Assign' })

  await manager
    .locator('vk-toasts [part=toast]')
    .getByText(/^2 tasks assigned to .Carl Clerk.\.$/)
    .waitFor()
  await teamRow(manager, second)
    .getByRole('alert')
    .getByText('Someone else has claimed or changed this task')
    .waitFor()
  for (const invoice of [first, third])
    await teamRow(manager, invoice).getByText('Carl Clerk, since').waitFor()
  await manager.getByText('1 selected').waitFor()

  await manager.locator('vk-toasts').getByRole('button', { name: 'Undo' }).click()
  await manager.locator('vk-toasts [part=toast]').getByText('2 tasks given back.').waitFor()
  for (const invoice of [first, third]) await rowOf(clara, invoice).getByText('Claimed by you').waitFor()
})

test('the focus stays in the list when the bar for selected tasks disappears, and another view selects nothing', async () => {
  const clara = await stage.signIn('clerk', '/work-center')
  const invoice = await postedInvoice(clerk)
  await verb(rowOf(clara, invoice), 'Claim').click()
  await rowOf(clara, invoice).getByText('Claimed by you').waitFor()
  const manager = await stage.signIn('manager', '/team?sort=newest')
  const box = manager.getByRole('checkbox', { name: new RegExp(`^Select: .*${invoice.number}`) })
  const all = manager.getByRole('checkbox', { name: 'Select all' })
  const focused = () =>
    manager.locator('vk-team-tasks').evaluate((team) => team.shadowRoot?.activeElement?.localName)

  await box.check()
  await all.press('Space')
  await all.press('Space')
  await all.waitFor({ state: 'detached' })
  expect(await focused()).toBe('li')

  await box.check()
  await manager.getByRole('button', { name: 'Assign', exact: true }).press('Enter')
  await choose(manager, { name: 'Carl Clerk', button: 'Assign' })
  await teamRow(manager, invoice).getByText('Carl Clerk, since').waitFor()
  await all.waitFor({ state: 'detached' })
  expect(await focused()).toBe('li')

  await box.check()
  await all.waitFor()
  await manager.getByRole('combobox', { name: 'Show' }).selectOption('In progress')
  await all.waitFor({ state: 'detached' })
  await box.waitFor()
  expect(await box.isChecked()).toBe(false)
})

test('a manager finds every user who has tasks, with their number, also without a loaded task of them', async () => {
  const clara = await stage.signIn('clerk', '/work-center')
  const invoice = await postedInvoice(clerk)
  await verb(rowOf(clara, invoice), 'Claim').click()
  await rowOf(clara, invoice).getByText('Claimed by you').waitFor()
  // The view of unclaimed tasks loads no task of Clara.
  const manager = await stage.signIn('manager', '/team?view=unclaimed')
  const option = manager
    .getByRole('combobox', { name: 'Users' })
    .getByRole('option', { name: /^Clara Clerk \(\d+\)$/ })
  await option.waitFor({ state: 'attached' })
  expect(await teamRow(manager, invoice).count()).toBe(0)
})

test('a clerk forwards a task with a comment, which the recipient sees', async () => {
  const invoice = await postedInvoice(clerk)
  const clara = await stage.signIn('clerk', '/work-center')
  await verb(rowOf(clara, invoice), 'Forward').click()
  await clara.getByRole('dialog').getByLabel('Comment').fill('Please call them.')
  await choose(clara, { name: 'Carl Clerk', button: 'Forward' })
  await rowOf(clara, invoice).waitFor({ state: 'detached' })
  const carl = await stage.signIn('clerk2', '/work-center')
  await tab(carl, 'Notifications').click()
  await workCenter(carl).getByText('Please call them.').waitFor()
})

test('the comment of a forward that fails is kept for the next attempt', async () => {
  const invoice = await postedInvoice(clerk)
  const clara = await stage.signIn('clerk', '/work-center')
  tolerate(clara, /500 \(Internal Server Error\)/)
  const forwarding = '**/api/work-center/tasks/*/forward'
  await clara.route(forwarding, (route) => route.fulfill({ status: 500, json: { code: 'internal' } }))
  await verb(rowOf(clara, invoice), 'Forward').click()
  const comment = clara.getByRole('dialog').getByLabel('Comment')
  await comment.fill('Please call them.')
  await choose(clara, { name: 'Carl Clerk', button: 'Forward' })
  await rowOf(clara, invoice).getByRole('alert').waitFor()
  await clara.unroute(forwarding)
  await verb(rowOf(clara, invoice), 'Forward').click()
  expect(await comment.inputValue()).toBe('Please call them.')
  await choose(clara, { name: 'Carl Clerk', button: 'Forward' })
  await rowOf(clara, invoice).waitFor({ state: 'detached' })

  const another = await postedInvoice(clerk)
  await verb(rowOf(clara, another), 'Forward').click()
  expect(await comment.inputValue()).toBe('')
})

test('users without the permission have no link to the team’s tasks', async () => {
  const page = await stage.signIn('clerk', '/work-center')
  await page.getByRole('link', { name: 'Work Center' }).waitFor()
  expect(await page.getByRole('link', { name: 'Team tasks' }).count()).toBe(0)
})

test('a clerk names a substitute, who sees their claimed task marked with the name, until the substitution ends', async () => {
  const invoice = await postedInvoice(clerk)
  const clara = await stage.signIn('clerk', '/work-center')
  await verb(rowOf(clara, invoice), 'Claim').click()
  const carl = await stage.signIn('clerk2', '/work-center')
  const settings = await stage.signIn('clerk', '/preferences')
  const form = settings.locator('vk-substitution')
  await form.getByRole('combobox').selectOption({ label: 'Carl Clerk' })
  await form.getByLabel('First day').fill(dayFromNow(-1))
  await form.getByLabel('Last day').fill(dayFromNow(7))
  await form.getByRole('button', { name: 'Save substitute' }).click()
  await form.getByText(/^Carl Clerk, from/).waitFor()
  await expectNoSeriousViolations(settings)
  await rowOf(carl, invoice).getByText('For Clara Clerk').waitFor()
  await form.getByRole('button', { name: 'End' }).click()
  await rowOf(carl, invoice).waitFor({ state: 'detached' })
})

/** Returns a day of the local time zone, as a date field expects it. */
function dayFromNow(days: number): string {
  const at = new Date(Date.now() + days * 86_400_000)
  return [at.getFullYear(), at.getMonth() + 1, at.getDate()]
    .map((part) => String(part).padStart(2, '0'))
    .join('-')
}

test('the address contains what the manager has selected, and Back restores it', async () => {
  const manager = await stage.signIn('manager', '/team')
  const view = manager.getByRole('combobox', { name: 'Show' })
  await view.selectOption('overdue')
  await expect.poll(() => new URL(manager.url()).searchParams.get('view')).toBe('overdue')
  await manager.getByRole('link', { name: 'Work Center' }).click()
  await manager.getByRole('heading', { name: 'Work Center' }).waitFor()
  await manager.goBack()
  await expect.poll(() => view.inputValue()).toBe('overdue')
  await manager.goto(`${new URL(manager.url()).origin}/team?view=unknown&sort=oldest`)
  await expect.poll(() => view.inputValue()).toBe('all')
})
