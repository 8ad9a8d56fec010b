import type { DocumentReference } from '@vertical-kit/ui-client'
import {
  type DocumentActionsStore,
  documentActionsStore,
  type ExecutionOutcome,
} from '@vertical-kit/ui-client/stores'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Host, openHost } from '../host/deployment.ts'
import { act, signIn } from '../signed-in.ts'
import { type Desk, openDesk } from './documents-stage.ts'

let host: Host

beforeAll(async () => {
  host = await openHost()
})
afterAll(() => host.close())

/** Opens the store of a document for a user, and loads the document. */
async function open(
  document: DocumentReference,
  user = 'clerk',
): Promise<DocumentActionsStore & { readonly desk: Desk }> {
  const desk = await openDesk(host, user)
  const store = documentActionsStore(desk.session, document)
  await store.load()
  return { ...store, desk }
}

/** Executes an action as another user. */
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

/** Returns how often the payment was applied, according to the service. */
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
const resultOf = (outcome: ExecutionOutcome | null) =>
  outcome !== null && 'value' in outcome ? outcome.value : undefined
const failureOf = ({ $execution }: DocumentActionsStore) => {
  const execution = $execution.get()
  if (execution.status !== 'failed') return execution.status
  const { actionCode, error, isRetriable } = execution
  return { actionCode, code: error.code, isRetriable }
}

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

describe('an intention', () => {
  it('is sent once even if its button is pressed repeatedly', async () => {
    const store = await open(await draftInvoice())
    const results = await Promise.all([store.execute('post'), store.execute('post'), store.execute('repost')])
    expect(results.map((result) => resultOf(result)?.actionCode)).toEqual(['post', undefined, undefined])
    expect(store.desk.executions).toHaveLength(1)
  })

  it('is sent again after a lost response, but its action runs once', async () => {
    const payment = await postedPayment()
    const store = await open(payment)
    store.desk.loses = /actions/
    await store.execute('trade.apply_payment', { payload: { amount: '5.00' } })
    expect(failureOf(store)).toEqual({
      actionCode: 'trade.apply_payment',
      code: 'client.unreachable',
      isRetriable: true,
    })
    store.desk.loses = null
    const before = store.desk.executions.length
    const result = await store.execute('trade.apply_payment', { payload: { amount: '5.00' } })
    expect(resultOf(result)?.documentVersion).toBe(3)
    expect(store.desk.executions).toHaveLength(before + 1)
    expect(new Set(store.desk.executions.map(({ key, body }) => key + body)).size).toBe(1)
    expect(await applicationCount(payment)).toBe(1)
    expect(shown(store)).toEqual({ status: 'ready', document: 'Posted', version: 3 })
  })

  it.each(['retry', 'execute'] as const)(
    'is repeated unchanged by %s after the document has changed',
    async (verb) => {
      const payment = await postedPayment()
      const store = await open(payment)
      store.desk.loses = /actions/
      await store.execute('trade.apply_payment', { payload: { amount: '5.00' } })
      store.desk.loses = null
      await actAs('clerk', payment, { code: 'trade.apply_payment', payload: { amount: '1.00' } })
      // In both cases, the store must show version 4. The response to the repeated request contains version 3.
      if (verb === 'execute') await store.load()
      const again =
        verb === 'retry'
          ? store.retry()
          : store.execute('trade.apply_payment', { payload: { amount: '5.00' } })
      expect(resultOf(await again)?.documentVersion).toBe(3)
      expect(shown(store)).toEqual({ status: 'ready', document: 'Posted', version: 4 })
      expect(new Set(store.desk.executions.map(({ key, body }) => key + body)).size).toBe(1)
      expect(await applicationCount(payment)).toBe(2)
    },
  )

  it('is discarded by dismiss, and the expected version prevents a second run of the action', async () => {
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

  it('has a new key if the payload differs, or if the outcome of the previous intention is known', async () => {
    const payment = await postedPayment()
    const store = await open(payment)
    await store.execute('trade.apply_payment', { payload: { amount: '5.00' } })
    await store.execute('trade.apply_payment', { payload: { amount: '5.00' } })
    await store.execute('trade.apply_payment', { payload: { amount: '4.00' } })
    expect(new Set(store.desk.executions.map(({ key }) => key)).size).toBe(3)
    expect(await applicationCount(payment)).toBe(3)
  })

  it('keeps its body even if the caller changes the payload object', async () => {
    const payment = await postedPayment()
    const store = await open(payment)
    store.desk.loses = /actions/
    const payload = { amount: '5.00' }
    await store.execute('trade.apply_payment', { payload })
    store.desk.loses = null
    payload.amount = '6.00'
    expect(resultOf(await store.retry())?.documentVersion).toBe(3)
    expect(new Set(store.desk.executions.map(({ key, body }) => key + body)).size).toBe(1)
  })

  it('cannot be retried before a failure or after a refusal', async () => {
    const store = await open(await draftInvoice())
    expect(await store.retry()).toBeNull()
    await store.execute('unpost')
    expect(failureOf(store)).toMatchObject({ isRetriable: false })
    expect(await store.retry()).toBeNull()
    expect(store.desk.executions).toHaveLength(1)
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
