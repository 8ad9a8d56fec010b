import { expect } from 'vitest'
import { postedInvoice } from '../trade/actions/documents.ts'
import { expectNoSeriousViolations, stageOfFile, test } from './harness.ts'
import { rowOf, selectUser, verb } from './work-center-stage.ts'

const stage = stageOfFile()
const clerk = stage.as('clerk')

test('a supervisor finds the oldest tasks of one user, opens a document, and the page learns the view', async () => {
  const invoices = [
    await postedInvoice(clerk),
    await postedInvoice(clerk),
    await postedInvoice(clerk),
  ] as const
  const clara = await stage.signIn('clerk', '/work-center')
  for (const invoice of invoices.slice(0, 2)) {
    await verb(rowOf(clara, invoice), 'Claim').click()
    await rowOf(clara, invoice).getByText('Claimed by you').waitFor()
  }
  const page = await stage.signIn('manager', '/team')
  const team = page.locator('vk-team-tasks')
  const views = await team.evaluateHandle((element) => {
    const details: unknown[] = []
    element.addEventListener('vk-view-changed', (event) => details.push((event as CustomEvent).detail))
    return details
  })
  await team.getByLabel('Sort by').selectOption('Newest')
  await selectUser(team.getByLabel('Users'), 'Clara Clerk')
  const shown = async () => (await team.getByRole('listitem').allTextContents()).join()
  await expect.poll(shown).not.toContain(invoices[2].number)
  const order = async () => {
    const text = await shown()
    return text.indexOf(invoices[0].number) - text.indexOf(invoices[1].number)
  }
  await expect.poll(order).toBeGreaterThan(0)
  await team.getByLabel('Sort by').selectOption('Oldest')
  await expect.poll(order).toBeLessThan(0)
  await expectNoSeriousViolations(page)
  const claimedBy = await team.getByLabel('Users').inputValue()
  expect(await views.jsonValue()).toEqual([
    { view: 'all', sort: 'newest', claimedBy: '' },
    { view: 'all', sort: 'newest', claimedBy },
    { view: 'all', sort: 'oldest', claimedBy },
  ])
  await team.getByRole('link', { name: invoices[0].number }).click()
  await page.waitForURL(`**/sales-invoices/${invoices[0].id}`)
})

test('the user that a page selects is shown with their name', async () => {
  const invoice = await postedInvoice(clerk)
  const clara = await stage.signIn('clerk', '/work-center')
  await verb(rowOf(clara, invoice), 'Claim').click()
  const page = await stage.signIn('manager', '/team')
  const team = page.locator('vk-team-tasks')
  const users = team.getByLabel('Users')
  await selectUser(users, 'Clara Clerk')
  const id = await users.inputValue()
  await page.reload()
  await team.evaluate((element, claimedBy) => Object.assign(element, { claimedBy }), id)
  await expect.poll(() => users.inputValue()).toBe(id)
  // The list of users may still be loading.
  const chosen = () => users.locator('option:checked').textContent()
  await expect.poll(chosen).toMatch(/^Clara Clerk \(\d+\)$/)
})

test('the selected user keeps their name when they have no task any more', async () => {
  const invoice = await postedInvoice(clerk)
  const clara = await stage.signIn('clerk', '/work-center')
  await verb(rowOf(clara, invoice), 'Claim').click()
  await rowOf(clara, invoice).getByText('Claimed by you').waitFor()
  const page = await stage.signIn('manager', '/team')
  const users = page.locator('vk-team-tasks').getByLabel('Users')
  await selectUser(users, 'Clara Clerk')
  const chosen = () => users.locator('option:checked').textContent()
  expect(await chosen()).toMatch(/^Clara Clerk \(\d+\)$/)
  await page.route('**/api/work-center/team/users*', (route) => route.fulfill({ json: { users: [] } }))
  await stage.as('clerk2')('GET', '/api/me/substitution')
  const row = page.locator('vk-team-tasks').getByRole('listitem').filter({ hasText: invoice.number })
  await verb(row, 'Assign').click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('To').selectOption({ label: 'Carl Clerk' })
  await dialog.getByRole('button', { name: 'Assign' }).click()
  await expect.poll(chosen).toBe('Clara Clerk')
})
