import { type AuditTimelineStore, createAuditTimeline } from '@vertical-kit/ui-client/stores'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { act } from '../actions.ts'
import { expectAnswer } from '../answers.ts'
import { type OpenDemo, openDemo, type Request } from '../demo-process.ts'
import { draftSales } from '../trade/actions/documents.ts'
import { openDesk } from './documents-stage.ts'

let demo: OpenDemo
let clerk: Request

beforeAll(async () => {
  demo = await openDemo()
  clerk = await demo.as('clerk')
})
afterAll(() => demo.close())

/** A new invoice, and its timeline. */
async function open(user = 'clerk') {
  const invoice = await draftSales(clerk, 'trade.sales_invoice')
  const target = { kind: 'Document', typeCode: invoice.typeCode, id: invoice.id } as const
  const desk = await openDesk(demo, user)
  const timeline: AuditTimelineStore = createAuditTimeline(desk.session, target)
  return { invoice, target, timeline, desk }
}

const codes = ({ $list }: AuditTimelineStore) => $list.get().items.map(({ actionCode }) => actionCode)

const addNotes = async (request: Request, target: object, count: number) => {
  for (let index = 0; index < count; index += 1)
    await expectAnswer(request('POST', '/api/notes', { body: { target, text: `Note ${index}` } }), 201)
}

it('shows the newest event first, with who did it and what changed', async () => {
  const { invoice, timeline } = await open()
  await act(clerk, invoice, 'post')
  await timeline.load()
  expect(codes(timeline)).toEqual(['post', 'documents.created'])
  expect(timeline.$list.get().items[0]).toMatchObject({
    actor: { displayName: 'Clara Clerk' },
    changes: [{ fieldPath: 'status', oldValue: 'Draft', newValue: 'Posted' }],
  })
})

it('goes on past the first page, and a page that fails leaves the rows', async () => {
  const { target, timeline, desk } = await open()
  await addNotes(clerk, target, 60)
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

it('follows what the session does with the object, and nothing before it was asked for', async () => {
  const { target, timeline, desk } = await open()
  desk.session.announce({ kind: 'content', target })
  expect(timeline.$list.get().status).toBe('idle')
  await timeline.load()
  await addNotes(clerk, target, 1)
  desk.session.announce({ kind: 'content', target })
  await expect.poll(() => codes(timeline)).toEqual(['notes.created', 'documents.created'])
  await act(clerk, { typeCode: target.typeCode, id: target.id }, 'post')
  desk.session.announce({ kind: 'document', documentType: target.typeCode, id: target.id })
  await expect.poll(() => codes(timeline)).toEqual(['post', 'notes.created', 'documents.created'])
})

it('is refused to who may not read it', async () => {
  const { timeline } = await open('viewer')
  await timeline.load()
  expect(timeline.$list.get()).toMatchObject({ status: 'failed', error: { code: 'permission.denied' } })
})

it('says why a file cannot be had, and shows nothing of a session that was closed', async () => {
  const { timeline, desk } = await open()
  await timeline.load()
  expect(await timeline.download('01890000-0000-7000-8000-000000000000')).toMatchObject({
    error: { code: 'attachments.not_found' },
  })
  desk.session.close()
  expect(timeline.$list.get()).toMatchObject({ status: 'idle', items: [] })
  expect(await timeline.download('01890000-0000-7000-8000-000000000000')).toBeNull()
})
