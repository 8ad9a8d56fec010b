import { expect } from 'vitest'
import { act } from '../actions.ts'
import { expectAnswer } from '../answers.ts'
import { draftSales } from '../trade/actions/documents.ts'
import { expectNoSeriousViolations, stageOfFile, test, tolerate } from './harness.ts'

const stage = stageOfFile()

test('a page that prevents vk-show keeps the message about the change', async () => {
  const document = await draftSales(stage.as('clerk'), 'trade.sales_invoice')
  const page = await stage.signIn('clerk', `/sales-invoices/${document.id}`)
  const live = page.locator('vk-live-object')
  await live.locator('[role=status][aria-busy=false]').waitFor({ state: 'attached' })
  await act(stage.as('clerk2'), document, 'post')
  const show = live.getByRole('button', { name: 'Show' })
  await show.waitFor()
  // This listener runs before those of the page.
  await page.evaluate(() => {
    window.addEventListener(
      'vk-show',
      (event) => {
        event.preventDefault()
        event.stopPropagation()
        globalThis.document.documentElement.dataset['shown'] = event.detail.id
      },
      { capture: true, once: true },
    )
  })
  await show.click()
  expect(await page.locator('html').getAttribute('data-shown')).toBe(document.id)
  expect(await show.count()).toBe(1)
  await page.getByText('Draft', { exact: true }).first().waitFor()
  await show.click()
  await page.getByText('Posted', { exact: true }).first().waitFor()
  await show.waitFor({ state: 'detached' })
})

test('a change is shown, not loaded, if the first question about changes has failed', async () => {
  const document = await draftSales(stage.as('clerk'), 'trade.sales_invoice')
  const page = await stage.signIn('clerk', '/sales-invoices')
  tolerate(page, /500 \(Internal Server Error\)/)
  const failed = page.waitForResponse((response) => response.url().includes('/api/audit/events'))
  await page.route('**/api/audit/events*', (route) =>
    route.fulfill({ status: 500, json: { code: 'internal' } }),
  )
  await page.goto(`${stage.demo.url}/sales-invoices/${document.id}`)
  await failed
  await page.getByText('Draft', { exact: true }).first().waitFor()
  // Until the change, each question fails, also the one at the beginning of the subscription.
  await act(stage.as('clerk2'), document, 'post')
  await page.unroute('**/api/audit/events*')
  await page.evaluate(`document.dispatchEvent(new Event('visibilitychange'))`)
  await page.locator('vk-live-object').getByRole('button', { name: 'Show' }).waitFor()
  await page.getByText('Draft', { exact: true }).first().waitFor()
})

test('a change that could not be loaded leaves no actions next to the old values, and can be loaded again', async () => {
  const document = await draftSales(stage.as('clerk'), 'trade.sales_invoice')
  const page = await stage.signIn('clerk', `/sales-invoices/${document.id}`)
  tolerate(page, /500 \(Internal Server Error\)/)
  const actions = page.locator('vk-document-actions')
  await actions.getByRole('button', { name: 'Post', exact: true }).waitFor()
  const body = { fields: { ...document.payload.fields, dueDate: '2031-01-02' } }
  const path = `/api/documents/trade.sales_invoice/${document.id}`
  await expectAnswer(stage.as('clerk2')('PUT', path, { body }), 200)
  const show = page.locator('vk-live-object').getByRole('button', { name: 'Show' })
  await show.waitFor()
  await page.route('**/editor-state', (route) => route.fulfill({ status: 500, body: 'broken' }))
  await show.click()
  const outdated = page.getByRole('alert').filter({ hasText: 'What you see may be outdated.' })
  await outdated.waitFor()
  await actions.waitFor({ state: 'detached' })
  await expectNoSeriousViolations(page)
  await page.unroute('**/editor-state')
  await outdated.getByRole('button', { name: 'Try again' }).click()
  await actions.getByRole('button', { name: 'Post', exact: true }).waitFor()
  expect(await page.getByLabel('Due date').inputValue()).toBe('2031-01-02')
  expect(await outdated.count()).toBe(0)
})

test('a change is shown although every question after its announcement has failed', async () => {
  const document = await draftSales(stage.as('clerk'), 'trade.sales_invoice')
  const page = await stage.signIn('clerk', '/sales-invoices')
  await page.clock.install()
  await page.goto(`${stage.demo.url}/sales-invoices/${document.id}`)
  const live = page.locator('vk-live-object')
  await live.locator('[role=status][aria-busy=false]').waitFor({ state: 'attached' })
  tolerate(page, /503 \(Service Unavailable\)/)
  let failedCount = 0
  await page.route('**/api/audit/events*', async (route) => {
    await route.fulfill({ status: 503, json: { code: 'service.unavailable' } })
    failedCount += 1
  })
  await act(stage.as('clerk2'), document, 'post')
  // The hub announces the change, and repeats it at its next check. The client sends each question four times.
  await expect.poll(() => failedCount).toBeGreaterThanOrEqual(8)
  await page.unroute('**/api/audit/events*')
  await page.clock.fastForward(10_000)
  await live.getByRole('button', { name: 'Show' }).waitFor()
})

test('many own events do not remove the message about the change of another user', async () => {
  const document = await draftSales(stage.as('clerk'), 'trade.sales_invoice')
  const page = await stage.signIn('clerk', `/sales-invoices/${document.id}`)
  const live = page.locator('vk-live-object')
  await live.locator('[role=status][aria-busy=false]').waitFor({ state: 'attached' })
  await act(stage.as('clerk2'), document, 'post')
  const show = live.getByRole('button', { name: 'Show' })
  await show.waitFor()
  const target = { kind: 'Document', typeCode: document.typeCode, id: document.id }
  for (let n = 1; n <= 20; n += 1) {
    await expectAnswer(stage.as('clerk')('POST', '/api/notes', { body: { target, text: `Note ${n}` } }), 201)
  }
  await page.getByRole('button', { name: 'Notes: 20' }).waitFor()
  const asked = page.waitForResponse((response) => response.url().includes('/api/audit/events'))
  await page.evaluate(`document.dispatchEvent(new Event('visibilitychange'))`)
  await asked
  await show.click()
  await page.getByText('Posted', { exact: true }).first().waitFor()
})

test("the user's own newer note does not hide the change of another user", async () => {
  const document = await draftSales(stage.as('clerk'), 'trade.sales_invoice')
  const page = await stage.signIn('clerk', `/sales-invoices/${document.id}`)
  const live = page.locator('vk-live-object')
  await live.locator('[role=status][aria-busy=false]').waitFor({ state: 'attached' })
  const { promise: bothHappened, resolve: release } = Promise.withResolvers<void>()
  await page.route('**/api/audit/events*', async (route) => {
    await bothHappened
    await route.continue()
  })
  await act(stage.as('clerk2'), document, 'post')
  const target = { kind: 'Document', typeCode: document.typeCode, id: document.id }
  await expectAnswer(
    stage.as('clerk')('POST', '/api/notes', { body: { target, text: 'From my phone' } }),
    201,
  )
  release()
  await live.getByRole('button', { name: 'Show' }).waitFor()
})

test('a change by another user does not move the actions', async () => {
  const document = await draftSales(stage.as('clerk'), 'trade.sales_invoice')
  const page = await stage.signIn('clerk', `/sales-invoices/${document.id}`)
  const live = page.locator('vk-live-object')
  await live.locator('[role=status][aria-busy=false]').waitFor({ state: 'attached' })
  const actions = page.locator('vk-document-actions')
  await actions.getByRole('button').first().waitFor()
  const before = await actions.boundingBox()
  await act(stage.as('clerk2'), document, 'post')
  await live.getByRole('button', { name: 'Show' }).waitFor()
  expect((await actions.boundingBox())?.y).toBe(before?.y)
})
