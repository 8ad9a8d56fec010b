import { randomUUID } from 'node:crypto'
import type { UsersPanel } from '@vertical-kit/ui-client/elements/administration'
import type { Locator, Page, Route } from 'playwright-core'
import { expect } from 'vitest'
import { expectAnswer } from '../answers.ts'
import { postedInvoice } from '../trade/actions/documents.ts'
import { dialog, row, toast } from './administration-stage.ts'
import { expectNoSeriousViolations, screenshot, stageOfFile, test, tolerate } from './harness.ts'
import { hold } from './reports.ts'
import { rowOf } from './work-center-stage.ts'

const stage = stageOfFile()
const clerk = stage.as('clerk')
const manager = stage.as('manager')

test('an administrator invites a colleague and assigns a role, and the colleague signs in and sees their work', async () => {
  const page = await stage.signIn('manager', '/administration/users')
  await page.getByRole('button', { name: 'Invite a person' }).click()
  await expectNoSeriousViolations(page)
  const form = page.getByRole('form', { name: 'Invite a person' })
  await form.getByLabel('Subject').fill('outsider')
  await form.getByLabel('Name').fill('Olaf Outsider')
  await form.getByLabel('Email').fill('outsider@example.com')
  await form.getByRole('button', { name: 'Invite' }).press('Enter')
  await toast(page, 'Olaf Outsider has been invited and can sign in now.').waitFor()
  const olaf = row(page, 'Olaf Outsider')
  await olaf.getByText('No roles').waitFor()
  await olaf.getByRole('button', { name: 'Roles: Olaf Outsider' }).press('Enter')
  await olaf.getByRole('checkbox', { name: 'Clerk' }).check()
  await expectNoSeriousViolations(page)
  await screenshot(page, 'administration-users')
  await olaf.getByRole('button', { name: 'Save' }).press('Enter')
  await toast(page, 'The roles of Olaf Outsider have changed.').waitFor()

  const colleague = await stage.signIn('outsider', '/work-center')
  await rowOf(colleague, await postedInvoice(clerk)).waitFor()
})

test('a second invitation for the same subject shows the reason, and keeps the form', async () => {
  const page = await stage.signIn('manager', '/administration/users')
  tolerate(page, /409 \(Conflict\)/)
  await page.getByRole('button', { name: 'Invite a person' }).click()
  const form = page.getByRole('form', { name: 'Invite a person' })
  await form.getByLabel('Subject').fill('clerk')
  await form.getByLabel('Name').fill('Clara Clerk')
  await form.getByRole('button', { name: 'Invite' }).click()
  await form.getByText('A user with this subject already exists.').waitFor()
  expect(await form.getByLabel('Name').inputValue()).toBe('Clara Clerk')

  await form.getByRole('button', { name: 'Cancel' }).click()
  await page.getByRole('button', { name: 'Invite a person' }).click()
  await form.getByLabel('Subject').waitFor()
  expect(await form.getByText('A user with this subject already exists.').count()).toBe(0)
})

test('an invitation keeps the checked role when another role is added to the list', async () => {
  const page = await stage.signIn('manager', '/administration/users')
  await page.getByRole('button', { name: 'Invite a person' }).click()
  const form = page.getByRole('form', { name: 'Invite a person' })
  await form.getByRole('checkbox', { name: 'Auditor' }).check()
  const name = `First role ${randomUUID()}`
  const body = { code: `a.${randomUUID().slice(0, 8)}`, name, description: '', permissions: [] }
  await expectAnswer(manager('POST', '/api/security/roles', { body }), 201)
  await page.getByRole('combobox', { name: 'Show' }).selectOption('Active users')
  await form.getByRole('checkbox', { name }).waitFor()
  const checked = await form
    .getByRole('checkbox', { checked: true })
    .evaluateAll((boxes) => boxes.map((box) => box.closest('label')?.innerText.trim()))
  expect(checked).toEqual(['Auditor'])
})

/** Opens the form of an invitation, and enters a person. Every attempt of a test needs another subject. */
async function enterPerson(page: Page, name: string, subject: string = randomUUID()): Promise<Locator> {
  await page.getByRole('button', { name: 'Invite a person' }).click()
  const form = page.getByRole('form', { name: 'Invite a person' })
  await form.getByLabel('Subject').fill(subject)
  await form.getByLabel('Name').fill(name)
  return form
}

/** Invites a person, and holds the request until the test answers it. */
async function inviteSlowly(
  page: Page,
  ...person: readonly [name: string, subject?: string]
): Promise<Route> {
  const sent = Promise.withResolvers<Route>()
  await page.route('**/api/security/users', (route) => sent.resolve(route), { times: 1 })
  const form = await enterPerson(page, ...person)
  await form.getByRole('button', { name: 'Invite' }).click()
  return sent.promise
}

test('a late answer to an invitation does not close the roles that were opened since', async () => {
  const page = await stage.signIn('manager', '/administration/users')
  const held = await inviteSlowly(page, 'Late First')
  const carl = row(page, 'Carl')
  await carl.getByRole('button', { name: /^Roles/ }).click()
  const auditor = carl.getByRole('checkbox', { name: 'Auditor' })
  await auditor.check()
  await held.continue()
  await toast(page, 'Late First has been invited').waitFor()
  expect(await auditor.isChecked()).toBe(true)
  expect(await auditor.evaluate((box) => box.matches(':focus'))).toBe(true)
  // The form of the next invitation does not open with the person who has been invited.
  await page.getByRole('button', { name: 'Invite a person' }).click()
  expect(await page.getByRole('textbox', { name: 'Name', exact: true }).inputValue()).toBe('')
})

test('a late answer to an invitation keeps the person who was entered since', async () => {
  const page = await stage.signIn('manager', '/administration/users')
  const held = await inviteSlowly(page, 'Late Second')
  await page.getByRole('button', { name: 'Cancel' }).click()
  const form = await enterPerson(page, 'Late Third')
  await held.continue()
  await toast(page, 'Late Second has been invited').waitFor()
  expect(await form.getByLabel('Name').inputValue()).toBe('Late Third')
  await form.getByRole('button', { name: 'Invite' }).click()
  await toast(page, 'Late Third has been invited').waitFor()
  await form.waitFor({ state: 'detached' })
})

test('a late refusal of an invitation is a message, and not in the form of the next person', async () => {
  const page = await stage.signIn('manager', '/administration/users')
  tolerate(page, /409 \(Conflict\)/)
  const held = await inviteSlowly(page, 'Late Refused', 'clerk')
  await page.getByRole('button', { name: 'Cancel' }).click()
  const form = await enterPerson(page, 'Late Fourth')
  await held.continue()
  await toast(page, /Late Refused.*A user with this subject already exists\./).waitFor()
  expect(await form.getByRole('alert').count()).toBe(0)
  await form.getByRole('button', { name: 'Invite' }).click()
  await toast(page, 'Late Fourth has been invited').waitFor()
})

test('a refusal of an invitation whose view was left is a message', async () => {
  const page = await stage.signIn('manager', '/administration/users')
  tolerate(page, /409 \(Conflict\)/)
  const held = await inviteSlowly(page, 'Left Alone', 'clerk')
  page.once('dialog', (question) => void question.accept())
  await page.getByRole('link', { name: 'Customers' }).click()
  await page.locator('vk-users').waitFor({ state: 'detached' })
  await held.continue()
  await toast(page, /Left Alone.*A user with this subject already exists\./).waitFor()
})

test('the list shows an invited person although the answer was lost', async () => {
  const page = await stage.signIn('manager', '/administration/users')
  tolerate(page, /ERR_FAILED/)
  const name = `Lost ${randomUUID()}`
  const held = await inviteSlowly(page, name)
  expect((await held.fetch()).status()).toBe(201)
  await held.abort()
  await row(page, name).waitFor()
  await page.getByRole('form', { name: 'Invite a person' }).getByRole('alert').waitFor()
})

test('the changed roles of an open form are kept while a filter hides its user', async () => {
  const page = await stage.signIn('manager', '/administration/users')
  const clara = row(page, 'Clara Clerk')
  await clara.getByRole('button', { name: 'Roles: Clara Clerk' }).click()
  await clara.getByRole('checkbox', { name: 'Auditor' }).check()
  await clara.getByRole('checkbox', { name: 'Clerk' }).uncheck()
  const filter = page.getByRole('combobox', { name: 'Show' })
  await filter.selectOption('Deactivated users')
  await clara.waitFor({ state: 'detached' })
  await filter.selectOption('All users')
  await clara.getByRole('checkbox', { name: 'Auditor' }).waitFor()
  expect(await clara.getByRole('checkbox', { name: 'Auditor' }).isChecked()).toBe(true)
  expect(await clara.getByRole('checkbox', { name: 'Clerk' }).isChecked()).toBe(false)
  await clara.getByRole('button', { name: 'Cancel' }).click()
  await clara.getByRole('button', { name: 'Roles: Clara Clerk' }).click()
  expect(await clara.getByRole('checkbox', { name: 'Auditor' }).isChecked()).toBe(false)
  expect(await clara.getByRole('checkbox', { name: 'Clerk' }).isChecked()).toBe(true)
})

test('the changed roles of a user are kept while the form of another user is open', async () => {
  const page = await stage.signIn('manager', '/administration/users')
  const [clara, uma] = [row(page, 'Clara Clerk'), row(page, 'Uma Uploader')]
  const users = page.locator('vk-users')
  const hasUnsaved = () => users.evaluate((element) => (element as UsersPanel).hasUnsavedChanges)
  await clara.getByRole('button', { name: 'Roles: Clara Clerk' }).click()
  await clara.getByRole('checkbox', { name: 'Auditor' }).check()
  await uma.getByRole('button', { name: 'Roles: Uma Uploader' }).click()
  await clara.getByRole('checkbox').first().waitFor({ state: 'detached' })
  expect(await uma.getByRole('checkbox', { name: 'Auditor' }).isChecked()).toBe(false)
  expect(await hasUnsaved()).toBe(true)
  await clara.getByRole('button', { name: 'Roles: Clara Clerk' }).click()
  expect(await clara.getByRole('checkbox', { name: 'Auditor' }).isChecked()).toBe(true)
  await clara.getByRole('checkbox', { name: 'Auditor' }).uncheck()
  expect(await hasUnsaved()).toBe(false)
})

test("a role that is checked while a user's roles are being saved stays checked, and the form stays open", async () => {
  const page = await stage.signIn('manager', '/administration/users')
  const uma = row(page, 'Uma Uploader')
  const box = (name: string) => uma.getByRole('checkbox', { name })
  await uma.getByRole('button', { name: 'Roles: Uma Uploader' }).click()
  await box('Viewer').check()
  await box('Clerk').check()
  const held = await hold(page, /security\/users\/[^/]+\/roles$/)
  await uma.getByRole('button', { name: 'Save' }).click()
  await expect.poll(() => held.length).toBe(1)
  await box('Auditor').check()
  await box('Clerk').uncheck()
  await held[0]?.continue()
  await toast(page, 'The roles of Uma Uploader have changed.').waitFor()
  const checked = async () => [
    await box('Viewer').isChecked(),
    await box('Auditor').isChecked(),
    await box('Clerk').isChecked(),
  ]
  expect(await checked()).toEqual([true, true, false])

  await uma.getByRole('button', { name: 'Save' }).click()
  await expect.poll(() => held.length).toBe(2)
  await held[1]?.continue()
  await box('Viewer').waitFor({ state: 'detached' })
  await uma.getByRole('button', { name: 'Roles: Uma Uploader' }).click()
  expect(await checked()).toEqual([true, true, false])
})

test("the form of a user's roles contains them although the list of all roles is not loaded", async () => {
  const page = await stage.signIn('manager', '/administration/outbox')
  tolerate(page, /ERR_FAILED/)
  await page.route('**/api/security/roles', (route) => route.abort())
  await page.getByRole('link', { name: 'Users' }).click()
  const clara = row(page, 'Clara Clerk')
  await clara.getByRole('button', { name: 'Roles: Clara Clerk' }).click()
  expect(await clara.getByRole('checkbox', { name: 'Clerk' }).isChecked()).toBe(true)
})

test('an administrator searches for a user, and deactivates the user after a confirmation', async () => {
  const page = await stage.signIn('manager', '/administration/users')
  await page.getByRole('searchbox').fill('UMA')
  await page.getByRole('searchbox').press('Enter')
  const uma = row(page, 'Uma Uploader')
  await uma.waitFor()
  await row(page, 'Clara Clerk').waitFor({ state: 'detached' })
  await uma.getByRole('button', { name: 'Deactivate: Uma Uploader' }).click()
  await dialog(page).getByText('can no longer use the application').waitFor()
  await expectNoSeriousViolations(page)
  await dialog(page).getByRole('button', { name: 'Cancel' }).click()
  expect(await uma.getByText('Deactivated').count()).toBe(0)
  await uma.getByRole('button', { name: 'Deactivate: Uma Uploader' }).click()
  await dialog(page).getByRole('button', { name: 'Deactivate' }).click()
  await toast(page, 'Uma Uploader has been deactivated.').waitFor()
  await uma.getByRole('button', { name: 'Reactivate: Uma Uploader' }).click()
  await dialog(page).getByRole('button', { name: 'Reactivate' }).click()
  await toast(page, 'Uma Uploader has been reactivated.').waitFor()
})

test('a user cannot be deactivated while another change of the user is saved', async () => {
  const page = await stage.signIn('manager', '/administration/users')
  const user = row(page, 'Carl')
  await user.getByRole('button', { name: /^Roles/ }).click()
  const held = await hold(page, /security\/users\/[^/]+\/roles$/)
  await user.getByRole('button', { name: 'Save' }).click()
  await expect.poll(() => held.length).toBe(1)
  const deactivate = user.getByRole('button', { name: 'Deactivate' })
  expect(await deactivate.isDisabled()).toBe(true)
  await deactivate.press('Enter')
  await user.getByRole('button', { name: 'Save' }).press('Enter')
  expect([await dialog(page).count(), held.length]).toEqual([0, 1])
  await held[0]?.continue()
  // The click waits until the button is enabled.
  await deactivate.click()
  await dialog(page).getByRole('button', { name: 'Cancel' }).click()
})

test('the list of users does not keep the filters of a former session', async () => {
  const page = await stage.signIn('manager', '/administration/users')
  const search = page.getByRole('searchbox')
  await search.fill('UMA')
  await search.press('Enter')
  await row(page, 'Clara Clerk').waitFor({ state: 'detached' })
  await page.locator('vk-users').evaluate(async (users: HTMLElementTagNameMap['vk-users']) => {
    const { session } = users
    users.session = undefined
    await users.updateComplete
    users.session = session
  })
  await row(page, 'Clara Clerk').waitFor()
  expect(await search.inputValue()).toBe('')
})

test('administrators cannot deactivate themselves', async () => {
  const page = await stage.signIn('manager', '/administration/users')
  const own = row(page, 'Mara Manager')
  await own.getByRole('button', { name: 'Roles: Mara Manager' }).waitFor()
  expect(await own.getByRole('button', { name: /Deactivate/ }).count()).toBe(0)
})

test('on a narrow screen, the search for users is as wide as its list', async () => {
  const page = await stage.signIn('manager', '/administration/users', {
    viewport: { width: 320, height: 700 },
  })
  const width = async (one: Locator) => (await one.boundingBox())?.width
  const list = page.locator('vk-users').getByRole('list', { name: 'Users' })
  expect(await width(page.getByRole('searchbox'))).toBe(await width(list))
})
