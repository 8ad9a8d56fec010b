import type { DocumentReference } from '@vertical-kit/ui-client'
import { type DocumentActionsStore, documentActionsStore } from '@vertical-kit/ui-client/stores'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Host, openHost } from '../host/deployment.ts'
import { act, signIn } from '../signed-in.ts'
import { type Desk, openDesk } from './documents-stage.ts'

let host: Host

beforeAll(async () => {
  host = await openHost()
})
afterAll(() => host.close())

/** A user at a document. */
async function open(
  document: DocumentReference,
  user = 'clerk',
): Promise<DocumentActionsStore & { readonly desk: Desk }> {
  const desk = await openDesk(host, user)
  const store = documentActionsStore(desk.session, document)
  await store.load()
  return { ...store, desk }
}

/** What somebody else does to a document. */
async function actAs(user: string, ...[document, action]: ActOn): Promise<void> {
  await act((await signIn(host, user)).client, document, action)
}
type ActOn = [document: DocumentReference, action: Parameters<typeof act>[2]]

const draftInvoice = () => host.addInvoice()

async function postedPayment(): Promise<DocumentReference> {
  const payment = await host.addPayment()
  await actAs('clerk', payment, { code: 'post' })
  return payment
}

/** How often the payment was applied, as the service counts. */
async function applicationCount(payment: DocumentReference): Promise<number> {
  const { client } = await signIn(host, 'clerk')
  return (await client.documents.effects(payment)).accountingEntries.length
}

const shown = ({ $state }: DocumentActionsStore) => {
  const { status, state } = $state.get()
  return { status, document: state?.document.status, version: state?.documentVersion }
}
const allowed = ({ $state }: DocumentActionsStore) =>
  $state
    .get()
    .state?.actions.filter(({ isAllowed }) => isAllowed)
    .map(({ code }) => code)
const failureOf = ({ $execution }: DocumentActionsStore) => {
  const execution = $execution.get()
  if (execution.status !== 'failed') return execution.status
  const { actionCode, error, isRetriable } = execution
  return { actionCode, code: error.code, isRetriable }
}

describe('a document and its actions', () => {
  it('are shown with what speaks against an action', async () => {
    const store = await open(await draftInvoice())
    expect(shown(store)).toEqual({ status: 'ready', document: 'Draft', version: 1 })
    expect(allowed(store)).toEqual(['post', 'trade.open_customer', 'mark_for_deletion'])
  })

  it('are shown as an execution leaves them, without asking again', async () => {
    const store = await open(await draftInvoice())
    const asked = store.desk.gate.sent.length
    const result = await store.execute('post')
    expect(result?.document.status).toBe('Posted')
    expect(shown(store)).toEqual({ status: 'ready', document: 'Posted', version: 2 })
    expect(store.$execution.get()).toEqual({ status: 'done', result })
    expect(store.desk.gate.sent.slice(asked)).toEqual([expect.stringMatching(/^POST .*\/actions\/post$/)])
  })

  it('tell the session that the document changed, and when the Work Center may have', async () => {
    const invoice = await draftInvoice()
    const store = await open(invoice)
    const heard: unknown[] = []
    store.desk.session.listen((change) => heard.push(change), store.desk.session.signal)
    await store.execute('post')
    expect(heard).toEqual([{ kind: 'document', ...invoice }, { kind: 'workCenter' }])
  })

  it('are not shown to who may not see them', async () => {
    const store = await open(await draftInvoice(), 'outsider')
    expect(store.$state.get()).toMatchObject({ status: 'failed', state: null, error: { status: 404 } })
  })

  it('follow what another store of the session does', async () => {
    const invoice = await draftInvoice()
    const store = await open(invoice)
    const other = documentActionsStore(store.desk.session, invoice)
    await other.load()
    const hold = store.desk.gate.hold(/editor-state$/)
    await other.execute('post')
    await hold.reached
    expect(shown(store)).toEqual({ status: 'refreshing', document: 'Draft', version: 1 })
    hold.release()
    await expect.poll(() => shown(store)).toEqual({ status: 'ready', document: 'Posted', version: 2 })
  })

  it('are not overwritten by an answer that was on its way when they changed', async () => {
    const store = await open(await draftInvoice())
    const hold = store.desk.gate.hold(/editor-state$/)
    const loading = store.load()
    await hold.reached
    await store.execute('post')
    hold.release()
    await loading
    expect(shown(store)).toEqual({ status: 'ready', document: 'Posted', version: 2 })
  })

  it('are shown no more once the store has ended, whatever arrives', async () => {
    const store = await open(await draftInvoice())
    const hold = store.desk.gate.hold(/actions\/post$/)
    const executing = store.execute('post')
    await hold.reached
    store.dispose()
    hold.release()
    // It is done all the same: nobody means an action less for going on to another document.
    expect((await executing)?.document.status).toBe('Posted')
    expect(store.$state.get()).toEqual({ status: 'idle', state: null })
    expect(store.$execution.get()).toEqual({ status: 'none' })
  })

  it('are nothing to a session that was closed meanwhile', async () => {
    const store = await open(await draftInvoice())
    const hold = store.desk.gate.hold(/actions\/post$/)
    const executing = store.execute('post')
    await hold.reached
    store.desk.session.close()
    hold.release()
    expect(await executing).toBeNull()
    expect(store.$state.get()).toEqual({ status: 'idle', state: null })
  })
})

describe('an intention', () => {
  it('is one however often its button is pressed', async () => {
    const store = await open(await draftInvoice())
    const results = await Promise.all([store.execute('post'), store.execute('post'), store.execute('repost')])
    expect(results.map((result) => result?.actionCode)).toEqual(['post', undefined, undefined])
    expect(store.desk.executions).toHaveLength(1)
  })

  it('is asked for again after lost answers, and has happened once', async () => {
    const payment = await postedPayment()
    const store = await open(payment)
    store.desk.loses = /actions/
    expect(await store.execute('trade.apply_payment', { payload: { amount: '5.00' } })).toBeNull()
    expect(failureOf(store)).toEqual({
      actionCode: 'trade.apply_payment',
      code: 'client.unreachable',
      isRetriable: true,
    })
    store.desk.loses = null
    const before = store.desk.executions.length
    const result = await store.execute('trade.apply_payment', { payload: { amount: '5.00' } })
    expect(result?.documentVersion).toBe(3)
    expect(store.desk.executions).toHaveLength(before + 1)
    expect(new Set(store.desk.executions.map(({ key, body }) => key + body)).size).toBe(1)
    expect(await applicationCount(payment)).toBe(1)
    expect(shown(store)).toEqual({ status: 'ready', document: 'Posted', version: 3 })
  })

  it.each(['retry', 'execute'] as const)(
    'is sent again as it was by %s, though the document has moved on since',
    async (verb) => {
      const payment = await postedPayment()
      const store = await open(payment)
      store.desk.loses = /actions/
      await store.execute('trade.apply_payment', { payload: { amount: '5.00' } })
      store.desk.loses = null
      await actAs('clerk', payment, { code: 'trade.apply_payment', payload: { amount: '1.00' } })
      // Shown or not: what the first answer would have said is not how things are.
      if (verb === 'execute') await store.load()
      const again =
        verb === 'retry'
          ? store.retry()
          : store.execute('trade.apply_payment', { payload: { amount: '5.00' } })
      expect((await again)?.documentVersion).toBe(3)
      expect(shown(store)).toEqual({ status: 'ready', document: 'Posted', version: 4 })
      expect(new Set(store.desk.executions.map(({ key, body }) => key + body)).size).toBe(1)
      expect(await applicationCount(payment)).toBe(2)
    },
  )

  it('that was given up is not there any more: the version keeps the next one from being the same', async () => {
    const payment = await postedPayment()
    const store = await open(payment)
    store.desk.loses = /actions/
    await store.execute('trade.apply_payment', { payload: { amount: '5.00' } })
    store.desk.loses = null
    store.dismiss()
    expect(await store.retry()).toBeNull()
    await store.execute('trade.apply_payment', { payload: { amount: '5.00' } })
    expect(failureOf(store)).toMatchObject({ code: 'documents.version_conflict' })
    expect(await applicationCount(payment)).toBe(1)
  })

  it('is another one with another payload, another reason, or after it is known what came of it', async () => {
    const payment = await postedPayment()
    const store = await open(payment)
    await store.execute('trade.apply_payment', { payload: { amount: '5.00' } })
    await store.execute('trade.apply_payment', { payload: { amount: '5.00' } })
    await store.execute('trade.apply_payment', { payload: { amount: '4.00' } })
    expect(new Set(store.desk.executions.map(({ key }) => key)).size).toBe(3)
    expect(await applicationCount(payment)).toBe(3)
  })

  it('keeps the body it began with, whatever becomes of what was handed in', async () => {
    const payment = await postedPayment()
    const store = await open(payment)
    store.desk.loses = /actions/
    const payload = { amount: '5.00' }
    await store.execute('trade.apply_payment', { payload })
    store.desk.loses = null
    payload.amount = '6.00'
    expect((await store.retry())?.documentVersion).toBe(3)
    expect(new Set(store.desk.executions.map(({ key, body }) => key + body)).size).toBe(1)
  })

  it('is not there to be retried when nothing has failed, nor after a refusal', async () => {
    const store = await open(await draftInvoice())
    expect(await store.retry()).toBeNull()
    await store.execute('unpost')
    expect(failureOf(store)).toMatchObject({ isRetriable: false })
    expect(await store.retry()).toBeNull()
    expect(store.desk.executions).toHaveLength(1)
  })
})

describe('a refusal', () => {
  it('of a stale version shows the document as it is, and does nothing by itself', async () => {
    const invoice = await draftInvoice()
    const store = await open(invoice)
    const other = documentActionsStore(store.desk.session, invoice)
    await other.load()
    await actAs('clerk2', invoice, { code: 'post' })
    expect(await store.execute('mark_for_deletion')).toBeNull()
    expect(failureOf(store)).toEqual({
      actionCode: 'mark_for_deletion',
      code: 'documents.version_conflict',
      isRetriable: false,
    })
    expect(shown(store)).toEqual({ status: 'ready', document: 'Posted', version: 2 })
    expect(store.desk.executions).toHaveLength(1)
    await expect.poll(() => shown(other)).toEqual(shown(store))
  })

  it('of the version the user decided about counts, though a newer one is shown', async () => {
    const invoice = await draftInvoice()
    const store = await open(invoice)
    await actAs('clerk', invoice, { code: 'post' })
    await store.load()
    await store.execute('unpost', { expectedVersion: 1 })
    expect(failureOf(store)).toMatchObject({ code: 'documents.version_conflict' })
    expect(shown(store)).toEqual({ status: 'ready', document: 'Posted', version: 2 })
  })

  it('of what is not available names its reasons', async () => {
    const store = await open(await draftInvoice())
    await store.execute('trade.write_off', { reason: 'Insolvent' })
    expect(store.$execution.get()).toMatchObject({
      status: 'failed',
      error: { code: 'document_action.unavailable', context: { reasonCodes: ['trade.invoice_not_posted'] } },
    })
  })

  it('stays until it is taken note of, or something else is done', async () => {
    const store = await open(await draftInvoice())
    await store.execute('unpost')
    await store.load()
    expect(failureOf(store)).toMatchObject({ code: 'document_action.unavailable' })
    store.dismiss()
    expect(store.$execution.get()).toEqual({ status: 'none' })
    await store.execute('unpost')
    await store.execute('post')
    expect(store.$execution.get()).toMatchObject({ status: 'done' })
  })

  it('of a viewer leaves what they may see', async () => {
    const store = await open(await draftInvoice(), 'viewer')
    await store.execute('post')
    expect(failureOf(store)).toMatchObject({ code: 'document_action.forbidden' })
    expect(shown(store)).toEqual({ status: 'ready', document: 'Draft', version: 1 })
  })

  it('of a document that is gone shows it no more', async () => {
    const invoice = await draftInvoice()
    const store = await open(invoice)
    await host.remove(invoice)
    await store.execute('post')
    expect(store.$state.get()).toMatchObject({ status: 'failed', state: null })
  })
})
