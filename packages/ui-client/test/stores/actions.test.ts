import { documentActionsStore } from '@vertical-kit/ui-client/stores'
import { describe, expect, it } from 'vitest'
import {
  actAs,
  allowed,
  draftInvoice,
  failureOf,
  host,
  open,
  openActions,
  postedPayment,
  resultOf,
  shown,
} from './actions-stage.ts'

openActions()

describe('the store of a document', () => {
  it('shows the document with its available actions', async () => {
    const store = await open(await draftInvoice())
    expect(shown(store)).toEqual({ status: 'ready', document: 'Draft', version: 1 })
    expect(allowed(store)).toEqual(['post', 'trade.open_customer', 'mark_for_deletion'])
  })

  it('shows the result of an execution without another request', async () => {
    const store = await open(await draftInvoice())
    const before = store.desk.gate.sent.length
    const result = await store.execute('post')
    expect(resultOf(result)?.document.status).toBe('Posted')
    expect(shown(store)).toEqual({ status: 'ready', document: 'Posted', version: 2 })
    expect(store.$execution.get()).toEqual({ status: 'done', result: resultOf(result) })
    expect(store.desk.gate.sent.slice(before)).toEqual([expect.stringMatching(/^POST .*\/actions\/post$/)])
  })

  it('sends the payload of a reactive object, as it was when the action began', async () => {
    const store = await open(await postedPayment())
    // Like Vue's `reactive`, which structuredClone refuses.
    const payload = new Proxy({ amount: '5.00' }, {})
    const applying = store.execute('trade.apply_payment', { payload })
    payload.amount = '7.00'
    expect(resultOf(await applying)?.documentVersion).toBe(3)
    expect(store.desk.executions.map(({ body }) => JSON.parse(body))).toMatchObject([
      { payload: { amount: '5.00' } },
    ])
  })

  it('announces that the document has changed and that the Work Center may have changed', async () => {
    const invoice = await draftInvoice()
    const store = await open(invoice)
    const changes: unknown[] = []
    store.desk.session.listen((change) => changes.push(change), store.desk.session.signal)
    await store.execute('post')
    expect(changes).toEqual([{ kind: 'document', ...invoice }, { kind: 'workCenter' }])
  })

  it('hides the document from users without permission', async () => {
    const store = await open(await draftInvoice(), 'outsider')
    expect(store.$state.get()).toMatchObject({ status: 'failed', state: null, error: { status: 404 } })
  })

  it('reloads the document after another store of the session has changed it', async () => {
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

  it('ignores the response to a load that started before an execution', async () => {
    const store = await open(await draftInvoice())
    const hold = store.desk.gate.hold(/editor-state$/)
    const loading = store.load()
    await hold.reached
    await store.execute('post')
    hold.release()
    await loading
    expect(shown(store)).toEqual({ status: 'ready', document: 'Posted', version: 2 })
  })

  it('stays empty after it is disposed, but completes the execution in progress', async () => {
    const store = await open(await draftInvoice())
    const hold = store.desk.gate.hold(/actions\/post$/)
    const executing = store.execute('post')
    await hold.reached
    store.dispose()
    hold.release()
    // The action still completes, because opening another document does not cancel it.
    expect(resultOf(await executing)?.document.status).toBe('Posted')
    expect(store.$state.get()).toEqual({ status: 'idle', state: null })
    expect(store.$execution.get()).toEqual({ status: 'none' })
  })

  it('resolves with the failure of an execution after it is disposed', async () => {
    const store = await open(await draftInvoice(), 'viewer')
    const executing = store.execute('post')
    store.dispose()
    expect(await executing).toMatchObject({ error: { code: 'document_action.forbidden' } })
    expect(store.$execution.get()).toEqual({ status: 'none' })
  })

  it('resolves with the failure of a retry after it is disposed', async () => {
    const store = await open(await draftInvoice())
    store.desk.loses = /actions/
    await store.execute('post')
    const retried = store.retry()
    store.dispose()
    expect(await retried).toMatchObject({ error: { code: 'client.unreachable' } })
  })

  it('ignores the result of an execution if the session is closed before the result arrives', async () => {
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

describe('a refusal', () => {
  it('after a version conflict, the store reloads the document but does not retry the action', async () => {
    const invoice = await draftInvoice()
    const store = await open(invoice)
    const other = documentActionsStore(store.desk.session, invoice)
    await other.load()
    await actAs('clerk2', invoice, { code: 'post' })
    await store.execute('mark_for_deletion')
    expect(failureOf(store)).toEqual({
      actionCode: 'mark_for_deletion',
      code: 'documents.version_conflict',
      isRetriable: false,
    })
    expect(shown(store)).toEqual({ status: 'ready', document: 'Posted', version: 2 })
    expect(store.desk.executions).toHaveLength(1)
    await expect.poll(() => shown(other)).toEqual(shown(store))
  })

  it('is a version conflict if the user saw an older version than the store shows now', async () => {
    const invoice = await draftInvoice()
    const store = await open(invoice)
    await actAs('clerk', invoice, { code: 'post' })
    await store.load()
    await store.execute('unpost', { expectedVersion: 1 })
    expect(failureOf(store)).toMatchObject({ code: 'documents.version_conflict' })
    expect(shown(store)).toEqual({ status: 'ready', document: 'Posted', version: 2 })
  })

  it('contains the reasons of an unavailable action', async () => {
    const store = await open(await draftInvoice())
    await store.execute('trade.write_off', { reason: 'Insolvent' })
    expect(store.$execution.get()).toMatchObject({
      status: 'failed',
      error: { code: 'document_action.unavailable', context: { reasonCodes: ['trade.invoice_not_posted'] } },
    })
  })

  it('stays until it is dismissed or another action is executed', async () => {
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

  it('if the permission for an action is missing, the document stays visible', async () => {
    const store = await open(await draftInvoice(), 'viewer')
    await store.execute('post')
    expect(failureOf(store)).toMatchObject({ code: 'document_action.forbidden' })
    expect(shown(store)).toEqual({ status: 'ready', document: 'Draft', version: 1 })
  })

  it('if the document was deleted, the store hides the document', async () => {
    const invoice = await draftInvoice()
    const store = await open(invoice)
    await host.remove(invoice)
    await store.execute('post')
    expect(store.$state.get()).toMatchObject({ status: 'failed', state: null })
  })
})
