import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { draftSales, postedInvoice } from '../trade/actions/documents.ts'
import { bar, button, done, openDocument } from './action-bar.ts'
import { stageOfFile, test, tolerate } from './harness.ts'
import { hold } from './reports.ts'

const stage = stageOfFile()
const clerk = stage.as('clerk')

const newInvoice = () => draftSales(clerk, 'trade.sales_invoice')

/** Adds elements about an invoice to the page. */
async function add(page: Page, tags: readonly string[], id: string): Promise<void> {
  await page.evaluate(
    ({ tags, target }) => {
      const session = document.querySelector('vk-toasts')?.session
      const action = { actionCode: 'post', label: 'Post' }
      const properties = { session, target, documentType: target.typeCode, documentId: target.id, ...action }
      for (const tag of tags) document.body.append(Object.assign(document.createElement(tag), properties))
    },
    { tags, target: { kind: 'Document', typeCode: 'trade.sales_invoice', id } },
  )
}

test.each([
  ['vk-notes', 'New note', '/items'],
  ['vk-users', 'Invite', '/administration/users'],
  ['vk-roles', 'Add a role', '/administration/roles'],
] as const)(
  '%s shows that the rights could not be loaded, until the user tries again',
  async (tag, control, path) => {
    const page = await stage.signIn('manager', path)
    tolerate(page, /500 \(Internal Server Error\)/)
    const element = page.locator(tag)
    if (tag === 'vk-notes') await add(page, [tag], (await newInvoice()).id)
    else await element.getByRole('listitem').first().waitFor()
    const access = '**/api/security/me/access'
    await page.route(access, (route) => route.fulfill({ status: 500, json: { code: 'internal' } }))
    // The demo has loaded the rights of its own session.
    await element.evaluate((one: HTMLElementTagNameMap[typeof tag]) => {
      if (one.session !== undefined) one.session = { ...one.session }
    })
    await element.getByText('Could not load this content.').waitFor()
    const changing = element.getByRole(tag === 'vk-notes' ? 'textbox' : 'button', { name: control })
    expect(await changing.count()).toBe(0)
    await page.unroute(access)
    await element.getByRole('button', { name: 'Try again' }).click()
    await changing.waitFor()
  },
)

test.each(['the user tries again', 'the network returns'])(
  'notes and files show that the features could not be loaded, until %s',
  async (event) => {
    const { id } = await newInvoice()
    const page = await stage.open()
    tolerate(page, /500 \(Internal Server Error\)/)
    await page.route('**/api/features', (route) =>
      route.fulfill({ status: 500, json: { code: 'internal', detail: 'Something went wrong.' } }),
    )
    await page.locator('[data-user="clerk"]').click()
    await page.getByLabel('Password').fill('demo')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.locator('demo-frame').waitFor()
    await add(page, ['vk-notes', 'vk-attachments'], id)
    const [notes, files] = [page.locator('vk-notes'), page.locator('vk-attachments')]
    for (const panel of [notes, files])
      await panel.getByRole('alert').getByText('Could not load this content.').waitFor()
    await page.unroute('**/api/features')
    if (event === 'the network returns') await page.evaluate(() => dispatchEvent(new Event('online')))
    else await notes.getByRole('button', { name: 'Try again' }).click()
    await notes.getByText('No notes yet').waitFor()
    await files.getByRole('button', { name: 'Choose files' }).waitFor()
    expect(await page.getByRole('button', { name: 'Try again' }).count()).toBe(0)
  },
)

test.each([
  ['/team', 'vk-team-tasks', '^/api/work-center/(team|supervision)'],
  ['/work-center', 'vk-work-center', '^/api/work-center/items'],
  ['/preferences', 'vk-preferences', '^/api/.*preferences'],
  ['/administration/status', 'vk-status', '^/health'],
])('the focus stays in the element at %s after another attempt', async (path, tag, api) => {
  const page = await stage.signIn('manager', '/items')
  tolerate(page, /500 \(Internal Server Error\)/)
  const fail = (url: URL) => url.pathname !== path && new RegExp(api).test(url.pathname)
  await page.route(fail, (route) => route.fulfill({ status: 500, json: { code: 'internal' } }))
  // A connection to the hub would load the list before the user does.
  await page.route('**/hubs/work-center/negotiate*', () => {})
  await page.goto(stage.demo.url + path)
  const element = page.locator(tag)
  const retry = element.getByRole('button', { name: 'Try again' })
  await retry.waitFor()
  await page.unroute(fail)
  await retry.press('Enter')
  await retry.waitFor({ state: 'detached' })
  await element.getByRole('status', { name: 'Loading' }).waitFor({ state: 'detached' })
  expect(await element.evaluate((one) => one.matches(':focus-within'))).toBe(true)
})

test.each([
  ['/team', 'vk-team-tasks', /api\/work-center\/team\?/],
  ['/work-center', 'vk-work-center', /api\/work-center\/items/],
  ['/administration/outbox', 'vk-outbox', /api\/system\/outbox\/dead-letters/],
])(
  'the button to try again at %s keeps the focus while its list is loaded again by itself',
  async (path, tag, api) => {
    const page = await stage.signIn('manager', '/items')
    tolerate(page, /500 \(Internal Server Error\)/)
    // A connection to the hub would load the list at any time.
    await page.route('**/hubs/work-center/negotiate*', () => {})
    const held = await hold(page, api)
    const fail = { status: 500, json: { code: 'internal' } }
    await page.clock.install()
    await page.goto(stage.demo.url + path)
    await expect.poll(() => held.length).toBe(1)
    await held[0]?.fulfill(fail)
    const element = page.locator(tag)
    const retry = element.getByRole('button', { name: 'Try again' })
    await retry.focus()
    for (const count of [2, 3]) {
      await page.clock.fastForward(31_000)
      await expect.poll(() => held.length).toBe(count)
      expect(await retry.evaluate((one) => one.matches(':focus'))).toBe(true)
      if (count === 2) await held[1]?.fulfill(fail)
    }
    await held[2]?.continue()
    await retry.waitFor({ state: 'detached' })
    expect(await element.evaluate((one) => one.matches(':focus-within'))).toBe(true)
  },
)

/** Makes the page reject with this error when it collects a payload. */
const reject = (page: Page, tag: 'vk-document-actions' | 'vk-take-action', error: object): Promise<void> =>
  page.locator(tag).evaluate((element: HTMLElementTagNameMap[typeof tag], properties) => {
    element.collectPayload = () => Promise.reject(Object.assign(new Error('No form.'), properties))
  }, error)

const problem = {
  name: 'KitError',
  code: 'client.unreachable',
  status: 0,
  errors: [],
  context: {},
  requestId: null,
}

test('the bar shows a failure to collect the payload, and the next attempt works', async () => {
  const page = await stage.signIn('clerk', '/items')
  await add(page, ['vk-document-actions'], (await newInvoice()).id)
  tolerate(page, /No form\./)
  await reject(page, 'vk-document-actions', {})
  const reported = page.waitForEvent('pageerror')
  await button(page, 'Post').click()
  const alert = bar(page).getByRole('alert')
  await alert.getByText('“Post” failed.').waitFor()
  expect((await reported).message).toBe('No form.')
  await alert.getByRole('button', { name: 'Close' }).click()
  await alert.waitFor({ state: 'detached' })

  await reject(page, 'vk-document-actions', problem)
  await button(page, 'Post').click()
  // Nothing was sent, so the outcome is known.
  await alert.getByText('“Post” failed.').waitFor()
  await alert.getByText('The service cannot be reached.').waitFor()
  await page
    .locator('vk-document-actions')
    .evaluate((element: HTMLElementTagNameMap['vk-document-actions']) => {
      element.collectPayload = undefined
    })
  await button(page, 'Post').click()
  await done(page, 'Post')
})

test('the button of an action shows a failure to collect the payload', async () => {
  const page = await stage.signIn('clerk', '/items')
  await add(page, ['vk-take-action'], (await newInvoice()).id)
  const action = page.locator('vk-take-action')
  await reject(page, 'vk-take-action', problem)
  await action.getByRole('button', { name: 'Post' }).click()
  await action.getByRole('alert').getByText('The service cannot be reached.').waitFor()
})

test('the reason of an action is kept after a refusal', async () => {
  const page = await stage.signIn('clerk', '/items')
  tolerate(page, /409 \(Conflict\)/)
  await add(page, ['vk-take-action'], (await postedInvoice(clerk)).id)
  const action = page.locator('vk-take-action')
  await action.evaluate((one) => Object.assign(one, { actionCode: 'trade.write_off' }))
  const refuse = '**/actions/trade.write_off'
  await page.route(refuse, (route) =>
    route.fulfill({ status: 409, json: { code: 'documents.version_conflict', detail: 'Changed.' } }),
  )
  await action.getByRole('button', { name: 'Post' }).click()
  await action.getByLabel('Reason').fill('Insolvent')
  await action.getByRole('dialog').getByRole('button', { name: 'Write off' }).click()
  await action.getByRole('alert').waitFor()
  await page.unroute(refuse)
  // After a conflict, the element loads the document again, and ignores clicks until then.
  await expect
    .poll(async () => {
      await action.evaluate((one: HTMLElementTagNameMap['vk-take-action']) => void one.take())
      return action.getByLabel('Reason').isVisible()
    })
    .toBe(true)
  expect(await action.getByLabel('Reason').inputValue()).toBe('Insolvent')
})

test('the page learns what an element has done that it has removed before the answer', async () => {
  const { id } = await newInvoice()
  const page = await stage.signIn('clerk', '/items')
  await add(page, ['vk-notes'], id)
  const notes = page.locator('vk-notes')
  const { promise: removed, resolve } = Promise.withResolvers<void>()
  await page.route('**/api/notes', async (route) => {
    await removed
    await route.continue()
  })
  const kind = page.evaluate(
    () => new Promise((done) => document.addEventListener('vk-done', ({ detail }) => done(detail.kind))),
  )
  await notes.getByRole('textbox', { name: 'New note' }).fill('Last words')
  const sending = page.waitForRequest('**/api/notes')
  await notes.getByRole('button', { name: 'Add note' }).click()
  await sending
  await notes.evaluate((one) => one.remove())
  resolve()
  expect(await kind).toBe('noteAdded')
})

test('the bar measures its buttons after an update, not during it', async () => {
  const page = await openDocument(stage, await newInvoice())
  const element = page.locator('vk-document-actions')
  const isComplete = await element.evaluate(async (one: HTMLElementTagNameMap['vk-document-actions']) => {
    Object.assign(one, { fitting: 0 })
    // False if the element has changed a property during the update, which Lit reports in development.
    return one.updateComplete
  })
  expect(isComplete).toBe(true)
  await button(page, 'Post').waitFor()
})
