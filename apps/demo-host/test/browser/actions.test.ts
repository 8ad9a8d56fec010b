import type { Page } from 'playwright-core'
import { describe, expect } from 'vitest'
import { act, type Document, editorState, effects } from '../actions.ts'
import { draft, draftSales, postedInvoice, postedPayment } from '../trade/actions/documents.ts'
import { accessibleDescription } from './accessible-description.ts'
import { bar, button, confirm, dialog, done, inMore, openDocument } from './action-bar.ts'
import { expectNoSeriousViolations, screenshot, stageOfFile, test, tolerate } from './harness.ts'

const stage = stageOfFile()
const clerk = stage.as('clerk')

const statusOf = async (document: Document): Promise<string> =>
  (await editorState(clerk, document)).document.status

describe('a clerk', () => {
  test('can post, repost and unpost an invoice, mark it for deletion and remove the mark', async () => {
    const invoice = await draftSales(clerk, 'trade.sales_invoice')
    const page = await openDocument(stage, invoice)
    await screenshot(page, 'document-actions')
    await button(page, 'Post').click()
    await done(page, 'Post')
    expect(await statusOf(invoice)).toBe('Posted')

    await button(page, 'Post again').click()
    await confirm(page, 'Post again')
    await done(page, 'Post again')

    await button(page, 'Unpost').click()
    await confirm(page, 'Cancel')
    expect(await statusOf(invoice)).toBe('Posted')
    await button(page, 'Unpost').click()
    await confirm(page, 'Unpost')
    await done(page, 'Unpost')

    await (await inMore(page, 'Mark for deletion')).click()
    await confirm(page, 'Mark for deletion')
    await done(page, 'Mark for deletion')
    expect(await statusOf(invoice)).toBe('MarkedForDeletion')
    await button(page, 'Restore').click()
    await done(page, 'Restore')
    await page.getByRole('region', { name: 'Messages' }).getByText('Restored. Next: Post.').waitFor()
    expect(await statusOf(invoice)).toBe('Draft')
    expect((await editorState(clerk, invoice)).documentVersion).toBe(6)
  })

  test('can create an invoice from an order, and the page then shows the invoice', async () => {
    const order = await draftSales(clerk, 'trade.sales_order')
    await act(clerk, order, 'post')
    const page = await openDocument(stage, order)
    await button(page, 'Create invoice').click()
    await page.waitForURL(/\/sales-invoices\/[\da-f-]{36}$/)
    await button(page, 'Post').waitFor()
  })

  test('can apply part of a payment', async () => {
    const invoice = await postedInvoice(clerk)
    const payment = await postedPayment(clerk, invoice, '20.00')
    const page = await openDocument(stage, payment)
    await button(page, 'Apply payment').click()
    await dialog(page).getByLabel('Amount').fill('7.50')
    await confirm(page, 'Apply payment')
    await done(page, 'Apply payment')
    expect((await effects(clerk, payment)).accountingEntries).toMatchObject([
      {},
      {},
      { debit: '7.50' },
      { credit: '7.50' },
    ])

    await button(page, 'Apply payment').click()
    await dialog(page).getByLabel('Amount').fill('100.00')
    tolerate(page, /409 \(Conflict\)/)
    await confirm(page, 'Apply payment')
    await bar(page)
      .getByRole('alert')
      .getByText(/^At most \d+\.\d\d can be applied: the unapplied part of the payment/)
      .waitFor()

    await button(page, 'Apply payment').click()
    await dialog(page).press('Escape')
    expect((await effects(clerk, payment)).accountingEntries).toHaveLength(4)
  })

  test('can write an invoice off only with a reason of valid length', async () => {
    const invoice = await postedInvoice(clerk)
    const page = await openDocument(stage, invoice)
    await (await inMore(page, 'Write off')).click()
    await dialog(page).getByLabel('Reason').fill(' \n ')
    await confirm(page, 'Write off')
    await dialog(page).getByRole('alert').getByText('Enter a reason.').waitFor()
    await dialog(page).getByLabel('Reason').fill('😀'.repeat(1001))
    await confirm(page, 'Write off')
    await dialog(page).getByRole('alert').getByText('no more than 1,000 characters').waitFor()
    await expectNoSeriousViolations(page)
    await screenshot(page, 'document-action-reason')
    await dialog(page).getByLabel('Reason').fill('😀'.repeat(1000))
    await confirm(page, 'Write off')
    await done(page, 'Write off')
    expect((await effects(clerk, invoice)).accountingEntries).toHaveLength(4)
  })

  test('can open the customer of an invoice', async () => {
    const invoice = await draftSales(clerk, 'trade.sales_invoice')
    const page = await openDocument(stage, invoice)
    await button(page, 'Open customer').click()
    await page.waitForURL(`**/customers/${invoice.payload.fields['customerId']}`)
  })

  test('can post a journal entry only if its debits and credits are equal', async () => {
    const entry = (debit: string) =>
      draft(clerk, 'general_journal_entry', {
        entries: [
          { account: '6000 Rent', debit, credit: '0.00' },
          { account: '1000 Bank', debit: '0.00', credit: '10.00' },
        ],
      })
    const page = await openDocument(stage, await entry('10.00'))
    await button(page, 'Post').click()
    await done(page, 'Post')
    const unbalanced = await openDocument(stage, await entry('1.00'))
    expect(await (await inMore(unbalanced, 'Post')).getAttribute('aria-disabled')).toBe('true')
    await bar(unbalanced).getByText('Total debits and total credits must be equal').waitFor()
  })
})

describe('an unavailable action', () => {
  test('is in the menu with its reason as text, which describes it to screen readers', async () => {
    const page = await openDocument(stage, await draftSales(clerk, 'trade.sales_invoice'))
    expect(await button(page, 'Unpost').count()).toBe(0)
    const unpost = await inMore(page, 'Unpost')
    expect(await unpost.getAttribute('aria-disabled')).toBe('true')
    await bar(page).getByText('The document is not posted.').first().waitFor()
    await screenshot(page, 'document-action-reasons')
    // Resizing for a screenshot closes the menu.
    await inMore(page, 'Unpost')
    await expectNoSeriousViolations(page)
    await tabTo(page, 'Unpost')
    expect(await unpost.evaluate((one) => one.matches(':focus-visible'))).toBe(true)
    await page.keyboard.press('Enter')
    expect(await dialog(page).count()).toBe(0)
    expect(await unpost.isVisible()).toBe(true)
    expect(await accessibleDescription(page, unpost)).toContain('The document is not posted.')
  })

  test('shows its reason on touch screens', async () => {
    const page = await openDocument(stage, await draftSales(clerk, 'trade.sales_invoice'), { hasTouch: true })
    await bar(page).getByRole('button', { name: 'More actions' }).tap()
    const reason = bar(page).getByText('The document is not posted.').first()
    await reason.waitFor()
    // Without `force`, Playwright would wait until the button is enabled.
    await button(page, 'Unpost').tap({ force: true })
    expect(await reason.isVisible()).toBe(true)
    await page.touchscreen.tap(5, 400)
    await reason.waitFor({ state: 'hidden' })
  })
})

describe('the action bar', () => {
  test('shows the next step first and at most three buttons, and dangerous actions only in the menu', async () => {
    const names = async (page: Page) =>
      (await bar(page).locator('.bar > button').allInnerTexts()).map((text) => text.trim())
    const draft = await openDocument(stage, await draftSales(clerk, 'trade.sales_invoice'))
    await expect.poll(() => names(draft)).toEqual(['Post', 'Open customer', 'More'])
    expect(await bar(draft).locator('.bar > .primary svg').count()).toBe(1)

    const posted = await openDocument(stage, await postedInvoice(clerk))
    await expect.poll(() => names(posted)).toEqual(['Unpost', 'Post again', 'Open customer', 'More'])
    await inMore(posted, 'Write off')
    const items = await bar(posted).locator('.menu li button').allInnerTexts()
    expect(items.map((text) => text.trim())).toEqual(['Write off', 'Post', 'Mark for deletion', 'Restore'])
    await expectNoSeriousViolations(posted)
  })

  test('states the main reason if no action is available', async () => {
    await grantOnlyPosting('outsider')
    const page = await openDocument(stage, await postedInvoice(clerk), { user: 'outsider' })
    await bar(page).getByText('No action is available now. The document is already posted.').waitFor()
    expect(await bar(page).getByRole('button').allInnerTexts()).toEqual(['More'])
    await inMore(page, 'Post')
    await expectNoSeriousViolations(page)
  })

  test('can be used with only the keyboard at 360 pixels, where the menu "More actions" contains most actions', async () => {
    const invoice = await draftSales(clerk, 'trade.sales_invoice')
    const page = await openDocument(stage, invoice, { viewport: { width: 360, height: 740 } })
    const more = bar(page).getByRole('button', { name: 'More actions' })
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360)
    await more.focus()
    await page.keyboard.press('Enter')
    await button(page, 'Mark for deletion').waitFor()
    await bar(page).getByText('The document is not posted.').first().waitFor()
    await expectNoSeriousViolations(page)
    await page.keyboard.press('Escape')
    await button(page, 'Mark for deletion').waitFor({ state: 'hidden' })
    expect(await more.evaluate((one) => one.matches(':focus'))).toBe(true)
    await page.keyboard.press('Enter')
    await tabTo(page, 'Mark for deletion')
    await page.keyboard.press('Enter')
    await dialog(page).waitFor()
    await tabTo(page, 'Mark for deletion')
    await page.keyboard.press('Enter')
    await done(page, 'Mark for deletion')
    // The focus stays in the bar, so the user can continue with the next action.
    await expect
      .poll(() =>
        page.evaluate(() => document.querySelector('vk-document-actions')?.matches(':focus-within')),
      )
      .toBe(true)
  })

  test('returns the focus to "More" when Escape closes the menu', async () => {
    const invoice = await draftSales(clerk, 'trade.sales_invoice')
    const page = await openDocument(stage, invoice, { viewport: { width: 360, height: 740 } })
    const more = bar(page).getByRole('button', { name: 'More actions' })
    const item = button(page, 'Mark for deletion')
    const isFocused = () => more.evaluate((one) => one.matches(':focus'))
    for (const open of [() => more.press('Enter'), () => more.click()]) {
      await open()
      await item.waitFor()
      await page.keyboard.press('Escape')
      await item.waitFor({ state: 'hidden' })
      expect(await isFocused()).toBe(true)
      await open()
      await tabTo(page, 'Mark for deletion')
      await page.keyboard.press('Escape')
      await item.waitFor({ state: 'hidden' })
      expect(await isFocused()).toBe(true)
    }
  })

  test('does not move any button during an action', async () => {
    const page = await openDocument(stage, await draftSales(clerk, 'trade.sales_invoice'))
    const release = await holdExecutions(page)
    const before = await bar(page).boundingBox()
    const post = bar(page).locator('.bar [data-action=post]')
    const boxes = async () =>
      Promise.all((await bar(page).locator('.bar > button').all()).map((one) => one.boundingBox()))
    await expect.poll(async () => (await boxes()).length).toBe(3)
    const buttonsBefore = await boxes()
    await post.click()
    await button(page, 'Posting…').waitFor()
    expect(await bar(page).boundingBox()).toEqual(before)
    expect(await boxes()).toEqual(buttonsBefore)
    await post.click()
    await post.dblclick()
    release()
    await done(page, 'Post')
  })

  test('contains no buttons but an explanation for users without permission to execute actions', async () => {
    const page = await openDocument(stage, await draftSales(clerk, 'trade.sales_invoice'), { user: 'viewer' })
    await bar(page).getByText('No actions are available for this document.').waitFor()
    expect(await bar(page).getByRole('button').count()).toBe(0)
    await expectNoSeriousViolations(page)
  })
})

/** Gives a user the permissions to view and post invoices, and no others. */
async function grantOnlyPosting(user: string): Promise<void> {
  const admin = stage.as('admin')
  const me = (await (await stage.as(user)('GET', '/api/security/me/access')).json()) as { userId: string }
  const permissions = ['view', 'post'].map((action) => `document.trade.sales_invoice.${action}`)
  const body = { code: 'poster', name: 'Poster', description: '', permissions }
  const role = (await (await admin('POST', '/api/security/roles', { body })).json()) as { id: string }
  await admin('PUT', `/api/security/users/${me.userId}/roles`, { body: { roleIds: [role.id] } })
}

async function tabTo(page: Page, name: string): Promise<void> {
  for (let presses = 0; presses < 20; presses += 1) {
    const focused = await page.evaluate(() => {
      let element = document.activeElement
      while (element?.shadowRoot?.activeElement) element = element.shadowRoot.activeElement
      return element?.textContent?.trim() ?? ''
    })
    if (focused === name) return
    await page.keyboard.press('Tab')
  }
  throw new Error(`${name} cannot be reached by Tab`)
}

/** Sends requests of executions immediately, but delays their responses until the returned function is called. */
async function holdExecutions(page: Page): Promise<() => void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  await page.route('**/actions/*', async (route) => {
    const response = await route.fetch()
    await promise
    await route.fulfill({ response })
  })
  return resolve
}
