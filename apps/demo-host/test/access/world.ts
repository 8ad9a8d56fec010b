import type { Tab } from '@vertical-kit/work-center/contract'
import { act, type Document, execute } from '../actions.ts'
import { type Body, expectAnswer } from '../answers.ts'
import { accessToken, type Demo, type Request } from '../demo-process.ts'
import { attach, type PresignedUpload, reserve, type Target, type TestFile } from '../uploads.ts'
import { about, connectPage } from '../work-center/page.ts'
import type { Caller } from './callers.ts'

/** The objects that the requests need, and functions that create additional objects. */
export interface World {
  readonly admin: Request
  readonly customer: Target
  readonly invoice: Target
  readonly journalEntry: Target
  /** A posted invoice with an open balance, for payments. */
  readonly postedInvoiceId: string
  readonly item: Body
  readonly file: TestFile
  /** A ready attachment of the invoice. */
  readonly attachment: Body
  readonly role: Body
  /** The inactive user of the demo. Tests can change this user, because no other test uses the same user. */
  readonly idleUser: Body
  as(caller: Caller): Request
  /** Creates a new draft or catalog item for one request. */
  make(path: string, body: object): Promise<Body>
  /** Creates a note on the invoice. */
  note(): Promise<Body>
  /** Reserves an upload on the invoice. */
  reserve(author: Caller): Promise<{ readonly attachment: Body; readonly upload: PresignedUpload }>
  /** A notification that the viewer and the auditor received. */
  readonly notificationId: string
  /** A clerks' task that stays unclaimed. */
  readonly openTaskId: string
  /** Returns the id of a clerks' task that no request has used yet. */
  nextTaskId(): string
  /** Returns a number that no earlier call has returned. */
  next(): number
}

/** Signs all callers in and creates the objects of the world. */
export async function createWorld(demo: Demo, callers: readonly Caller[]): Promise<World> {
  const requests = new Map<Caller, Request>()
  for (const caller of callers) requests.set(caller, await demo.as(caller === 'nobody' ? null : caller))
  const as = (caller: Caller): Request => {
    const request = requests.get(caller)
    if (request === undefined) throw new TypeError(`${caller} is not signed in`)
    return request
  }
  const admin = as('admin')
  const make = (path: string, body: object) => expectAnswer(as('clerk')('POST', path, { body }), 201)

  const customer = await make('/api/catalogs/trade.customer', { name: 'Acme' })
  const item = await make('/api/catalogs/trade.item', { name: 'Bolt' })
  const lines = [{ itemId: item.id, quantity: 1, unitPrice: '1.00' }]
  const fields = { customerId: customer.id, dueDate: '2027-01-31', lines }
  const { id: invoiceId } = await make('/api/documents/trade.sales_invoice', { fields })
  const owed = { ...fields, lines: [{ itemId: item.id, quantity: 1_000, unitPrice: '1.00' }] }
  const { id: postedInvoiceId } = await make('/api/documents/trade.sales_invoice', { fields: owed })
  const posted = { typeCode: 'trade.sales_invoice', id: postedInvoiceId }
  await expectAnswer(execute(as('clerk'), posted, 'post', { expectedVersion: 1 }), 200)
  const entries = [{ account: '1000', debit: '1.00', credit: '0.00' }]
  const entry = await make('/api/documents/general_journal_entry', { fields: { entries } })

  const invoice: Target = { kind: 'Document', typeCode: 'trade.sales_invoice', id: invoiceId }
  const file: TestFile = { fileName: 'a.txt', contentType: 'text/plain', bytes: Buffer.from('a') }
  const role = await expectAnswer(
    admin('POST', '/api/security/roles', {
      body: { code: 'test.idle', name: 'Idle', description: '', permissions: [] },
    }),
    201,
  )
  const users = await expectAnswer(admin('GET', '/api/security/users?limit=100&isActive=false'), 200)
  const idleUser = users.items.find((user) => user['subject'] === 'inactive')
  if (idleUser === undefined) throw new TypeError('The inactive user is missing')
  const [openTaskId = '', ...taskIds] = await makeTasks(demo, as('clerk'), fields)
  const notificationId = await firstItem(demo, as('viewer'), { user: 'viewer', tab: 'notifications' })
  let last = 0

  return {
    admin,
    customer: { kind: 'CatalogItem', typeCode: 'trade.customer', id: customer.id },
    invoice,
    journalEntry: { kind: 'GeneralJournalEntry', typeCode: 'general_journal_entry', id: entry.id },
    postedInvoiceId,
    item,
    file,
    attachment: await attach(as('clerk'), invoice, file),
    role,
    idleUser,
    as,
    make,
    note: () => make('/api/notes', { target: invoice, text: 'a note' }),
    reserve: (author) => reserve(as(author), invoice, file),
    notificationId,
    openTaskId,
    nextTaskId() {
      const id = taskIds.shift()
      if (id === undefined) throw new TypeError('All tasks are used')
      return id
    },
    next: () => {
      last += 1
      return last
    },
  }
}

const tasksCount = 40

/** Posts invoices and waits for their tasks. */
async function makeTasks(demo: Demo, clerk: Request, fields: object): Promise<string[]> {
  const page = await pageOf(demo, clerk, 'clerk')
  const invoices: Document[] = []
  for (let index = 0; index < tasksCount; index += 1) {
    const answer = clerk('POST', '/api/documents/trade.sales_invoice', { body: { fields } })
    const invoice = (await expectAnswer(answer, 201)) as Body & Document
    await act(clerk, invoice, 'post')
    invoices.push(invoice)
  }
  const ids: string[] = []
  for (const invoice of invoices) ids.push((await page.item('tasks', about(invoice))).id)
  await page.close()
  return ids
}

/** Waits until a list contains an item and returns its first item. */
async function firstItem(
  demo: Demo,
  request: Request,
  { user, tab }: { readonly user: Caller; readonly tab: Tab },
): Promise<string> {
  const page = await pageOf(demo, request, user)
  const { id } = await page.item(tab, () => true)
  await page.close()
  return id
}

async function pageOf(demo: Demo, request: Request, user: Caller) {
  const token = await accessToken(demo.issuer, user)
  return connectPage({ url: demo.url, request, token: async () => token })
}
