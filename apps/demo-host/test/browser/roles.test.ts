import type { Locator, Page, Route } from 'playwright-core'
import { expect } from 'vitest'
import { expectAnswer } from '../answers.ts'
import { expectNoSeriousViolations, screenshot, stageOfFile, test, tolerate } from './harness.ts'
import { hold } from './reports.ts'

const stage = stageOfFile()
const manager = stage.as('manager')

const row = (page: Page, name: string): Locator =>
  page
    .locator('vk-roles')
    .getByRole('listitem')
    .filter({ has: page.getByText(name, { exact: true }) })
const toast = (page: Page, text: string): Locator => page.locator('vk-toasts').getByText(text).first()
const dialog = (page: Page): Locator => page.getByRole('dialog')
const roleOf = async (code: string) =>
  ((await (await manager('GET', '/api/security/roles')).json()) as Role[]).find((role) => role.code === code)

type Role = {
  id: string
  code: string
  name: string
  description: string
  isActive: boolean
  permissions: string[]
}

test('an administrator adds a role with only the keyboard, and gives it a permission', async () => {
  const page = await stage.signIn('manager', '/administration/roles')
  await page.getByRole('button', { name: 'Add a role' }).press('Enter')
  const form = page.getByRole('form', { name: 'Add a role' })
  await form.getByLabel('Name').fill('Collector')
  await form.getByLabel('Code').fill('trade.collector')
  await form.getByLabel('Description').fill('Collects payments.')
  await expectNoSeriousViolations(page)
  await screenshot(page, 'administration-role-form')
  await form.getByLabel('Description').press('Enter')
  await toast(page, 'Collector has been added. Choose its permissions.').waitFor()
  await form.waitFor({ state: 'detached' })
  await expect
    .poll(() => page.getByRole('button', { name: 'Add a role' }).evaluate((one) => one.matches(':focus')))
    .toBe(true)
  const collector = row(page, 'Collector')
  await collector.getByText('Collects payments.').waitFor()
  await collector.getByRole('checkbox', { name: 'View customers' }).check()
  await collector.getByRole('button', { name: 'Review and save' }).press('Enter')
  await dialog(page).getByText('Nobody has this role at present.').waitFor()
  await dialog(page).getByRole('button', { name: 'Save' }).press('Enter')
  await toast(page, 'Collector has been saved.').waitFor()
  expect(await roleOf('trade.collector')).toMatchObject({ permissions: ['catalog.trade.customer.view'] })
})

test('the errors of the service are shown at their fields, and the form keeps the texts', async () => {
  const page = await stage.signIn('manager', '/administration/roles')
  tolerate(page, /400 \(Bad Request\)|409 \(Conflict\)/)
  await page.getByRole('button', { name: 'Add a role' }).click()
  const form = page.getByRole('form', { name: 'Add a role' })
  const [name, code] = [form.getByLabel('Name'), form.getByLabel('Code')]
  await name.fill(' ')
  await code.fill('trade.second')
  await form.getByRole('button', { name: 'Save' }).click()
  await form.getByRole('alert').getByText('must not be empty').waitFor()
  expect(await name.getAttribute('aria-invalid')).toBe('true')
  expect(await code.getAttribute('aria-invalid')).toBe('false')
  await expectNoSeriousViolations(page)
  await name.fill('Second clerk')
  await code.fill('trade.clerk')
  await form.getByRole('button', { name: 'Save' }).click()
  await form.getByRole('alert').getByText('Another role already has this code.').waitFor()
  expect(await name.inputValue()).toBe('Second clerk')
  await form.getByRole('button', { name: 'Cancel' }).click()
  await page.getByRole('button', { name: 'Add a role' }).click()
  expect([await code.inputValue(), await form.getByRole('alert').count()]).toEqual(['', 0])
})

test('the browser refuses a code that the service would refuse, and the field says what a code looks like', async () => {
  const page = await stage.signIn('manager', '/administration/roles')
  await page.getByRole('button', { name: 'Add a role' }).click()
  const form = page.getByRole('form', { name: 'Add a role' })
  const code = form.getByLabel('Code')
  await form.getByLabel('Name').fill('Second clerk')
  await code.fill('Trade Clerk')
  await form.getByRole('button', { name: 'Save' }).click()
  await expect.poll(() => code.evaluate((field) => field.matches(':focus:invalid'))).toBe(true)
  const hint = 'Lower-case letters and digits'
  await form.getByText(hint).waitFor()
  expect(await code.getAttribute('title')).toContain(hint)
  expect(await roleOf('Trade Clerk')).toBeUndefined()
})

test('a role gets another name and description', async () => {
  const page = await stage.signIn('manager', '/administration/roles')
  await row(page, 'Uploader').getByRole('button', { name: 'Edit Uploader' }).press('Enter')
  const form = page.getByRole('form', { name: 'Edit Uploader' })
  expect(await form.getByLabel('Code').inputValue()).toBe('trade.uploader')
  await form.getByLabel('Name').fill('Scanner')
  await form.getByLabel('Description').fill('Scans receipts.')
  await form.getByRole('button', { name: 'Save' }).press('Enter')
  await toast(page, 'Scanner has been saved.').waitFor()
  await row(page, 'Scanner').getByText('Scans receipts.').waitFor()
  const renamed = { name: 'Scanner', description: 'Scans receipts.' }
  expect(await roleOf('trade.uploader')).toMatchObject(renamed)
})

test('a role is switched off after a confirmation with the number of its people, and on again', async () => {
  const page = await stage.signIn('manager', '/administration/roles')
  await row(page, 'Viewer').getByRole('button', { name: 'Switch off: Viewer' }).click()
  await dialog(page)
    .getByText('It grants nothing more to 1 person, from their next request on. You can switch it on again.')
    .waitFor()
  await expectNoSeriousViolations(page)
  await dialog(page).getByRole('button', { name: 'Cancel' }).click()
  expect(await roleOf('trade.viewer')).toMatchObject({ isActive: true })
  await row(page, 'Viewer').getByRole('button', { name: 'Switch off: Viewer' }).click()
  await dialog(page).getByRole('button', { name: 'Switch off' }).click()
  await toast(page, 'Viewer has been switched off.').waitFor()
  await row(page, 'Viewer').getByText('Switched off').waitFor()
  expect(await roleOf('trade.viewer')).toMatchObject({ isActive: false })
  await row(page, 'Viewer').getByRole('button', { name: 'Switch on: Viewer' }).click()
  await dialog(page).getByText('It grants its permissions to 1 person').waitFor()
  await dialog(page).getByRole('button', { name: 'Switch on' }).click()
  await toast(page, 'Viewer has been switched on.').waitFor()
})

test('a protected role cannot be edited or switched off', async () => {
  const page = await stage.signIn('manager', '/administration/roles')
  const administrator = row(page, 'Administrator')
  await administrator.getByText('Protected').waitFor()
  await row(page, 'Auditor').getByRole('button', { name: 'Edit Auditor' }).waitFor()
  expect(await administrator.getByRole('button').allInnerTexts()).toEqual(['Permissions'])
})

test.each([
  {
    path: '/administration/roles',
    change: async (page: Page) => {
      await row(page, 'Viewer')
        .getByRole('button', { name: /^Permissions/ })
        .click()
      await row(page, 'Viewer').getByRole('checkbox').first().click()
    },
  },
  {
    path: '/administration/users',
    change: async (page: Page) => {
      await page.getByRole('button', { name: 'Invite a person' }).click()
      await page.getByRole('form').getByLabel('Name', { exact: true }).fill('Ann')
    },
  },
])('unsaved changes at $path are not lost without a question', async ({ path, change }) => {
  const page = await stage.signIn('manager', '/preferences')
  const questions: string[] = []
  page.on('dialog', async (question) => {
    questions.push(question.message())
    await question.dismiss()
  })
  const visit = (name: string) => page.getByRole('link', { name, exact: true }).click()
  const part = path.endsWith('roles') ? 'Roles' : 'Users'
  await visit(part)
  await page.getByRole('heading', { name: part, level: 1 }).waitFor()
  await visit('Preferences')
  await page.getByRole('heading', { name: 'Preferences', level: 1 }).waitFor()
  expect(questions).toEqual([])
  await visit(part)
  await change(page)
  await visit('Preferences')
  await expect.poll(() => questions.length).toBe(1)
  await page.evaluate(() => history.back())
  await expect.poll(() => questions.length).toBe(2)
  await expect.poll(() => new URL(page.url()).pathname).toBe(path)
  await page.getByRole('heading', { name: part, level: 1 }).waitFor()
})

test('a permission that is checked while the role is being saved stays checked', async () => {
  const body = { code: 'trade.slow', name: 'Slow', description: '', permissions: [] }
  await manager('POST', '/api/security/roles', { body })
  const page = await stage.signIn('manager', '/administration/roles')
  const saving = Promise.withResolvers<void>()
  await page.route('**/permissions', async (route) => {
    if (route.request().method() === 'PUT') await saving.promise
    await route.continue()
  })
  const slow = row(page, 'Slow')
  await slow.getByRole('button', { name: 'Permissions: Slow' }).click()
  await slow.getByRole('checkbox', { name: 'View customers' }).check()
  const sent = page.waitForRequest((request) => request.method() === 'PUT')
  await slow.getByRole('button', { name: 'Review and save' }).click()
  await dialog(page).getByRole('button', { name: 'Save' }).click()
  await sent
  await slow.getByRole('checkbox', { name: 'View items' }).check()
  saving.resolve()
  await toast(page, 'Slow has been saved.').waitFor()
  await slow.getByText('1 added, 0 removed').waitFor()
  expect(await slow.getByRole('checkbox', { name: 'View items' }).isChecked()).toBe(true)
  expect(await roleOf('trade.slow')).toMatchObject({ permissions: ['catalog.trade.customer.view'] })
})

test('a text that is typed while the texts of a role are being saved stays, and can be saved', async () => {
  const body = { code: 'trade.typed', name: 'Typed', description: '', permissions: [] }
  await expectAnswer(manager('POST', '/api/security/roles', { body }), 201)
  const page = await stage.signIn('manager', '/administration/roles')
  const held = await hold(page, /security\/roles\/[^/]+$/)
  const typed = row(page, 'Typed')
  await typed.getByRole('button', { name: 'Edit Typed' }).click()
  const description = typed.getByLabel('Description')
  await description.fill('First')
  await description.press('Enter')
  await expect.poll(() => held.length).toBe(1)
  await description.fill('First and second')
  await held[0]?.continue()
  await toast(page, 'Typed has been saved.').waitFor()
  expect(await description.inputValue()).toBe('First and second')
  expect(await roleOf('trade.typed')).toMatchObject({ description: 'First' })

  await description.press('Enter')
  await expect.poll(() => held.length).toBe(2)
  await held[1]?.continue()
  await description.waitFor({ state: 'detached' })
  expect(await roleOf('trade.typed')).toMatchObject({ description: 'First and second' })
})

test('a role that is added late does not close the permissions that were opened since', async () => {
  const page = await stage.signIn('manager', '/administration/roles')
  const held: Route[] = []
  await page.route('**/api/security/roles', (route) =>
    route.request().method() === 'POST' ? void held.push(route) : route.continue(),
  )
  await page.getByRole('button', { name: 'Add a role' }).click()
  const form = page.getByRole('form', { name: 'Add a role' })
  await form.getByLabel('Name').fill('Late')
  await form.getByLabel('Code').fill('trade.late')
  await form.getByRole('button', { name: 'Save' }).click()
  await expect.poll(() => held.length).toBe(1)
  const auditor = row(page, 'Auditor')
  await auditor.getByRole('button', { name: 'Permissions: Auditor' }).click()
  await auditor.getByRole('checkbox', { name: 'View customers' }).waitFor()
  await held[0]?.continue()
  await toast(page, 'Late has been added. Choose its permissions.').waitFor()
  await row(page, 'Late').waitFor()
  expect(await auditor.getByRole('checkbox', { name: 'View customers' }).count()).toBe(1)
})

const conflict = (role: Locator) => role.getByText('Another administrator has changed this role.')
const failure = (role: Locator) => role.getByText('The service cannot be reached')

/** Breaks the connection of each request that saves permissions. */
const failToSave = (page: Page) =>
  page.route('**/permissions', (route) =>
    route.request().method() === 'PUT' ? route.abort() : route.continue(),
  )

test('an own new name of a role is not a conflict when saving its permissions fails', async () => {
  const page = await stage.signIn('manager', '/administration/roles')
  tolerate(page, /ERR_FAILED/)
  const auditor = row(page, 'Auditor')
  await auditor.getByRole('button', { name: 'Permissions: Auditor' }).click()
  await auditor.getByRole('checkbox', { name: 'Edit customers' }).check()
  await auditor.getByRole('button', { name: 'Edit Auditor' }).click()
  await auditor.getByLabel('Description').fill('Reads everything.')
  const renames = await hold(page, /security\/roles\/[^/]+$/)
  await auditor.getByLabel('Description').press('Enter')
  await expect.poll(() => renames.length).toBe(1)
  await auditor.getByRole('button', { name: 'Review and save' }).click()
  await renames[0]?.continue()
  await toast(page, 'Auditor has been saved.').waitFor()
  await failToSave(page)
  await dialog(page).getByRole('button', { name: 'Save' }).click()
  await failure(auditor).waitFor()
  expect(await conflict(auditor).count()).toBe(0)
})

test('a failure after a conflict replaces the message about the conflict', async () => {
  const page = await stage.signIn('manager', '/administration/roles')
  tolerate(page, /ERR_FAILED|409 \(Conflict\)/)
  const viewer = row(page, 'Viewer')
  const save = async () => {
    await viewer.getByRole('button', { name: 'Review and save' }).click()
    await dialog(page).getByRole('button', { name: 'Save' }).click()
  }
  await viewer.getByRole('button', { name: 'Permissions: Viewer' }).click()
  await viewer.getByRole('checkbox', { name: 'Edit customers' }).check()
  const role = await roleOf('trade.viewer')
  const body = { permissions: [...(role?.permissions ?? []), 'system.users.view'] }
  await expectAnswer(manager('PUT', `/api/security/roles/${role?.id}/permissions`, { body }), 200)
  await save()
  await conflict(viewer).waitFor()
  await failToSave(page)
  await save()
  await failure(viewer).waitFor()
  expect(await conflict(viewer).count()).toBe(0)
})
