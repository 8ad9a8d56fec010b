import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { expectAnswer } from '../answers.ts'
import { draftSales } from '../trade/actions/documents.ts'
import { signIn, stageOfFile, test } from './harness.ts'

const stage = stageOfFile()

const dueDate = (page: Page) => page.getByLabel('Due date')
const restored = (page: Page) =>
  page.locator('vk-toasts li').filter({ hasText: 'Your unsaved changes were restored.' })

/** Opens the form of a new invoice in another tab: a new one, or one that copies the storage of the tab. */
async function openTab(from: Page, way: 'new' | 'duplicated' = 'new'): Promise<Page> {
  const path = '/sales-invoices/new'
  const opened = from.context().waitForEvent('page')
  if (way === 'duplicated') await from.evaluate((url) => void open(url), path)
  else await from.context().newPage()
  const page = await opened
  if (way === 'new') await page.goto(stage.demo.url + path)
  await dueDate(page).waitFor()
  return page
}

/** Ends the session in all tabs. */
async function endSession(tabs: readonly Page[]): Promise<void> {
  const other = await (tabs[0] as Page).context().newPage()
  await other.goto(`${stage.demo.url}/about`)
  await other.evaluate(() => {
    for (const name of Object.keys(localStorage))
      if (name.startsWith('oidc.user')) localStorage.removeItem(name)
  })
  await other.close()
  await Promise.all(tabs.map((tab) => tab.locator('[data-user]').first().waitFor()))
}

test.each(['new', 'duplicated'] as const)(
  'two tabs keep the forms of two new invoices, and get them back (%s tab)',
  async (way) => {
    const first = await stage.signIn('clerk', '/sales-invoices/new')
    const second = await openTab(first, way)
    await dueDate(first).fill('2031-01-01')
    await dueDate(second).fill('2032-02-02')
    await endSession([first, second])
    for (const tab of [first, second])
      await tab.getByText('Your session has ended. Sign in again. Your input is kept until then.').waitFor()
    await signIn(first, 'clerk')
    await restored(first).waitFor()
    await restored(second).waitFor()
    expect(await dueDate(first).inputValue()).toBe('2031-01-01')
    expect(await dueDate(second).inputValue()).toBe('2032-02-02')
  },
)

test('a text for which no entry is chosen yet is kept, and can be saved or discarded later', async () => {
  const draft = await draftSales(stage.as('clerk'), 'trade.sales_order')
  const page = await stage.signIn('clerk', `/sales-orders/${draft.id}`)
  const customer = page.getByRole('combobox', { name: 'Customer' })
  await expect.poll(() => customer.inputValue()).toBe('Acme')
  const keep = async () => {
    await customer.fill('pine')
    await endSession([page])
    await signIn(page, 'clerk')
    await restored(page).waitFor()
    expect(await customer.inputValue()).toBe('pine')
  }
  await keep()
  await page.getByRole('button', { name: 'Discard changes' }).click()
  await expect.poll(() => customer.inputValue()).toBe('Acme')
  await keep()
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.locator('vk-toasts li').filter({ hasText: 'Saved.' }).waitFor()
  expect(await customer.inputValue()).toBe('Pine Print')
})

test('the form of a closed tab is restored in one other tab', async () => {
  const first = await stage.signIn('clerk', '/sales-invoices/new')
  const second = await openTab(first)
  await dueDate(first).fill('2031-01-01')
  await dueDate(second).fill('2032-02-02')
  await endSession([first, second])
  await second.close()
  await signIn(first, 'clerk')
  await restored(first).waitFor()
  expect(await dueDate(first).inputValue()).toBe('2031-01-01')
  const tabs = [await openTab(first), await openTab(first)]
  await restored(tabs[0] as Page).waitFor()
  expect(await Promise.all(tabs.map((tab) => dueDate(tab).inputValue()))).toEqual(['2032-02-02', ''])
})

test('the page starts if the browser refuses the storage of a tab and its lock', async () => {
  const page = await stage.signIn('clerk', '/sales-invoices/new')
  await dueDate(page).fill('2031-01-01')
  await endSession([page])
  await page.addInitScript(() => {
    Storage.prototype.setItem = new Proxy(Storage.prototype.setItem, {
      apply(set, storage, [name, value]) {
        if (name === 'tab') throw new DOMException('full', 'QuotaExceededError')
        return Reflect.apply(set, storage, [name, value])
      },
    })
    sessionStorage.removeItem('tab')
    navigator.locks.request = new Proxy(navigator.locks.request, {
      apply(request, locks, [name, ...rest]) {
        if (name.startsWith('tab/')) return Promise.reject(new DOMException('refused', 'SecurityError'))
        return Reflect.apply(request, locks, [name, ...rest])
      },
    })
  })
  await page.reload()
  await signIn(page, 'clerk')
  await dueDate(page).waitFor()
})

interface NamedRole {
  readonly id: string
  readonly code: string
  readonly name: string
}

/** Changes the description of the role of auditors. */
async function describeAuditor(description: string): Promise<void> {
  const manager = stage.as('manager')
  const roles: unknown = await expectAnswer(manager('GET', '/api/security/roles'), 200)
  const role = (roles as readonly NamedRole[]).find(({ code }) => code === 'trade.auditor')
  if (role === undefined) throw new Error('The role must exist')
  const { id, code, name } = role
  await expectAnswer(manager('PUT', `/api/security/roles/${id}`, { body: { code, name, description } }), 200)
}

test('the forms of a person and a role get their input back after the next sign-in, but not for another user', async () => {
  const page = await stage.signIn('manager', '/administration/users')
  const open = (name: string) => page.getByRole('button', { name }).click()
  const subject = page.getByRole('textbox', { name: 'Subject' })
  const auditor = page.getByRole('form').getByRole('checkbox', { name: 'Auditor' })
  await open('Invite a person')
  await subject.fill('olga')
  await auditor.check()
  await endSession([page])
  await signIn(page, 'manager')
  await open('Invite a person')
  await expect.poll(() => subject.inputValue()).toBe('olga')
  // A user who overwrites the subject must not grant the roles to another person without noticing.
  expect(await auditor.isChecked()).toBe(false)
  await page.getByRole('button', { name: 'Cancel' }).click()
  await open('Invite a person')
  expect(await subject.inputValue()).toBe('')
  await subject.fill('olga')
  page.once('dialog', (dialog) => dialog.accept())
  await page.getByRole('link', { name: 'Roles' }).click()
  await page.getByRole('link', { name: 'Users' }).click()
  await open('Invite a person')
  expect(await subject.inputValue()).toBe('')

  await page.getByRole('link', { name: 'Roles' }).click()
  const [name, description] = [page.getByLabel('Name'), page.getByLabel('Description')]
  await open('Edit Auditor')
  await description.fill('Reads all')
  await endSession([page])
  await signIn(page, 'manager')
  await open('Edit Auditor')
  await expect.poll(() => description.inputValue()).toBe('Reads all')
  expect(await name.inputValue()).toBe('Auditor')
  // The input must not undo what another administrator has saved since.
  await endSession([page])
  await describeAuditor('Reads the ledger')
  await signIn(page, 'manager')
  await open('Edit Auditor')
  expect(await description.inputValue()).toBe('Reads the ledger')
  await description.fill('Reads all')
  await endSession([page])
  await signIn(page, 'clerk')
  await endSession([page])
  await signIn(page, 'manager')
  await page.goto(`${stage.demo.url}/administration/roles`)
  await open('Edit Auditor')
  expect(await description.inputValue()).not.toBe('Reads all')
})
