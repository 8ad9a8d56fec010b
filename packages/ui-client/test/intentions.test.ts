import { describe, expect, it, test } from 'vitest'
import { isUncertain } from '../src/elements/document-actions/execution-text.ts'
import { KitError } from '../src/index.ts'
import { isOutcomeKnown, openIntentions } from '../src/stores/document-actions-intentions.ts'

const document = { typeCode: 'trade.sales_invoice', id: '019a0000-0000-7000-8000-000000000000' }
const lost = new KitError({ code: 'client.unreachable' })
const wanted = { actionCode: 'post', expectedVersion: 1, payload: null, reason: null }

describe('isOutcomeKnown', () => {
  it.each([
    ['documents.version_conflict', 409, true],
    ['document_action.unavailable', 409, true],
    ['document_action.forbidden', 403, true],
    ['document_action.reason_invalid', 400, true],
    ['documents.not_found', 404, true],
    ['trade.amount_too_large', 409, true],
    ['client.unreachable', 0, false],
    ['client.unexpected_response', 200, false],
    ['client.unexpected_response', 403, false],
    ['internal', 500, false],
    ['service.unavailable', 503, false],
    ['request.too_many', 429, false],
    ['document_action.in_progress', 409, false],
    // An earlier attempt may have succeeded although its response was lost.
    ['auth.required', 401, false],
  ])('for the code %s with status %i returns %s', (code, status, isKnown) => {
    expect(isOutcomeKnown(new KitError({ code, status }))).toBe(isKnown)
  })
})

test.each([
  ['document_action.in_progress', 409, true],
  ['client.unreachable', 0, true],
  ['internal', 500, true],
  ['documents.version_conflict', 409, false],
  ['request.too_many', 429, false],
])(
  'the page says for the code %s with status %i that the action may have succeeded: %s',
  (code, status, isSo) => {
    expect(isUncertain(new KitError({ code, status }))).toBe(isSo)
  },
)

describe('an intention', () => {
  it('is reused for the same action, payload and reason until it is forgotten', () => {
    const intentions = openIntentions()
    const { intention } = intentions.of(document, wanted)
    expect(intention.idempotencyKey).toMatch(/^[\da-f]{32}$/)
    expect(intentions.of({ ...document }, { ...wanted, expectedVersion: 2 })).toEqual({
      intention,
      isRepeat: true,
    })
    intentions.forget(document, intention)
    expect(intentions.of(document, wanted)).toMatchObject({ isRepeat: false })
  })

  it('is closed by the success of a later one, but not of an earlier one', () => {
    const intentions = openIntentions()
    const paid = (amount: string) => ({ ...wanted, payload: { amount } })
    const [, second] = ['5.00', '6.00', '7.00'].map(
      (amount) => intentions.of(document, paid(amount)).intention,
    )
    intentions.succeeded(document, second)
    const isOpen = (amount: string) => intentions.of(document, paid(amount)).isRepeat
    expect(['7.00', '6.00', '5.00'].map(isOpen)).toEqual([true, false, false])
  })

  it('whose outcome becomes unknown after the success of a later one is open again', () => {
    const intentions = openIntentions()
    const { intention } = intentions.of(document, wanted)
    intentions.succeeded(document)
    intentions.keep(document, { intention, error: lost })
    expect(intentions.of(document, wanted)).toEqual({ intention, isRepeat: true })
  })

  it('whose outcome another store knows is not open again', () => {
    const intentions = openIntentions()
    const { intention } = intentions.of(document, wanted)
    intentions.succeeded(document, intention)
    intentions.keep(document, { intention, error: lost })
    expect(intentions.unknownOf(document)).toBeUndefined()
    expect(intentions.of(document, wanted)).toMatchObject({ isRepeat: false })
  })

  it.each([{ actionCode: 'unpost' }, { payload: { amount: '1.00' } }, { reason: 'Insolvent' }])(
    'with the change %j has a new key, and both stay open until they are forgotten',
    (change) => {
      const intentions = openIntentions()
      const { intention } = intentions.of(document, wanted)
      const other = intentions.of(document, { ...wanted, ...change })
      expect(other.isRepeat).toBe(false)
      expect(other.intention.idempotencyKey).not.toBe(intention.idempotencyKey)
      intentions.forget(document, other.intention)
      expect(intentions.of(document, wanted)).toEqual({ intention, isRepeat: true })
    },
  )
})
