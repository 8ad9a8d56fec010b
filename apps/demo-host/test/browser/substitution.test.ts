import type { Locator, Page, Route } from 'playwright-core'
import { expect } from 'vitest'
import { expectNoSeriousViolations, stageOfFile, test, tolerate } from './harness.ts'
import { manyUsers, namesIn } from './many-users.ts'

const stage = stageOfFile()

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
  await expect.poll(() => namesIn(user)).toEqual(['Choose a user', 'Person 149'])
  await form.getByRole('searchbox').fill('Nobody')
  await expect.poll(() => namesIn(user)).toEqual(['Choose a user'])
  await expectNoSeriousViolations(page)
})

test('a search that is answered after a change keeps its error, and the name of the new substitute', async () => {
  const unanswered: Route[] = []
  const { page, form, save, user, first, last } = await openSubstitute((page) =>
    page.route(users, (route, request) =>
      request.url().includes('q=') ? void unanswered.push(route) : manyUsers(route),
    ),
  )
  tolerate(page, /409 \(Conflict\)/)
  const search = form.getByRole('searchbox')
  /** Lets the last search find nobody, and waits until the page has read the answer. */
  const answer = async () => {
    const response = page.waitForResponse(users)
    await unanswered.at(-1)?.fulfill({ json: { users: [] } })
    await (await response).finished()
    await page.evaluate("fetch('/page-settings.json').then(() => new Promise(requestAnimationFrame))")
  }
  await search.fill('Zo')
  await expect.poll(() => unanswered.length).toBe(1)
  await user.selectOption({ label: 'Person 001' })
  await first.fill(dayFromNow(0))
  await last.fill(dayFromNow(7))
  const own = '**/api/me/substitution'
  await page.route(own, (route) =>
    route.fulfill({ status: 409, json: { code: 'work_center.substitution_chain', detail: 'A chain.' } }),
  )
  await save.click()
  const error = form.getByRole('alert').getByText('A chain.')
  await error.waitFor()
  await answer()
  expect(await error.count()).toBe(1)

  await search.fill('Zoe')
  await expect.poll(() => unanswered.length).toBe(2)
  await page.unroute(own)
  await page.route(own, (route, request) => route.fulfill({ json: request.postDataJSON() }))
  await save.click()
  await form.getByText(/^Person 001, from/).waitFor()
  await answer()
  expect(await form.getByText(/^Person 001, from/).count()).toBe(1)
})

/** Returns a day of the local time zone, as a date field expects it. */
function dayFromNow(days: number): string {
  const at = new Date()
  at.setDate(at.getDate() + days)
  return [at.getFullYear(), at.getMonth() + 1, at.getDate()]
    .map((part) => String(part).padStart(2, '0'))
    .join('-')
}
