import { describe, expect } from 'vitest'
import { act, type Document, editorState, effects } from '../actions.ts'
import { draftSales, postedInvoice, postedPayment } from '../trade/actions/documents.ts'
import { targetQuery } from '../uploads.ts'
import { bar, button, confirm, dialog, done, inMore, openDocument, openFollowed } from './action-bar.ts'
import { expectNoSeriousViolations, screenshot, stageOfFile, test, tolerate } from './harness.ts'

const stage = stageOfFile()
const clerk = stage.as('clerk')

describe('the loss of a response to an action', () => {
  test('causes a message about the unknown outcome, and trying again succeeds without a second execution', async () => {
    const payment = await postedPayment(clerk, await postedInvoice(clerk), '20.00')
    const page = await openDocument(stage, payment)
    tolerate(page, /ERR_FAILED/)
    const keys = new Set<string | undefined>()
    await page.route('**/actions/*', async (route) => {
      keys.add(route.request().headers()['idempotency-key'])
      await route.fetch()
      await route.abort()
    })
    await button(page, 'Apply payment').click()
    await dialog(page).getByLabel('Amount').fill('5.00')
    await confirm(page, 'Apply payment')
    const alert = bar(page).getByRole('alert')
    await alert.getByText('It may or may not have succeeded').waitFor()
    await expectNoSeriousViolations(page)
    await screenshot(page, 'document-action-uncertain')
    await page.unrouteAll()
    page.on('request', (request) => keys.add(request.headers()['idempotency-key'] ?? [...keys][0]))
    await alert.getByRole('button', { name: 'Try again' }).click()
    await done(page, 'Apply payment')
    await alert.waitFor({ state: 'detached' })
    expect(keys.size).toBe(1)
    expect((await effects(clerk, payment)).accountingEntries).toHaveLength(4)
    expect(await auditCount(payment, 'trade.apply_payment')).toBe(1)
  })

  test('causes one retry without a message to the user', async () => {
    const invoice = await draftSales(clerk, 'trade.sales_invoice')
    const page = await openDocument(stage, invoice)
    tolerate(page, /ERR_FAILED/)
    await page.route(
      '**/actions/*',
      async (route) => {
        await route.fetch()
        await route.abort()
      },
      { times: 1 },
    )
    await button(page, 'Post').click()
    await done(page, 'Post')
    expect(await auditCount(invoice, 'post')).toBe(1)
  })
})

test('the refusal of an action is shown as a message if the user has left the document', async () => {
  const invoice = await draftSales(clerk, 'trade.sales_invoice')
  const page = await openDocument(stage, invoice)
  tolerate(page, /409 \(Conflict\)/)
  const left = Promise.withResolvers<void>()
  await page.route(
    '**/actions/*',
    async (route) => {
      await left.promise
      await route.continue()
    },
    { times: 1 },
  )
  const sent = page.waitForRequest('**/actions/*')
  await button(page, 'Post').click()
  await sent
  await act(clerk, invoice, 'post')
  await page.getByRole('link', { name: 'Work Center' }).click()
  await page.locator('vk-work-center').waitFor()
  left.resolve()
  await page.locator('vk-toasts [part=toast]').getByText('“Post” failed.').waitFor()
})

async function auditCount({ typeCode, id }: Document, actionCode: string): Promise<number> {
  const response = await clerk('GET', `/api/audit/events?${targetQuery({ kind: 'Document', typeCode, id })}`)
  const { items } = (await response.json()) as { items: { actionCode: string }[] }
  return items.filter((event) => event.actionCode === actionCode).length
}

describe('an action on an outdated page', () => {
  test('is not executed, and the page shows the conflict and the current document', async () => {
    const invoice = await draftSales(clerk, 'trade.sales_invoice')
    const page = await openFollowed(stage, invoice)
    tolerate(page, /409 \(Conflict\)/)
    await act(await stage.demo.as('clerk2'), invoice, 'post')
    await (await inMore(page, 'Mark for deletion')).click()
    await confirm(page, 'Mark for deletion')
    const alert = bar(page).getByRole('alert')
    await alert.getByText('The document changed after it was loaded.').waitFor()
    await alert.getByText(/Carl Clerk. posted this (just now|\d+ minutes? ago)/).waitFor()
    await alert.getByText('The document has been refreshed. Review it and try again.').waitFor()
    expect(await (await inMore(page, 'Post')).getAttribute('aria-disabled')).toBe('true')
    await page.keyboard.press('Escape')
    await page.getByText('Posted', { exact: true }).first().waitFor()
    expect((await editorState(clerk, invoice)).document.status).toBe('Posted')
    await alert.getByRole('button', { name: 'Close' }).click()
    await alert.waitFor({ state: 'detached' })
    await button(page, 'Unpost').click()
    await confirm(page, 'Unpost')
    await done(page, 'Unpost')
  })

  test('does not claim a refresh that has failed', async () => {
    const invoice = await draftSales(clerk, 'trade.sales_invoice')
    const page = await openFollowed(stage, invoice)
    tolerate(page, /409 \(Conflict\)|500 \(Internal Server Error\)/)
    await act(await stage.demo.as('clerk2'), invoice, 'post')
    await (await inMore(page, 'Mark for deletion')).click()
    await page.route('**/editor-state', (route) => route.fulfill({ status: 500, json: { code: 'internal' } }))
    await confirm(page, 'Mark for deletion')
    const alerts = bar(page).getByRole('alert')
    await alerts.getByText('The document changed after it was loaded.').waitFor()
    await alerts.getByRole('button', { name: 'Try again' }).waitFor()
    expect(await alerts.getByText('The document has been refreshed.').count()).toBe(0)
    await page.unroute('**/editor-state')
    await alerts.getByRole('button', { name: 'Try again' }).click()
    await alerts.getByText('The document has been refreshed.').waitFor()
  })

  test('fails, and the dialog keeps the entered reason for the next attempt', async () => {
    const invoice = await postedInvoice(clerk)
    const page = await openFollowed(stage, invoice)
    tolerate(page, /409 \(Conflict\)/)
    await act(clerk, invoice, 'repost')
    await (await inMore(page, 'Write off')).click()
    await dialog(page).getByLabel('Reason').fill('The customer is insolvent.')
    await confirm(page, 'Write off')
    await bar(page).getByRole('alert').waitFor()
    await (await inMore(page, 'Write off')).click()
    expect(await dialog(page).getByLabel('Reason').inputValue()).toBe('The customer is insolvent.')
    await confirm(page, 'Write off')
    await done(page, 'Write off')
  })
})
