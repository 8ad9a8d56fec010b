import { newId } from '@vertical-kit/core-audit'
import type { TestHost, TestRequest } from '@vertical-kit/core-audit/testing'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { event } from './events.ts'
import { deleted, invoice, item, journal, openTimelineHost, page, record, refusal } from './timeline-host.ts'

let host: TestHost
let auditor: TestRequest
beforeAll(async () => {
  host = await openTimelineHost()
  auditor = await host.as({ subject: 'auditor', permissions: ['system.audit.view'] })
})
afterAll(() => host.close())

const notFound = { status: 404, code: 'business_object.not_found' }

/** Creates events for an object, then deletes the object. Returns the object. */
async function deletedObject<Target extends ReturnType<typeof item>>(target: Target): Promise<Target> {
  const metadata = { attachmentId: newId() }
  await record(
    host,
    event({ target, actionCode: 'created' }),
    event({ target, actionCode: 'uploaded', metadata }),
    event({ target, actionCode: 'secret', module: 'secrets' }),
  )
  deleted.add(target.id)
  return target
}

const actionCodes = async (request: TestRequest, target: ReturnType<typeof item>) =>
  (await page(request, target)).items.map(({ actionCode }) => actionCode).toSorted()

test('holders of system.audit.view and administrators can read the timeline of a deleted object', async () => {
  for (const target of [await deletedObject(invoice(newId())), await deletedObject(item(newId()))]) {
    expect(await actionCodes(auditor, target)).toEqual(['created', 'uploaded'])
    const root = await host.as({ subject: 'root', roles: ['platform-admin'] })
    expect(await actionCodes(root, target)).toEqual(['created', 'secret', 'uploaded'])
  }
})

test('the timeline of a deleted object offers no downloads', async () => {
  const target = invoice(newId())
  await record(host, event({ target, metadata: { attachmentId: 'a-1' } }))
  expect((await page(auditor, target)).items).toMatchObject([{ download: { attachmentId: 'a-1' } }])
  deleted.add(target.id)
  expect((await page(auditor, target)).items).toMatchObject([{ download: null }])
})

test('the timeline of a deleted object is paged', async () => {
  const target = await deletedObject(invoice(newId()))
  const { items, nextCursor } = await page(auditor, target, { limit: '1' })
  const rest = await page(auditor, target, { limit: '1', cursor: nextCursor ?? '' })
  expect(rest.nextCursor).toBeNull()
  expect([...items, ...rest.items]).toEqual((await page(auditor, target)).items)
})

test('without system.audit.view, the timelines of a deleted and of an unknown object return the same 404', async () => {
  const target = await deletedObject(invoice(newId()))
  const never = invoice(newId())
  deleted.add(never.id)
  for (const permissions of [[], ['document.trade.sales_invoice.view_audit'], ['system.secrets.read']]) {
    const request = await host.as({ subject: `without ${permissions}`, permissions })
    expect(await refusal(request, target)).toEqual(notFound)
    expect(await refusal(request, never)).toEqual(notFound)
  }
})

test('the timeline of a missing object without visible events returns 404', async () => {
  const never = invoice(newId())
  deleted.add(never.id)
  expect(await refusal(auditor, never)).toEqual(notFound)
  const target = invoice(newId())
  await record(host, event({ target, module: 'secrets' }))
  deleted.add(target.id)
  expect(await refusal(auditor, target)).toEqual(notFound)
})

test('the timeline of a deleted object returns 404 if the type of the object has no exists check', async () => {
  const target = journal(newId())
  await record(host, event({ target }))
  deleted.add(target.id)
  expect(await refusal(auditor, target)).toEqual(notFound)
})
