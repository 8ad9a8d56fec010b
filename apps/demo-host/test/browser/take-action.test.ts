import type { YourTasks } from '@vertical-kit/ui-client/elements'
import { expect } from 'vitest'
import { act, editorState } from '../actions.ts'
import { draftSales, postedInvoice } from '../trade/actions/documents.ts'
import { bar, button, confirm, dialog, done, inMore, openDocument } from './action-bar.ts'
import { expectNoSeriousViolations, screenshot, stageOfFile, test, tolerate } from './harness.ts'

const stage = stageOfFile()
const clerk = stage.as('clerk')

const postedOrder = async () =>
  (await act(clerk, await draftSales(clerk, 'trade.sales_order'), 'post')).document

test('a confirmation shows what will happen, and cancelling changes nothing', async () => {
  const invoice = await postedInvoice(clerk)
  const page = await openDocument(stage, invoice)
  await button(page, 'Unpost').click()
  await dialog(page).getByText('Status: Posted → Draft').waitFor()
  await expectNoSeriousViolations(page)
  await screenshot(page, 'document-action-preview')
  await confirm(page, 'Cancel')
  expect(await editorState(clerk, invoice)).toMatchObject({ documentVersion: 2 })

  await (await inMore(page, 'Write off')).click()
  await dialog(page).getByText('Accounting entries afterwards: 4').waitFor()
  await dialog(page).getByLabel('Reason').fill('Insolvent')
  await confirm(page, 'Write off')
  await done(page, 'Write off')
})

test('the buttons of a confirmation do not move when the preview appears', async () => {
  const page = await openDocument(stage, await postedInvoice(clerk))
  const held = Promise.withResolvers<void>()
  await page.route('**/actions/unpost?dryRun=true', async (route) => {
    await held.promise
    await route.continue()
  })
  await button(page, 'Unpost').click()
  const cancel = dialog(page).getByRole('button', { name: 'Cancel' })
  const before = await cancel.boundingBox()
  held.resolve()
  await dialog(page).getByText('Status: Posted → Draft').waitFor()
  expect(await cancel.boundingBox()).toEqual(before)
})

test('a disabled action shows what would lift the reason, and the roles to users who may view them', async () => {
  const order = await draftSales(clerk, 'trade.sales_order')
  const page = await openDocument(stage, order, { user: 'manager' })
  await inMore(page, 'Create invoice')
  await bar(page).getByText('The order is not posted. Post the order first.').waitFor()
  await bar(page).getByText('Roles that can do this: Administrator, Clerk').first().waitFor()
  await expectNoSeriousViolations(page)
})

test('the primary action of a task runs from the Work Center, and the page shows the created document', async () => {
  const order = await postedOrder()
  const page = await stage.signIn('clerk', '/work-center')
  const task = page.getByRole('listitem').filter({ hasText: order.number })
  await task.getByRole('button', { name: /^Take action: / }).waitFor()
  await expectNoSeriousViolations(page)
  await screenshot(page, 'work-center-take-action')
  await task.getByRole('button', { name: /^Take action: / }).click()
  await page.waitForURL(/\/sales-invoices\/[\da-f-]{36}$/)
  expect(await editorState(clerk, order)).toMatchObject({ documentVersion: 3 })
})

test('the page of a document shows the task that follows an action, without a reload', async () => {
  const page = await openDocument(stage, await draftSales(clerk, 'trade.sales_invoice'))
  await button(page, 'Post').click()
  await page
    .getByRole('list', { name: 'Your tasks' })
    .getByText(/^Your task: /)
    .waitFor()
})

test('the tasks of a document stay if they cannot be loaded again', async () => {
  const page = await openDocument(stage, await postedOrder())
  const tasks = page.getByRole('list', { name: 'Your tasks' })
  await tasks.waitFor()
  tolerate(page, /500 \(Internal Server Error\)/)
  await page.route('**/api/work-center/items?*', (route) =>
    route.fulfill({ status: 500, json: { code: 'internal' } }),
  )
  const status = await page.locator('vk-your-tasks').evaluate(async (element: YourTasks) => {
    await element.store?.load()
    await element.updateComplete
    return element.store?.$state.get().status
  })
  expect(status).toBe('failed')
  expect(await tasks.count()).toBe(1)
})

test('the page of a document shows its task, and its action runs once although a response is lost', async () => {
  const order = await postedOrder()
  const page = await openDocument(stage, order)
  const tasks = page.getByRole('list', { name: 'Your tasks' })
  await tasks.getByText(/^Your task: /).waitFor()
  await expectNoSeriousViolations(page)
  const keys: (string | undefined)[] = []
  tolerate(page, /ERR_CONNECTION_RESET/)
  await page.route('**/actions/trade.create_invoice', async (route) => {
    keys.push(route.request().headers()['idempotency-key'])
    if (keys.length > 1) return route.continue()
    await route.fetch()
    return route.abort('connectionreset')
  })
  await tasks.getByRole('button', { name: /^Take action: / }).click()
  await page.waitForURL(/\/sales-invoices\/[\da-f-]{36}$/)
  expect(new Set(keys).size).toBe(1)
  expect(keys.length).toBeGreaterThan(1)
  expect(await editorState(clerk, order)).toMatchObject({ documentVersion: 3 })
})
