import type { TeamTasks } from '@vertical-kit/ui-client/elements'
import { expect } from 'vitest'
import { act } from '../actions.ts'
import { postedInvoice } from '../trade/actions/documents.ts'
import { expectNoSeriousViolations, stageOfFile, test, tolerate } from './harness.ts'
import { manyUsers, namesIn } from './many-users.ts'
import { rowOf, verb } from './work-center-stage.ts'

const stage = stageOfFile()
const clerk = stage.as('clerk')

/** The page of a manager or a clerk, with the button that opens the dialog of recipients. */
const pages = [
  { label: 'Assign', user: 'manager', path: '/team' },
  { label: 'Forward', user: 'clerk', path: '/work-center' },
] as const

async function openTask({ label, user, path }: (typeof pages)[number]) {
  // A user who has never signed in cannot receive a task.
  await stage.as('clerk2')('GET', '/api/me/substitution')
  const invoice = await postedInvoice(clerk)
  const page = await stage.signIn(user, path)
  const row =
    path === '/team'
      ? page.locator('vk-team-tasks').getByRole('listitem').filter({ hasText: invoice.number })
      : rowOf(page, invoice)
  const dialog = page.getByRole('dialog')
  return { page, row, dialog, invoice, button: verb(row, label), to: dialog.getByLabel('To'), label }
}

const recipients = /\/recipients/

test.each(pages)('a double click on $label asks once, and the dialog stays open', async (of) => {
  const { page, row, button, to, dialog, label } = await openTask(of)
  const answer = Promise.withResolvers<void>()
  let count = 0
  await page.route(recipients, async (route) => {
    count += 1
    await answer.promise
    await route.continue()
  })
  await button.dblclick()
  answer.resolve()
  await to.selectOption({ label: 'Carl Clerk' })
  await dialog.getByRole('button', { name: label }).click()
  await (label === 'Assign'
    ? row.getByText('Carl Clerk, since').waitFor()
    : row.waitFor({ state: 'detached' }))
  expect(count).toBe(1)
})

test('the late close event of a question leaves the next question open', async () => {
  const { page } = await openTask(pages[0])
  const isOpen = await page.locator('vk-team-tasks').evaluate(async (team) => {
    interface Asking {
      ask(question: object): Promise<unknown>
      readonly shadowRoot: ShadowRoot
    }
    const question = { title: 'Assign', titles: ['A task'], hasComment: false }
    const recipients = { users: [], roles: [] }
    // The first question loads the form that asks.
    const place = team.shadowRoot?.querySelector('vk-recipient-dialog') as unknown as Asking
    void place.ask({ ...question, recipients })
    await customElements.whenDefined('vk-recipient-form')
    const asking = place.shadowRoot.querySelector('vk-recipient-form') as unknown as Asking
    const ask = () => asking.ask({ ...question, recipients })
    const shown = async () => {
      await Promise.resolve()
      const dialog = asking.shadowRoot.querySelector('dialog')
      return dialog?.open === true ? dialog : new Promise<never>(() => {})
    }
    void ask()
    await Promise.resolve()
    await Promise.resolve()
    const dialog = await shown()
    const closed = new Promise((resolve) => dialog.addEventListener('close', resolve))
    void ask()
    await closed
    return asking.shadowRoot.querySelector('dialog')?.open ?? false
  })
  expect(isOpen).toBe(true)
})

test.each(pages)(
  'without recipients, $label shows the error in the row, and a click tries again',
  async (of) => {
    const { page, row, button, dialog, to } = await openTask(of)
    tolerate(page, /net::ERR_FAILED/)
    await page.route(recipients, (route) => route.abort())
    await button.click()
    await row.getByRole('alert').getByText('The service cannot be reached.').waitFor()
    expect(await dialog.count()).toBe(0)
    await page.unroute(recipients)
    await button.click()
    await to.waitFor()
    expect(await row.getByText('The service cannot be reached.').count()).toBe(0)
  },
)

test.each(pages)(
  '$label asks about the task that was clicked last, also if its answer comes first',
  async (of) => {
    const first = await openTask(of)
    const other = await postedInvoice(clerk)
    const { page, dialog, label, button } = first
    const row =
      of.path === '/team'
        ? page.locator('vk-team-tasks').getByRole('listitem').filter({ hasText: other.number })
        : rowOf(page, other)
    await row.waitFor()
    const late = Promise.withResolvers<void>()
    let count = 0
    await page.route(recipients, async (route) => {
      count += 1
      if (count === 1) await late.promise
      await route.continue()
    })
    await button.click()
    await expect.poll(() => count).toBe(1)
    await verb(row, label).click()
    await dialog.getByText(other.number).waitFor()
    const answered = page.waitForResponse(recipients)
    late.resolve()
    await answered
    await page.evaluate(() => fetch('/health'))
    expect(await dialog.getByText(other.number).count()).toBe(1)
  },
)

test('the focus stays in the list if a task is completed behind the dialog that assigns it', async () => {
  const { page, row, button, to, dialog, invoice } = await openTask(pages[0])
  await button.press('Enter')
  await to.waitFor()
  await act(clerk, invoice, 'unpost')
  const team = page.locator('vk-team-tasks')
  await team.evaluate((element: TeamTasks) => element.store?.load())
  await row.waitFor({ state: 'detached' })
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })
  await expect.poll(() => team.evaluate((one) => one.matches(':focus-within'))).toBe(true)
})

test.each(pages)('Enter in the search of $label does not send an earlier choice', async (of) => {
  const { page, button, dialog, to } = await openTask(of)
  await page.route(recipients, (route, request) =>
    request.url().includes('q=') ? new Promise<void>(() => {}) : manyUsers(route),
  )
  await button.click()
  await to.selectOption({ label: 'Person 003' })
  await dialog.getByRole('searchbox').fill('Bob')
  await dialog.getByRole('searchbox').press('Enter')
  expect(await dialog.count()).toBe(1)
  expect(await to.inputValue()).toMatch(/003$/)
})

test('a dialog ends when the page hides its element, and does not open in a hidden one', async () => {
  const { page, row, button, dialog, label } = await openTask(pages[1])
  const element = page.locator('vk-work-center')
  const show = (isShown: boolean) =>
    element.evaluate((one, display) => void one.style.setProperty('display', display), isShown ? '' : 'none')
  await button.click()
  await dialog.waitFor()
  await show(false)
  const isBlocked = () =>
    page.evaluate(() => {
      const elementAt = document.elementFromPoint(5, 5)
      return elementAt === null || elementAt === document.documentElement
    })
  await expect.poll(isBlocked).toBe(false)
  await show(true)
  await row.waitFor()
  expect(await dialog.count()).toBe(0)

  const late = Promise.withResolvers<void>()
  await page.route(recipients, async (route) => {
    await late.promise
    await route.continue()
  })
  await verb(row, label).click()
  await show(false)
  const answered = page.waitForResponse(recipients)
  late.resolve()
  await answered
  await page.evaluate(() => fetch('/health'))
  expect(await isBlocked()).toBe(false)
})

test('the error of a missing recipient disappears when the user chooses one', async () => {
  const { button, dialog, to } = await openTask(pages[0])
  await button.click()
  await dialog.getByRole('button', { name: 'Assign' }).click()
  const error = dialog.getByText('Choose a user or a role.')
  await error.waitFor()
  await to.selectOption({ index: 1 })
  await error.waitFor({ state: 'detached' })
  expect(await to.getAttribute('aria-invalid')).toBe('false')
})

test('a user outside the first 100 is found by a part of the name, and a late answer is ignored', async () => {
  const { page, button, dialog, to } = await openTask(pages[0])
  const late = Promise.withResolvers<void>()
  await page.route(recipients, async (route) => {
    if (new URL(route.request().url()).searchParams.get('q') === 'Person 13') await late.promise
    await manyUsers(route)
  })
  await button.click()
  const search = dialog.getByRole('searchbox', { name: 'Find other users' })
  await expect.poll(() => namesIn(to)).toHaveLength(101)
  await to.selectOption({ label: 'Person 099' })
  await expectNoSeriousViolations(page)
  await search.fill('Person 13')
  const answered = page.waitForResponse(/q=Person(\+|%20)13$/)
  await search.fill('Person 149')
  await expect.poll(() => namesIn(to)).toEqual(['Choose a user or a role', 'Person 149'])
  expect(await to.inputValue()).toBe('')
  late.resolve()
  await answered
  await page.evaluate(() => fetch('/health'))
  expect(await namesIn(to)).toEqual(['Choose a user or a role', 'Person 149'])
  await search.fill('Person 1499')
  await expect.poll(() => namesIn(to)).toEqual(['Choose a user or a role'])
})

test('a late answer for one task is ignored in the dialog of another one', async () => {
  const { page, row, button, dialog, to } = await openTask(pages[0])
  const other = await postedInvoice(clerk)
  const late = Promise.withResolvers<void>()
  await page.route(recipients, async (route) => {
    if (new URL(route.request().url()).searchParams.get('q') === 'Person 13') await late.promise
    await manyUsers(route)
  })
  await row.waitFor()
  await page.getByRole('button', { name: 'Refresh' }).click()
  await button.click()
  const answered = page.waitForResponse(/q=Person(\+|%20)13$/)
  const asked = page.waitForRequest(/q=Person(\+|%20)13$/)
  await dialog.getByRole('searchbox').fill('Person 13')
  await asked
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  const otherRow = page.locator('vk-team-tasks').getByRole('listitem').filter({ hasText: other.number })
  await verb(otherRow, 'Assign').click()
  await expect.poll(() => namesIn(to)).toHaveLength(101)
  await to.selectOption({ label: 'Person 099' })
  late.resolve()
  await answered
  await page.evaluate(() => fetch('/health'))
  expect(await namesIn(to)).toHaveLength(101)
  expect(await to.inputValue()).not.toBe('')
})

test('for several tasks, a user outside the first 100 is found, too', async () => {
  const { page, row, dialog, to } = await openTask(pages[0])
  await page.route(recipients, manyUsers)
  await row.getByRole('checkbox').check()
  await page.getByRole('checkbox', { name: 'Select all' }).check()
  await page.getByRole('button', { name: 'Assign', exact: true }).click()
  await dialog.getByRole('searchbox', { name: 'Find other users' }).fill('149')
  await expect.poll(() => namesIn(to)).toEqual(['Choose a user or a role', 'Person 149'])
})

test('the search of recipients shows its failure, and the next text searches again', async () => {
  const { page, button, dialog, to } = await openTask(pages[0])
  tolerate(page, /net::ERR_FAILED/)
  await page.route(recipients, (route, request) =>
    request.url().includes('q=x') ? route.abort() : manyUsers(route),
  )
  await button.click()
  const search = dialog.getByRole('searchbox')
  await search.fill('x')
  await dialog.getByText('The service cannot be reached.').waitFor()
  await search.fill('149')
  await expect.poll(() => namesIn(to)).toEqual(['Choose a user or a role', 'Person 149'])
  expect(await dialog.getByText('The service cannot be reached.').count()).toBe(0)
})
