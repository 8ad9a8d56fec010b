import type { Locator, Page } from 'playwright-core'
import { expectAnswer } from '../answers.ts'
import { draftSales } from '../trade/actions/documents.ts'
import type { FileStage, Stage } from './harness.ts'

export const panel = (page: Page): Locator => page.locator('vk-notes')
export const rows = (page: Page): Locator =>
  panel(page).getByRole('list', { name: 'Notes' }).getByRole('listitem')
export const texts = (page: Page): Promise<readonly (string | null)[]> =>
  panel(page)
    .locator('li .text')
    .evaluateAll((all) => all.map((one) => one.textContent))
export const opener = (page: Page): Locator => page.getByRole('button', { name: /^Notes/ })
export const draft = (page: Page): Locator => panel(page).getByLabel('New note')
export const button = (page: Page, name: string | RegExp): Locator =>
  panel(page).getByRole('button', { name, exact: typeof name === 'string' })
export const edit = (page: Page): Locator => button(page, /^Edit the note by/).first()

export async function openNotes(page: Page): Promise<void> {
  await opener(page).click()
  await draft(page).waitFor()
}

/** The invoices of a test file, as the clerk creates and opens them. */
export interface NotesStage {
  /** Creates an invoice with these notes, and returns its id. The last text is the newest note. */
  invoiceWith(...texts: readonly string[]): Promise<string>
  /** Signs a user in, the clerk by default, and opens the notes of an invoice. */
  open(invoice: string, user?: string, options?: Parameters<Stage['signIn']>[2]): Promise<Page>
}

export function notesStage(stage: FileStage): NotesStage {
  const clerk = stage.as('clerk')
  return {
    async invoiceWith(...texts) {
      const { id } = await draftSales(clerk, 'trade.sales_invoice')
      const target = { kind: 'Document', typeCode: 'trade.sales_invoice', id }
      for (const text of texts)
        await expectAnswer(clerk('POST', '/api/notes', { body: { target, text } }), 201)
      return id
    },
    async open(invoice, user = 'clerk', options) {
      const page = await stage.signIn(user, `/sales-invoices/${invoice}`, options)
      await openNotes(page)
      return page
    },
  }
}
