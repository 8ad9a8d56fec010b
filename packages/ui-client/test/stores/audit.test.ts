import type { BusinessObjectReference } from '@vertical-kit/ui-client'
import { type AuditTimelineStore, auditTimelineStore } from '@vertical-kit/ui-client/stores'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Host, openHost } from '../host/deployment.ts'
import { act, signIn, targetOf } from '../signed-in.ts'
import { openDesk } from './documents-stage.ts'

let host: Host

beforeAll(async () => {
  host = await openHost()
})
afterAll(() => host.close())

/** Adds an invoice and opens its timeline. */
async function open(user = 'clerk') {
  const invoice = await host.addInvoice()
  const target = targetOf(invoice)
  const desk = await openDesk(host, user)
  const timeline: AuditTimelineStore = auditTimelineStore(desk.session, target)
  return { invoice, target, timeline, desk }
}

const codes = ({ $list }: AuditTimelineStore) =>
  $list.get().items.map((entry) => (entry.type === 'audit' ? entry.actionCode : entry.type))

/** Signs the clerk in again. The session under test is not notified of changes by this client. */
const clerk = async () => (await signIn(host, 'clerk')).client

const addNotes = async (target: BusinessObjectReference, count: number) => {
  const { notes } = await clerk()
  for (let index = 0; index < count; index += 1) await notes.create({ target, text: `Note ${index}` })
}

it('the timeline shows the newest event first, with its actor and changes', async () => {
  const { invoice, timeline } = await open()
  await act(await clerk(), invoice, { code: 'post' })
  await timeline.load()
  expect(codes(timeline)).toEqual(['post', 'documents.created'])
  expect(timeline.$list.get().items[0]).toMatchObject({
    actor: { displayName: 'Clara Clerk' },
    changes: [{ fieldPath: 'status', oldValue: 'Draft', newValue: 'Posted' }],
  })
})

it('the timeline loads further pages, and keeps its rows if a page cannot be loaded', async () => {
  const { target, timeline, desk } = await open()
  await addNotes(target, 60)
  await timeline.load()
  expect(timeline.$list.get()).toMatchObject({ status: 'ready', hasMore: true })
  const shown = codes(timeline).length
  desk.loses = /audit/
  await timeline.loadMore()
  desk.loses = null
  expect(timeline.$list.get()).toMatchObject({ status: 'moreFailed', hasMore: true })
  expect(codes(timeline)).toHaveLength(shown)
  await timeline.loadMore()
  expect(timeline.$list.get()).toMatchObject({ status: 'ready', hasMore: false })
  expect(codes(timeline)).toHaveLength(61)
})

it('the timeline reloads after announced changes, but only after its first load', async () => {
  const { invoice, target, timeline, desk } = await open()
  desk.session.announce({ kind: 'content', target })
  expect(timeline.$list.get().status).toBe('idle')
  await timeline.load()
  await addNotes(target, 1)
  desk.session.announce({ kind: 'content', target })
  await expect.poll(() => codes(timeline)).toEqual(['notes.created', 'documents.created'])
  await act(await clerk(), invoice, { code: 'post' })
  desk.session.announce({ kind: 'document', ...invoice })
  await expect.poll(() => codes(timeline)).toEqual(['post', 'notes.created', 'documents.created'])
})

it('the timeline shows an error to users without permission to read it', async () => {
  const { timeline } = await open('viewer')
  await timeline.load()
  expect(timeline.$list.get()).toMatchObject({ status: 'failed', error: { code: 'permission.denied' } })
})

it('the timeline returns the error of a download, and is empty after its session was closed', async () => {
  const { timeline, desk } = await open()
  await timeline.load()
  expect(await timeline.download('01890000-0000-7000-8000-000000000000')).toMatchObject({
    error: { code: 'attachments.not_found' },
  })
  desk.session.close()
  expect(timeline.$list.get()).toMatchObject({ status: 'idle', items: [] })
  expect(await timeline.download('01890000-0000-7000-8000-000000000000')).toBeNull()
})

it('the timeline keeps the names of all loaded rows, and can be filtered by type, person and time', async () => {
  const { invoice, target, timeline } = await open()
  await addNotes(target, 2)
  await timeline.load()
  expect(codes(timeline)).toEqual(['notes.created', 'notes.created', 'documents.created'])
  expect(timeline.$references.get()[invoice.id]?.display).toBe('A trade.sales_invoice')
  const [[clara = ''] = []] = [...timeline.$people.get()]
  expect([...timeline.$people.get().values()]).toEqual(['Clara Clerk'])

  await timeline.filter({ type: 'notes' })
  expect(codes(timeline)).toEqual(['note', 'note'])
  await timeline.filter({ type: 'all' })
  expect(codes(timeline)).toHaveLength(5)
  await timeline.filter({ actor: clara })
  expect(codes(timeline)).toEqual(['notes.created', 'notes.created'])
  const [last] = timeline.$list.get().items
  await timeline.filter({ untilUtc: last?.occurredAtUtc })
  expect(codes(timeline)).toEqual(['notes.created', 'documents.created'])
  await timeline.filter({ actor: '01890000-0000-7000-8000-000000000000' })
  expect(timeline.$list.get()).toMatchObject({ status: 'ready', items: [] })
  expect([...timeline.$people.get().keys()]).toEqual([clara])
})

it('the timeline exports all events as a file, and reports an export that was cut off', async () => {
  const { target, timeline, desk } = await open()
  await addNotes(target, 1)
  const exported = await timeline.export('csv')
  const text = exported !== null && 'file' in exported ? await exported.file.text() : ''
  expect(text.split('\r\n')[1]).toContain(`,Clara Clerk,notes.created,trade.sales_invoice,${target.id},`)
  desk.loses = /audit/
  expect(await timeline.export('ndjson')).toMatchObject({ error: { code: 'client.unreachable' } })
  desk.loses = null
  desk.session.close()
  expect(await timeline.export('csv')).toBeNull()
  expect(timeline.$references.get()).toEqual({})
})

it('without a target, the timeline searches the audit log of all objects', async () => {
  const { target } = await open()
  await addNotes(target, 1)
  const { session } = await openDesk(host, 'auditor')
  const log = auditTimelineStore(session, null)
  await log.filter({ actionCode: 'notes.created', typeCode: target.typeCode })
  expect(log.$list.get().items[0]).toMatchObject({ target, actionCode: 'notes.created' })
  expect(new Set(codes(log))).toEqual(new Set(['notes.created']))
  const { session: clerks } = await openDesk(host, 'clerk')
  const refused = auditTimelineStore(clerks, null)
  await refused.load()
  expect(refused.$list.get()).toMatchObject({ error: { context: { permission: 'system.audit.view' } } })
})

it('the client counts the content of several objects in one request', async () => {
  const { target, desk } = await open()
  await addNotes(target, 3)
  const missing = { ...target, id: '01890000-0000-7000-8000-000000000000' }
  expect(await desk.session.client.businessObjects.contentSummaries([missing, target])).toEqual({
    items: [
      { target: missing, isAvailable: false },
      { target, attachments: 0, notes: 3 },
    ],
  })
})
