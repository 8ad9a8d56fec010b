import type { PageList } from '../../../src/page/page-routes.ts'
import { customerEditor, itemEditor } from './catalog-editors.ts'
import type { Editor } from './editor.ts'
import { journalEditor } from './journal-editor.ts'
import { paymentEditor } from './payment-editor.ts'
import { salesEditor } from './sales-editor.ts'

/** The editor of each list. */
export const editors: Readonly<Record<PageList, Editor>> = {
  'sales-invoices': salesEditor,
  'sales-orders': salesEditor,
  payments: paymentEditor,
  'journal-entries': journalEditor,
  customers: customerEditor,
  items: itemEditor,
}
