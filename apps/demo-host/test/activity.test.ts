import { beforeAll, expect, test } from 'vitest'
import { act, type Document } from './actions.ts'
import { type Body, expectAnswer } from './answers.ts'
import { type OpenDemo, openDemo, type Request } from './demo-process.ts'
import { draftSales, postedInvoice } from './trade/actions/documents.ts'
import { attach, targetQuery } from './uploads.ts'

let demo: OpenDemo
let [clerk, clerk2, manager, viewer, auditor]: Request[] = []
beforeAll(async () => {
  demo = await openDemo()
  const users = ['clerk', 'clerk2', 'manager', 'viewer', 'auditor']
  ;[clerk, clerk2, manager, viewer, auditor] = await Promise.all(users.map((user) => demo.as(user)))
  return () => demo.close()
})

const targetOf = ({ typeCode, id }: Document) => ({ kind: 'Document', typeCode, id })

type Entry = Body & { readonly type: string; readonly occurredAtUtc: string; readonly task?: Body }

interface Activity {
  readonly items: readonly Entry[]
  readonly references: Readonly<Record<string, { readonly display: string; readonly target: unknown }>>
}

async function activity(request: Request | undefined, document: Document, types = ''): Promise<Activity> {
  const query = `${targetQuery(targetOf(document))}&types=${types}`
  const answer = (request as Request)('GET', `/api/business-objects/activity?${query}`)
  return (await expectAnswer(answer, 200)) as unknown as Activity
}

const typesOf = ({ items }: Activity) => items.map(({ type }) => type)
const tasksOf = async (request: Request | undefined, document: Document) =>
  (await activity(request, document, 'tasks')).items.map(({ task }) => task)

test('the activity of an invoice contains events, notes, files and tasks with the items of their own lists', async () => {
  const as = clerk as Request
  const invoice = await postedInvoice(as)
  const target = targetOf(invoice)
  const note = await expectAnswer(as('POST', '/api/notes', { body: { target, text: 'Call first' } }), 201)
  const file = await attach(as, target, {
    ...{ fileName: 'a.txt', contentType: 'text/plain', bytes: Buffer.from('x') },
  })
  await expect.poll(() => tasksOf(clerk, invoice), { timeout: 30_000 }).toHaveLength(1)
  const all = await activity(clerk, invoice)
  expect(typesOf(all).toSorted()).toEqual(
    ['audit', 'audit', 'audit', 'audit', 'audit', 'file', 'note', 'task'].toSorted(),
  )
  const times = all.items.map(({ occurredAtUtc }) => occurredAtUtc)
  expect(times).toEqual(times.toSorted().reverse())

  const byType = (type: string) => all.items.find((entry) => entry.type === type)
  const [listed] = (await expectAnswer(as('GET', `/api/notes?${targetQuery(target)}`), 200)).items
  expect(byType('note')?.['note']).toEqual(listed)
  expect(byType('note')?.id).toBe(note.id)
  const [attachment] = (await expectAnswer(as('GET', `/api/attachments?${targetQuery(target)}`), 200)).items
  expect(byType('file')?.['attachment']).toEqual(attachment)
  expect(byType('file')?.id).toBe(file.id)
  const inbox = (await expectAnswer(as('GET', '/api/work-center/items?tab=tasks&limit=100'), 200)).items
  expect(byType('task')?.task).toEqual(inbox.find(({ id }) => id === byType('task')?.id))
  const timeline = (await expectAnswer(as('GET', `/api/audit/events?${targetQuery(target)}`), 200)).items
  expect(all.items.flatMap((entry) => (entry['event'] as object) ?? [])).toEqual(timeline)

  const { customerId, lines } = invoice.payload.fields as { customerId: string; lines: { itemId: string }[] }
  expect(all.references[customerId]).toEqual({
    display: 'Acme',
    target: { code: 'trade.customer', parameters: { customerId } },
  })
  expect(all.references[lines[0]?.itemId ?? '']?.display).toEqual(expect.any(String))
  expect(Object.values(all.references).map(({ display }) => display)).toContain('Clara Clerk')
})

test('a task is in the activity for those who see it in the Work Center, and for supervisors', async () => {
  const invoice = await postedInvoice(clerk as Request)
  await expect.poll(() => tasksOf(clerk, invoice), { timeout: 30_000 }).toHaveLength(1)
  const [task] = await tasksOf(clerk2, invoice)
  expect(await tasksOf(manager, invoice)).toMatchObject([{ id: task?.id, isRead: false }])
  expect(await tasksOf(viewer, invoice)).toEqual([])
  await expectAnswer(
    (clerk2 as Request)('POST', `/api/work-center/tasks/${task?.id}/claim`, { body: { expectedVersion: 1 } }),
    200,
  )
  expect(await tasksOf(clerk, invoice)).toEqual([])
  const { items, references } = await activity(manager, invoice, 'tasks')
  const carl = items[0]?.['actor'] as { readonly userId: string; readonly displayName: string }
  expect(carl.displayName).toBe(references[carl.userId]?.display)
  const own = `${targetQuery(targetOf(invoice))}&types=tasks&actor=${carl.userId}`

  const vera = await expectAnswer((viewer as Request)('GET', '/api/security/me/access'), 200)
  const [fromUtc, untilUtc] = [-3_600_000, 86_400_000].map((ms) => new Date(Date.now() + ms).toISOString())
  const substitution = { userId: vera['userId'], fromUtc, untilUtc }
  await expectAnswer((clerk2 as Request)('PUT', '/api/me/substitution', { body: substitution }), 200)
  expect(await tasksOf(viewer, invoice)).toMatchObject([
    { id: task?.id, onBehalfOf: { userId: carl.userId, displayName: 'Carl Clerk' } },
  ])
  await expectAnswer((clerk2 as Request)('DELETE', '/api/me/substitution'), 204)
  expect(await tasksOf(viewer, invoice)).toEqual([])
  const byCarl = (manager as Request)('GET', `/api/business-objects/activity?${own}`)
  expect((await expectAnswer(byCarl, 200)).items).toHaveLength(1)
})

test('an auditor finds write-offs, reads names, and exports them', async () => {
  const invoice = await postedInvoice(clerk as Request)
  await act(clerk as Request, invoice, 'trade.write_off', { reason: '=The customer is insolvent.' })
  const query = new URLSearchParams({ actionCode: 'trade.write_off', typeCode: 'trade.sales_invoice' })
  const path = `/api/audit/search?${query}`
  const found = await expectAnswer((auditor as Request)('GET', path), 200)
  // The demo's sample data also contains write-offs.
  const event = found.items.find(({ target }) => (target as Document).id === invoice.id)
  expect(event).toMatchObject({ target: targetOf(invoice), actor: { displayName: 'Clara Clerk' } })
  expect(found['references']).toMatchObject({
    [invoice.id]: { display: `Sales invoice ${invoice.number}` },
  })
  const csv = await (auditor as Request)('GET', path, { headers: { Accept: 'text/csv' } })
  const [head, ...lines] = (await csv.text()).trimEnd().split('\r\n')
  expect(head).toBe(
    'occurredAtUtc,actor,actionCode,typeCode,objectId,display,fieldPath,oldValue,newValue,eventId',
  )
  const own = lines.filter((line) => line.includes(invoice.id))
  expect(own.length).toBeGreaterThan(0)
  for (const line of own)
    expect(line).toContain(`Clara Clerk,trade.write_off,trade.sales_invoice,${invoice.id},Sales invoice`)
})

test('summaries of invoices in one request show counts, and nothing about objects that the caller may not view', async () => {
  const invoice = await draftSales(clerk as Request, 'trade.sales_invoice')
  const order = await draftSales(clerk as Request, 'trade.sales_order')
  const [first, second] = [targetOf(invoice), targetOf(order)]
  await expectAnswer((clerk as Request)('POST', '/api/notes', { body: { target: first, text: 'x' } }), 201)
  const summaries = async (user: string) => {
    const request = await demo.as(user)
    const body = { targets: [second, first] }
    return (await expectAnswer(request('POST', '/api/business-objects/content-summaries', { body }), 200))
      .items
  }
  expect(await summaries('clerk')).toEqual([
    { target: second, attachments: 0, notes: 0 },
    { target: first, attachments: 0, notes: 1 },
  ])
  expect(await summaries('uploader')).toEqual([
    { target: second, isAvailable: false },
    { target: first, attachments: null, notes: null },
  ])
})

test('readers who may not view orders find no number of an order in the events of its invoice', async () => {
  const order = await draftSales(clerk as Request, 'trade.sales_order')
  await act(clerk as Request, order, 'post')
  const { createdDocument } = await act(clerk as Request, order, 'trade.create_invoice')
  const invoice = createdDocument as Document
  const reader = await demo.as('outsider')
  const rights = ['view', 'view_audit'].map((action) => `document.trade.sales_invoice.${action}`)
  const body = {
    code: `reader-${invoice.id}`,
    name: 'Invoices',
    permissions: [...rights, 'system.audit.view'],
  }
  const role = await expectAnswer((manager as Request)('POST', '/api/security/roles', { body }), 201)
  const { userId } = await expectAnswer(reader('GET', '/api/security/me/access'), 200)
  const roleIds = { body: { roleIds: [role.id] } }
  await expectAnswer((manager as Request)('PUT', `/api/security/users/${userId}/roles`, roleIds), 200)

  const query = targetQuery(targetOf(invoice))
  for (const path of [
    `/api/audit/events?${query}`,
    `/api/business-objects/activity?${query}`,
    '/api/audit/search?typeCode=trade.sales_invoice&actionCode=documents.created',
  ]) {
    const shown = async (request: Request | undefined) =>
      JSON.stringify(await expectAnswer((request as Request)('GET', path), 200))
    expect(await shown(manager)).toContain(order.number)
    expect(await shown(reader)).toContain(order.id)
    expect(await shown(reader)).not.toContain(order.number)
  }
})
