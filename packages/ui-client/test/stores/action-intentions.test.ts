import {
  type DocumentActionsStore,
  documentActionsStore,
  documentBatchStore,
} from '@vertical-kit/ui-client/stores'
import { describe, expect, it } from 'vitest'
import {
  actAs,
  applicationCount,
  draftInvoice,
  failureOf,
  open,
  openActions,
  postedPayment,
  resultOf,
  shown,
} from './actions-stage.ts'

openActions()

/** Executes actions whose responses are lost. */
async function losing(
  { desk }: Awaited<ReturnType<typeof open>>,
  execute: () => Promise<unknown>,
): Promise<void> {
  desk.loses = /actions/
  await execute()
  desk.loses = null
}

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
      await losing(store, () => store.execute('trade.apply_payment', { payload: { amount: '5.00' } }))
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

  it.each([
    'another action was refused',
    'another payload was refused',
    'the document was opened again',
  ] as const)(
    'is sent again after a lost response, also if %s, and its action runs once',
    async (between) => {
      const payment = await postedPayment()
      const store = await open(payment)
      await losing(store, () => store.execute('trade.apply_payment', { payload: { amount: '5.00' } }))
      let again: DocumentActionsStore = store
      if (between === 'another action was refused') await store.execute('unpost')
      else if (between === 'another payload was refused') {
        await store.execute('trade.apply_payment', { payload: { amount: '6.00' } })
      } else {
        store.dispose()
        again = documentActionsStore(store.desk.session, payment)
        await again.load()
      }
      const result = await again.execute('trade.apply_payment', { payload: { amount: '5.00' } })
      expect(resultOf(result)?.documentVersion).toBe(3)
      expect(await applicationCount(payment)).toBe(1)
      // The outcome is known, so the same input is another intention.
      await again.execute('trade.apply_payment', { payload: { amount: '5.00' } })
      expect(await applicationCount(payment)).toBe(2)
    },
  )

  it('stays open when the message about the failure of another action is closed', async () => {
    const payment = await postedPayment()
    const store = await open(payment)
    await losing(store, () => store.execute('trade.apply_payment', { payload: { amount: '5.00' } }))
    await store.execute('unpost')
    store.dismiss()
    await store.execute('trade.apply_payment', { payload: { amount: '5.00' } })
    expect(await applicationCount(payment)).toBe(1)
  })

  it('is closed by the success of another action of its document', async () => {
    const store = await open(await draftInvoice())
    await losing(store, () => store.execute('post'))
    await store.load()
    expect(resultOf(await store.execute('unpost'))?.documentVersion).toBe(3)
    expect(resultOf(await store.execute('post'))?.documentVersion).toBe(4)
    expect(shown(store)).toEqual({ status: 'ready', document: 'Posted', version: 4 })
  })

  it('is not closed by the repeated response of an earlier one', async () => {
    const payment = await postedPayment()
    const store = await open(payment)
    store.desk.loses = /actions/
    await store.execute('trade.apply_payment', { payload: { amount: '5.00' } })
    await store.load()
    await store.execute('trade.apply_payment', { payload: { amount: '6.00' } })
    store.desk.loses = null
    await store.execute('trade.apply_payment', { payload: { amount: '5.00' } })
    await store.execute('trade.apply_payment', { payload: { amount: '6.00' } })
    expect(await applicationCount(payment)).toBe(2)
  })

  it('is closed by the success of a batch', async () => {
    const invoice = await draftInvoice()
    const store = await open(invoice)
    await losing(store, () => store.execute('post'))
    const batch = documentBatchStore(store.desk.session, invoice.typeCode)
    await batch.execute('unpost', [{ id: invoice.id, expectedVersion: 2 }])
    await store.load()
    await store.execute('post')
    expect(shown(store)).toEqual({ status: 'ready', document: 'Posted', version: 4 })
  })

  it('with an unknown outcome is shown when the document is opened again, and can be retried or dismissed', async () => {
    const payment = await postedPayment()
    const store = await open(payment)
    await losing(store, () => store.execute('trade.apply_payment', { payload: { amount: '5.00' } }))
    store.dispose()
    const reopen = async () => {
      const again = documentActionsStore(store.desk.session, payment)
      await again.load()
      return again
    }
    const again = await reopen()
    expect(failureOf(again)).toMatchObject({ actionCode: 'trade.apply_payment', isRetriable: true })
    expect(resultOf(await again.retry())?.documentVersion).toBe(3)
    expect((await reopen()).$execution.get()).toEqual({ status: 'none' })
    expect(await applicationCount(payment)).toBe(1)
  })

  it('of another document has another key', async () => {
    const store = await open(await draftInvoice())
    const other = documentActionsStore(store.desk.session, await draftInvoice())
    await other.load()
    await losing(store, () => store.execute('post'))
    expect(resultOf(await other.execute('post'))?.actionCode).toBe('post')
    expect(new Set(store.desk.executions.map(({ key }) => key)).size).toBe(2)
  })

  it('is discarded by dismiss, and the expected version prevents a second run of the action', async () => {
    const payment = await postedPayment()
    const store = await open(payment)
    await losing(store, () => store.execute('trade.apply_payment', { payload: { amount: '5.00' } }))
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
