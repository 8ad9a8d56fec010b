import type { ActionsBar } from '@vertical-kit/ui-client/elements'
import type { Locator, Page } from 'playwright-core'
import { expect } from 'vitest'
import type { Document } from '../actions.ts'
import type { Stage } from './harness.ts'

const lists: Readonly<Record<string, string>> = {
  'trade.sales_invoice': 'sales-invoices',
  'trade.sales_order': 'sales-orders',
  'trade.customer_payment': 'payments',
  general_journal_entry: 'journal-entries',
}

type ContextOptions = NonNullable<Parameters<Stage['signIn']>[2]>

/** Signs a user in and opens a document. The default user is the clerk. */
export async function openDocument(
  stage: Stage,
  { typeCode, id }: Document,
  { user = 'clerk', ...options }: ContextOptions & { readonly user?: string } = {},
) {
  const page = await stage.signIn(user, `/${lists[typeCode]}/${id}`, options)
  // The region also exists while its actions are loading.
  await bar(page).locator('.bar').first().waitFor()
  return page
}

/**
 * Opens a recent document, and waits until the page has loaded it again. The page does this when it begins to follow the document,
 * and could otherwise already show the change of a test.
 */
export async function openFollowed(stage: Stage, document: Document): Promise<Page> {
  const page = await openDocument(stage, document)
  await page.locator('vk-live-object [role=status][aria-busy=false]').waitFor({ state: 'attached' })
  const actions = page.locator('vk-document-actions')
  const status = () => actions.evaluate((one: ActionsBar) => one.store?.$state.get().status)
  await expect.poll(status).toBe('ready')
  return page
}

export const bar = (page: Page): Locator => page.getByRole('region', { name: 'Actions' })
export const button = (page: Page, name: string): Locator =>
  bar(page).getByRole('button', { name, exact: true })

/** Opens the menu "More actions" and returns one of its items. */
export async function inMore(page: Page, name: string): Promise<Locator> {
  const menu = bar(page).locator('.menu')
  if (!(await menu.isVisible())) await bar(page).getByRole('button', { name: 'More actions' }).click()
  const item = menu.getByRole('button', { name, exact: true })
  await item.waitFor()
  return item
}

export const dialog = (page: Page): Locator => page.getByRole('dialog')
const messages: Readonly<Record<string, RegExp>> = {
  Post: /^Posted\./,
  'Post again': /^Posted again\./,
  Unpost: /^Unposted\./,
  'Mark for deletion': /^Marked for deletion\./,
  Restore: /^Restored\./,
}

/** Waits for the message about an executed action. */
export const done = (page: Page, label: string): Promise<void> =>
  page
    .getByRole('status')
    .getByText(messages[label] ?? `“${label}” is complete.`)
    .waitFor({ state: 'attached' })

/** Clicks the button with this label in the open dialog. */
export const confirm = (page: Page, label: string): Promise<void> =>
  dialog(page).getByRole('button', { name: label, exact: true }).click()
