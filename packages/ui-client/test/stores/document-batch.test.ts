import type { DocumentReference } from '@vertical-kit/ui-client'
import {
  type DocumentBatchStore,
  documentActionsStore,
  documentBatchStore,
} from '@vertical-kit/ui-client/stores'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Host, openHost } from '../host/deployment.ts'
import { act } from '../signed-in.ts'
import { openDesk } from './documents-stage.ts'

let host: Host
beforeAll(async () => {
  host = await openHost()
})
afterAll(() => host.close())

const invoices = (count: number): Promise<DocumentReference[]> =>
  Promise.all(Array.from({ length: count }, () => host.addInvoice()))
const itemsOf = (documents: readonly DocumentReference[]) =>
  documents.map(({ id }) => ({ id, expectedVersion: 1 }))

/** The documents of the shown results that have failed, or were not reached. */
const failuresOf = ({ $state }: DocumentBatchStore) => {
  const state = $state.get()
  return state.status === 'done' ? state.results.filter(({ isDone }) => !isDone) : state
}

async function open(user = 'clerk') {
  const desk = await openDesk(host, user)
  return { desk, store: documentBatchStore(desk.session, 'trade.sales_invoice') }
}

it('executes an action on many documents, and announces each changed document and the Work Center', async () => {
  const { desk, store } = await open()
  const [one, other] = (await invoices(2)) as [DocumentReference, DocumentReference]
  const changes: unknown[] = []
  desk.session.listen((change) => changes.push(change), desk.session.signal)
  await store.execute('post', itemsOf([one, other]))
  const done = { reasons: [], isDone: true, isUnfinished: false }
  expect(store.$state.get()).toEqual({
    status: 'done',
    actionCode: 'post',
    results: [
      { id: one.id, ...done },
      { id: other.id, ...done },
    ],
  })
  expect(changes).toEqual([
    { kind: 'document', ...one },
    { kind: 'document', ...other },
    { kind: 'workCenter' },
  ])
})

it('shows the reasons of a document that cannot be posted', async () => {
  const { desk, store } = await open()
  const [posted, draft] = (await invoices(2)) as [DocumentReference, DocumentReference]
  await act(desk.client, posted, { code: 'post' })
  const items = [
    { id: posted.id, expectedVersion: 2 },
    { id: draft.id, expectedVersion: 1 },
  ]
  await store.execute('post', items)
  expect(store.$state.get()).toMatchObject({
    results: [
      {
        reasons: [{ code: 'document.already_posted', message: 'The document is already posted.' }],
        isDone: false,
        isUnfinished: false,
      },
      { isDone: true },
    ],
  })
})

it('sends the same request with the same key after a lost response, and each document is posted once', async () => {
  const { desk, store } = await open()
  const documents = await invoices(2)
  desk.loses = /\/batch$/
  await store.execute('post', itemsOf(documents))
  expect(store.$state.get()).toMatchObject({ status: 'failed', isRetriable: true })
  desk.loses = null
  await store.retry()
  expect(store.$state.get()).toMatchObject({ status: 'done', results: [{ isDone: true }, { isDone: true }] })
  expect(new Set(desk.executions.map(({ key }) => key)).size).toBe(1)
  const { documentVersion } = await desk.client.documents.editorState(documents[0] as DocumentReference)
  expect(documentVersion).toBe(2)
})

it('sends many documents in several requests, and shows how many are done', async () => {
  const { desk, store } = await open()
  const documents = await invoices(41)
  const progress: string[] = []
  store.$state.subscribe((state) => {
    if (state.status === 'executing') progress.push(`${state.doneCount} of ${state.count}`)
  })
  await store.execute('post', itemsOf(documents))
  expect(progress).toEqual(['0 of 41', '20 of 41', '40 of 41', '41 of 41'])
  expect(new Set(desk.executions.map(({ key }) => key)).size).toBe(3)
  const state = store.$state.get()
  expect(state.status === 'done' && state.results.map(({ id, isDone }) => ({ id, isDone }))).toEqual(
    documents.map(({ id }) => ({ id, isDone: true })),
  )
})

it('keeps the outcomes of earlier requests after a lost response, and continues with the lost one', async () => {
  const { desk, store } = await open()
  const documents = await invoices(21)
  const stop = store.$state.subscribe((state) => {
    if (state.status === 'executing' && state.doneCount === 20) desk.loses = /\/batch$/
  })
  await store.execute('post', itemsOf(documents))
  stop()
  const lost = documents[20] as DocumentReference
  expect(failuresOf(store)).toMatchObject([{ id: lost.id, isUnfinished: true, reasons: [{}] }])
  desk.loses = null
  await store.retry()
  expect(failuresOf(store)).toEqual([])
  expect((await desk.client.documents.editorState(lost)).documentVersion).toBe(2)
  const keys = desk.executions.map(({ key }) => key)
  expect(new Set(keys).size).toBe(2)
  expect(keys.at(-1)).toBe(keys[1])
})

it('keeps the outcomes of earlier requests after a refusal, and does not continue', async () => {
  const { store } = await open()
  const [last, ...items] = itemsOf(await invoices(21))
  const invalid = { id: last?.id ?? '', expectedVersion: 0.5 }
  const end = await store.execute('post', [...items, invalid])
  expect(end).toEqual({ doneCount: 20, count: 21 })
  expect(failuresOf(store)).toMatchObject([
    { id: invalid.id, isUnfinished: false, reasons: [{ code: 'request.invalid' }] },
  ])
  expect(await store.retry()).toBeNull()
})

it('finishes a batch after its page is closed', async () => {
  const { desk, store } = await open()
  const documents = await invoices(21)
  const begun = store.execute('post', itemsOf(documents))
  store.dispose()
  expect(await begun).toEqual({ doneCount: 21, count: 21 })
  expect(store.$state.get()).toEqual({ status: 'none' })
  const { documentVersion } = await desk.client.documents.editorState(documents[20] as DocumentReference)
  expect(documentVersion).toBe(2)
})

it('shows the refusal of the whole batch', async () => {
  const { store } = await open('viewer')
  await store.execute('post', itemsOf(await invoices(1)))
  expect(store.$state.get()).toMatchObject({
    status: 'failed',
    error: { code: 'document_action.forbidden' },
    isRetriable: false,
  })
})

it('shows the roles that could perform an action only to users who may view roles', async () => {
  const [invoice] = (await invoices(1)) as [DocumentReference]
  const [auditor, clerk] = await Promise.all([open('auditor'), open('clerk')])
  expect(await auditor.store.who('post', invoice.id)).toContainEqual({ code: 'trade.clerk', name: 'Clerk' })
  expect(await clerk.store.who('post', invoice.id)).toEqual([])
})

it('previews an action without changing the document', async () => {
  const { desk } = await open()
  const [invoice] = (await invoices(1)) as [DocumentReference]
  const store = documentActionsStore(desk.session, invoice)
  await store.load()
  expect(await store.preview('post')).toMatchObject({
    value: { document: { status: 'Posted' }, documentVersion: 2 },
  })
  expect(await store.preview('unpost')).toMatchObject({ error: { code: 'document_action.unavailable' } })
  expect(await store.preview('post', { expectedVersion: 7 })).toMatchObject({
    error: { code: 'documents.version_conflict' },
  })
  expect(store.$execution.get()).toEqual({ status: 'none' })
  expect((await desk.client.documents.editorState(invoice)).documentVersion).toBe(1)
  expect(await desk.client.documents.related(invoice)).toEqual({ derivedFrom: [], derived: [] })
})
