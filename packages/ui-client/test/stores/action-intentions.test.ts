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
