import type { Locator, Page, Route } from 'playwright-core'
import { expect } from 'vitest'
import { postedInvoice } from '../trade/actions/documents.ts'
import { expectNoSeriousViolations, stageOfFile, test, tolerate } from './harness.ts'
import { rowOf, selectUser, verb } from './work-center-stage.ts'

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
  return { page, row, dialog, button: verb(row, label), to: dialog.getByLabel('To'), label }
}

const recipients = /\/recipients/
const names = (field: Locator) => field.getByRole('option').allTextContents()

/** Answers with 100 users, or with those whose name contains `q`. */
const manyUsers = (route: Route): Promise<void> => {
  const all = Array.from({ length: 150 }, (_, n) => `Person ${String(n).padStart(3, '0')}`)
  const q = new URL(route.request().url()).searchParams.get('q') ?? ''
  const users = all
    .filter((name) => name.includes(q))
    .slice(0, 100)
    .map((displayName) => ({
      userId: `0198c0de-0000-7000-8000-000000000${displayName.slice(-3)}`,
      displayName,
    }))
  return route.fulfill({ json: { users, roles: [] } })
}

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
  await expect.poll(() => names(to)).toHaveLength(101)
  await to.selectOption({ label: 'Person 099' })
  await expectNoSeriousViolations(page)
  await search.fill('Person 13')
  const answered = page.waitForResponse(/q=Person(\+|%20)13$/)
  await search.fill('Person 149')
  await expect.poll(() => names(to)).toEqual(['Choose a user or a role', 'Person 149'])
  expect(await to.inputValue()).toBe('')
  late.resolve()
  await answered
  await page.evaluate(() => fetch('/health'))
  expect(await names(to)).toEqual(['Choose a user or a role', 'Person 149'])
  await search.fill('Person 1499')
  await expect.poll(() => names(to)).toEqual(['Choose a user or a role'])
})

test('for several tasks, a user outside the first 100 is found, too', async () => {
  const { page, row, dialog, to } = await openTask(pages[0])
  await page.route(recipients, manyUsers)
  await row.getByRole('checkbox').check()
  await page.getByRole('checkbox', { name: 'Select all' }).check()
  await page.getByRole('button', { name: 'Assign', exact: true }).click()
  await dialog.getByRole('searchbox', { name: 'Find other users' }).fill('149')
  await expect.poll(() => names(to)).toEqual(['Choose a user or a role', 'Person 149'])
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
  await expect.poll(() => names(to)).toEqual(['Choose a user or a role', 'Person 149'])
  expect(await dialog.getByText('The service cannot be reached.').count()).toBe(0)
})

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
  expect(await users.locator('option:checked').textContent()).toMatch(/^Clara Clerk \(\d+\)$/)
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

const users = /\/api\/me\/substitution\/users/

/** Opens the clerk's substitute with the answers of a service, and with Carl to choose from. */
async function openSubstitute(prepare: (page: Page) => Promise<unknown> = async () => {}) {
  await stage.as('clerk2')('GET', '/api/me/substitution')
  const page = await stage.signIn('clerk', '/work-center')
  await prepare(page)
  await page.goto(`${stage.demo.url}/preferences`)
  const form = page.locator('vk-substitution')
  const save = form.getByRole('button', { name: 'Save substitute' })
  const user = form.getByRole('combobox')
  const [first, last] = [form.getByLabel('First day'), form.getByLabel('Last day')]
  return { page, form, save, user, first, last }
}

/** Whether the field is marked as wrong and has the focus. */
const isWrong = (field: Locator): Promise<boolean> =>
  field.evaluate(
    (element) =>
      element.ariaInvalid === 'true' && (element.getRootNode() as ShadowRoot).activeElement === element,
  )

/** Returns the text that describes a field. */
const described = (field: Locator): Promise<string> =>
  field.evaluate((element) => {
    const id = element.getAttribute('aria-describedby') ?? ''
    return (element.getRootNode() as ShadowRoot).getElementById(id)?.textContent?.trim() ?? ''
  })

const wrongPeriod = 'Choose a period of 1 to 180 days that ends today or later.'

test('each wrong field of a substitution is marked and explained, without a request', async () => {
  const { page, save, user, first, last } = await openSubstitute()
  let count = 0
  await page.route('**/api/me/substitution', (route) => {
    count += Number(route.request().method() === 'PUT')
    return route.continue()
  })
  await save.click()
  expect(await isWrong(user)).toBe(true)
  expect(await described(user)).toBe('Choose a user')
  await expectNoSeriousViolations(page)
  await user.selectOption({ label: 'Carl Clerk' })
  expect(await user.getAttribute('aria-invalid')).toBe('false')
  await save.click()
  expect(await isWrong(first)).toBe(true)
  expect(await described(first)).toBe(wrongPeriod)
  await first.fill(dayFromNow(-10))
  for (const day of ['', dayFromNow(-11), dayFromNow(-2), dayFromNow(171)]) {
    await last.fill(day)
    await save.click()
    expect(await isWrong(last)).toBe(true)
    expect(await described(last)).toBe(wrongPeriod)
  }
  await first.fill(dayFromNow(2))
  expect([await last.getAttribute('min'), await last.getAttribute('max')]).toEqual([
    dayFromNow(2),
    dayFromNow(181),
  ])
  expect(count).toBe(0)
})

/** Whether the focus is in the form. */
const hasFocus = (page: Page): Promise<boolean> =>
  page.evaluate(() => document.activeElement?.localName === 'vk-substitution')

test('a substitution keeps the focus after its end, and a failed change has nothing to load again', async () => {
  const { page, form, save, user, first, last } = await openSubstitute()
  await user.selectOption({ label: 'Carl Clerk' })
  await first.fill(dayFromNow(0))
  await last.fill(dayFromNow(7))
  await save.click()
  await form.getByText(/^Carl Clerk, from/).waitFor()
  tolerate(page, /409 \(Conflict\)/)
  await page.route('**/api/me/substitution', (route) =>
    route.fulfill({ status: 409, json: { code: 'work_center.substitution_chain', detail: 'A chain.' } }),
  )
  await save.click()
  await form.getByRole('alert').getByText('A chain.').waitFor()
  expect(await form.getByRole('button', { name: 'Try again' }).count()).toBe(0)
  await page.unroute('**/api/me/substitution')
  await form.getByRole('button', { name: 'End' }).click()
  await form.getByText(/^Carl Clerk, from/).waitFor({ state: 'detached' })
  expect(await hasFocus(page)).toBe(true)
})

test('a substitution that could not be loaded has no form, and keeps the focus after another attempt', async () => {
  const { page, form, save } = await openSubstitute(async (page) => {
    tolerate(page, /net::ERR_FAILED/)
    await page.route(users, (route) => route.abort())
  })
  const retry = form.getByRole('button', { name: 'Try again' })
  await retry.waitFor()
  expect(await save.count()).toBe(0)
  await page.unroute(users)
  await retry.click()
  await save.waitFor()
  expect(await hasFocus(page)).toBe(true)
})

test('a user who shares a role with nobody sees who can name their substitute', async () => {
  const { page, form, save } = await openSubstitute((page) =>
    page.route(users, (route) => route.fulfill({ json: { users: [] } })),
  )
  await form.getByText('Nobody shares a role with you. Ask a supervisor to name a substitute.').waitFor()
  expect(await save.count()).toBe(0)
  await expectNoSeriousViolations(page)
})

test('a substitute outside the first 100 users is found by a part of the name', async () => {
  const { page, form, user } = await openSubstitute((page) => page.route(users, manyUsers))
  await form.getByRole('searchbox', { name: 'Find other users' }).fill('149')
  await expect.poll(() => names(user)).toEqual(['Choose a user', 'Person 149'])
  await form.getByRole('searchbox').fill('Nobody')
  await expect.poll(() => names(user)).toEqual(['Choose a user'])
  await expectNoSeriousViolations(page)
})

/** Returns a day of the local time zone, as a date field expects it. */
function dayFromNow(days: number): string {
  const at = new Date()
  at.setDate(at.getDate() + days)
  return [at.getFullYear(), at.getMonth() + 1, at.getDate()]
    .map((part) => String(part).padStart(2, '0'))
    .join('-')
}
