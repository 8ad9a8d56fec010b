import type { Locator, Page } from 'playwright-core'
import { describe, expect } from 'vitest'
import { act, type Document, editorState, effects } from '../actions.ts'
import { draft, draftSales, postedInvoice, postedPayment } from '../trade/actions/documents.ts'
import { bar, button, confirm, dialog, done, openDocument } from './action-bar.ts'
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

    await button(page, 'Mark for deletion').click()
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
      .getByText('The amount must not exceed the unapplied part of the payment')
      .waitFor()

    await button(page, 'Apply payment').click()
    await dialog(page).press('Escape')
    expect((await effects(clerk, payment)).accountingEntries).toHaveLength(4)
  })

  test('can write an invoice off only with a reason of valid length', async () => {
    const invoice = await postedInvoice(clerk)
    const page = await openDocument(stage, invoice)
    await button(page, 'Write off').click()
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
    await button(unbalanced, 'Post').focus()
    await unbalanced.getByRole('tooltip').getByText('Total debits and total credits must be equal').waitFor()
  })
})

describe('the button of a disabled action', () => {
  test('shows the reason on hover and on keyboard focus, and describes the reason to screen readers', async () => {
    const page = await openDocument(stage, await draftSales(clerk, 'trade.sales_invoice'))
    const unpost = button(page, 'Unpost')
    expect(await unpost.getAttribute('aria-disabled')).toBe('true')
    await unpost.hover()
    const tip = page.getByRole('tooltip')
    await tip.getByText('The document is not posted.').waitFor()
    await screenshot(page, 'document-action-reasons')
    await expectNoSeriousViolations(page)
    await tip.hover()
    expect(await tip.isVisible()).toBe(true)
    await page.mouse.move(0, 0)
    await tip.waitFor({ state: 'hidden' })

    await button(page, 'Post').focus()
    await page.keyboard.press('Tab')
    expect(await unpost.evaluate((one) => one.matches(':focus-visible'))).toBe(true)
    await tip.getByText('The document is not posted.').waitFor()
    await page.keyboard.press('Escape')
    await tip.waitFor({ state: 'hidden' })
    await page.keyboard.press('Enter')
    await tip.getByText('The document is not posted.').waitFor()
    expect(await dialog(page).count()).toBe(0)
    expect(await accessibleDescription(page, unpost)).toContain('The document is not posted.')
  })

  test('shows the reason on tap', async () => {
    const page = await openDocument(stage, await draftSales(clerk, 'trade.sales_invoice'), { hasTouch: true })
    // Without `force`, Playwright would wait until the button is enabled.
    await button(page, 'Unpost').tap({ force: true })
    await page.getByRole('tooltip').getByText('The document is not posted.').waitFor()
    await page.touchscreen.tap(5, 400)
    await page.getByRole('tooltip').waitFor({ state: 'hidden' })
  })
})

/** Returns the accessible description of an element. Screen readers announce this text after the element's name. */
async function accessibleDescription(page: Page, element: Locator): Promise<string> {
  const snapshot = await page.context().newCDPSession(page)
  await element.evaluate((one) => one.setAttribute('data-asked', ''))
  const { root } = await snapshot.send('DOM.getDocument', { depth: -1, pierce: true })
  const nodeId = findNode(root, 'data-asked')
  const { nodes } = await snapshot.send('Accessibility.getPartialAXTree', { nodeId, fetchRelatives: false })
  return String(nodes[0]?.description?.value ?? '')
}

interface DomNode {
  readonly nodeId: number
  readonly attributes?: readonly string[]
  readonly children?: readonly DomNode[]
  readonly shadowRoots?: readonly DomNode[]
}

function findNode(node: DomNode, attribute: string): number {
  if (node.attributes?.includes(attribute)) return node.nodeId
  for (const child of [...(node.children ?? []), ...(node.shadowRoots ?? [])]) {
    const found = findNode(child, attribute)
    if (found !== 0) return found
  }
  return 0
}

describe('the action bar', () => {
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
    const buttonBefore = await post.boundingBox()
    await post.click()
    await button(page, 'Posting…').waitFor()
    expect(await bar(page).boundingBox()).toEqual(before)
    expect(await post.boundingBox()).toEqual(buttonBefore)
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
