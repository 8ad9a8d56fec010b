import { randomUUID } from 'node:crypto'
import postgres from 'postgres'
import { expect, onTestFinished } from 'vitest'
import { expectAnswer } from '../answers.ts'
import { postedInvoice } from '../trade/actions/documents.ts'
import { dialog, row, toast } from './administration-stage.ts'
import { expectNoSeriousViolations, screenshot, stageOfFile, test, tolerate } from './harness.ts'
import { rowOf } from './work-center-stage.ts'

// A failed event is a dead letter after one attempt.
const stage = stageOfFile({ WorkCenter__OutboxMaxAttempts: '1' })
const clerk = stage.as('clerk')
const manager = stage.as('manager')

const parts = ['users', 'roles', 'outbox', 'status'] as const

test('before a role is saved, the page shows what changes and for how many people', async () => {
  const page = await stage.signIn('manager', '/administration/roles')
  const viewer = row(page, 'Viewer')
  await viewer.getByRole('button', { name: 'Permissions: Viewer' }).press('Enter')
  await viewer.getByRole('checkbox', { name: 'Edit customers' }).check()
  await viewer.getByRole('checkbox', { name: 'View items' }).uncheck()
  await viewer.getByText('1 added, 1 removed').waitFor()
  await expectNoSeriousViolations(page)
  await screenshot(page, 'administration-roles')
  await viewer.getByRole('button', { name: 'Review and save' }).press('Enter')
  await dialog(page).getByText('This affects 1 person, from their next request on.').waitFor()
  await dialog(page).getByText('Adds: Edit customers').waitFor()
  await dialog(page).getByText('Removes: View items').waitFor()
  await expectNoSeriousViolations(page)
  await dialog(page).getByRole('button', { name: 'Save' }).click()
  await toast(page, 'Viewer has been saved.').waitFor()
  await viewer.getByText('No changes.').waitFor()
})

test('a protected role cannot be changed, and the page says why', async () => {
  const page = await stage.signIn('manager', '/administration/roles')
  const administrator = row(page, 'Administrator')
  await administrator.getByRole('button', { name: 'Permissions: Administrator' }).click()
  await administrator.getByText('because the deployment names it as an administrator role').waitFor()
  const box = administrator.getByRole('checkbox', { name: 'View customers' })
  expect([await box.isChecked(), await box.isDisabled()]).toEqual([true, true])
  expect(await administrator.getByRole('button', { name: 'Review and save' }).count()).toBe(0)
  await expectNoSeriousViolations(page)
})

test('if another administrator has changed the role, both changes are kept, and the page explains it', async () => {
  const page = await stage.signIn('manager', '/administration/roles')
  tolerate(page, /409 \(Conflict\)/)
  const auditor = row(page, 'Auditor')
  await auditor.getByRole('button', { name: 'Permissions: Auditor' }).click()
  await auditor.getByRole('checkbox', { name: 'Edit customers' }).check()
  const { items } = { items: (await (await manager('GET', '/api/security/roles')).json()) as Role[] }
  const { id, permissions } = items.find(({ code }) => code === 'trade.auditor') ?? {
    id: '',
    permissions: [],
  }
  const path = `/api/security/roles/${id}/permissions`
  const others = [...permissions, 'system.users.view'].filter((one) => one !== 'catalog.trade.item.view')
  await expectAnswer(manager('PUT', path, { body: { permissions: others } }), 200)
  const save = async () => {
    await auditor.getByRole('button', { name: 'Review and save' }).click()
    await dialog(page).getByRole('button', { name: 'Save' }).click()
  }
  await save()
  await auditor.getByText('Another administrator has changed this role.').waitFor()
  await auditor.getByText('1 added, 0 removed').waitFor()
  await expectNoSeriousViolations(page)
  await save()
  await toast(page, 'Auditor has been saved.').waitFor()
  const saved = (await (await manager('GET', `/api/security/roles/${id}`)).json()) as Role
  expect(saved.permissions).toEqual([...others, 'catalog.trade.customer.edit'].toSorted())
})

type Role = { id: string; code: string; permissions: string[] }

test('an administrator finds a dead letter, repairs its cause, retries it with a reason, and the task appears', async () => {
  const sql = postgres(stage.demo.databaseUrl, { max: 1, onnotice: () => {} })
  onTestFinished(() => sql.end())
  await expect.poll(pendingCount).toBe(0)
  await sql`alter table work_center.tasks add constraint broken check (false) not valid`
  const invoice = await postedInvoice(clerk)
  await expect.poll(deadCount).toBe(1)
  await sql`alter table work_center.tasks drop constraint broken`

  const page = await stage.signIn('manager', '/administration/outbox')
  const letter = row(page, invoice.id)
  await letter.getByText(/broken/).waitFor()
  await letter.getByRole('button', { name: '1 attempt:' }).press('Enter')
  await letter
    .getByRole('list', { name: 'Attempts' })
    .getByText(/\d:\d\d:\d\d [AP]M · Failed/)
    .waitFor()
  await letter.getByText(/Failed at .*\d:\d\d:\d\d/).waitFor()
  await expectNoSeriousViolations(page)
  await letter.getByRole('button', { name: 'Retry:' }).press('Enter')
  await dialog(page).getByRole('button', { name: 'Retry' }).press('Enter')
  await dialog(page).getByText('Enter a reason.').waitFor()
  await dialog(page).getByLabel('Reason').fill('The constraint has been dropped.')
  await expectNoSeriousViolations(page)
  await dialog(page).getByRole('button', { name: 'Retry' }).press('Enter')
  await toast(page, 'The event is tried again.').waitFor()
  await page.getByText('No dead letters.').waitFor()
  const clara = await stage.signIn('clerk', '/work-center')
  await rowOf(clara, invoice).waitFor()
  const audit = await stage.signIn('auditor', '/audit-log')
  await audit.getByText('The constraint has been dropped.').first().waitFor()
})

const outboxState = async () =>
  (
    (await (await manager('GET', '/api/system/outbox')).json()) as {
      consumers: { pendingCount: number; deadCount: number }[]
    }
  ).consumers
const pendingCount = async () => (await outboxState()).reduce((sum, one) => sum + one.pendingCount, 0)
const deadCount = async () => (await outboxState()).reduce((sum, one) => sum + one.deadCount, 0)

test('if another administrator was faster, the page shows the reason, and the list is current', async () => {
  const sql = postgres(stage.demo.databaseUrl, { max: 1, onnotice: () => {} })
  onTestFinished(() => sql.end())
  await expect.poll(pendingCount).toBe(0)
  await sql`alter table work_center.tasks add constraint broken check (false) not valid`
  const invoice = await postedInvoice(clerk)
  await expect.poll(deadCount).toBe(1)
  await sql`alter table work_center.tasks drop constraint broken`
  const page = await stage.signIn('manager', '/administration/outbox')
  tolerate(page, /409 \(Conflict\)/)
  await row(page, invoice.id).getByRole('button', { name: 'Discard:' }).click()
  const letters = await expectAnswer(manager('GET', '/api/system/outbox/dead-letters'), 200)
  const body = { reason: 'faster' }
  const eventId = letters.items[0]?.['eventId']
  await expectAnswer(manager('POST', `/api/system/outbox/events/${eventId}/discard`, { body }), 200)
  await dialog(page).getByLabel('Reason').fill('slower')
  await dialog(page).getByRole('button', { name: 'Discard' }).click()
  await toast(page, /is not a dead letter/).waitFor()
  await page.getByText('No dead letters.').waitFor()
})

test('the status shows the health of each part, the features and the release', async () => {
  const page = await stage.signIn('manager', '/administration/status')
  const health = page.getByRole('region', { name: 'Health' })
  await health.getByRole('row', { name: /^database Healthy/ }).waitFor()
  await health.getByRole('row', { name: /^workCenterOutbox/ }).waitFor()
  await page
    .getByRole('region', { name: 'Features' })
    .getByRole('row', { name: /^Notes .* On$/ })
    .waitFor()
  await page.getByText(/^Vertical Kit demo: Vertical Kit \d/).waitFor()
  await screenshot(page, 'administration-status')
})

test.each(parts)(
  'the part %s is accessible, and fits narrow screens and right-to-left pages',
  async (part) => {
    const page = await stage.signIn('manager', `/administration/${part}`)
    await page.locator(`vk-${part} :is(li, td, .empty)`).first().waitFor()
    await expectNoSeriousViolations(page)
    for (const dir of ['ltr', 'rtl']) {
      await page.evaluate((value) => {
        document.documentElement.dir = value
      }, dir)
      for (const width of [320, 1280]) {
        await page.setViewportSize({ width, height: 800 })
        const excess = () =>
          page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)
        await expect.poll(excess).toBe(0)
      }
    }
  },
)

test.each(parts)('the part %s is accessible with forced colours', async (part) => {
  const page = await stage.signIn('manager', `/administration/${part}`, { forcedColors: 'active' })
  await page.locator(`vk-${part} :is(li, td, .empty)`).first().waitFor()
  await expectNoSeriousViolations(page)
})

test('users see only the parts that they have permissions for, and their pages load none of these elements', async () => {
  const page = await stage.signIn('clerk', '/work-center')
  await page.getByRole('link', { name: 'Preferences' }).waitFor()
  expect(await page.getByRole('heading', { name: 'Administration' }).count()).toBe(0)
  for (const part of parts) {
    await page.goto(`${stage.demo.url}/administration/${part}`)
    await page.getByRole('heading', { name: 'Not found' }).waitFor()
  }
  expect(await page.evaluate(() => customElements.get('vk-users'))).toBeUndefined()
})

test('the list shows an added role although the answer was lost', async () => {
  const page = await stage.signIn('manager', '/administration/roles')
  tolerate(page, /ERR_FAILED/)
  await page.getByRole('button', { name: 'Add a role' }).click()
  const form = page.getByRole('form', { name: 'Add a role' })
  const name = `Lost ${randomUUID()}`
  await form.getByLabel('Name').fill(name)
  await form.getByLabel('Code').fill(`trade.lost_${randomUUID().slice(0, 8)}`)
  const added = Promise.withResolvers<number>()
  await page.route('**/api/security/roles', async (route, request) => {
    if (request.method() === 'GET') return route.continue()
    added.resolve((await route.fetch()).status())
    await route.abort()
  })
  await form.getByRole('button', { name: 'Save' }).click()
  expect(await added.promise).toBe(201)
  await form.getByRole('alert').waitFor()
  await row(page, name).waitFor()
})
