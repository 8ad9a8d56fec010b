import { describe, expect, it, test } from 'vitest'
import { isUncertain } from '../src/elements/document-actions/execution-text.ts'
import { KitError } from '../src/index.ts'
import { isOutcomeKnown, openIntentions } from '../src/stores/document-actions-intentions.ts'

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
    const { intention } = intentions.of(wanted)
    expect(intention.idempotencyKey).toMatch(/^[\da-f]{32}$/)
    expect(intentions.of({ ...wanted, expectedVersion: 2 })).toEqual({ intention, isRepeat: true })
    intentions.forget()
    expect(intentions.open()).toBeNull()
    expect(intentions.of(wanted)).toMatchObject({ isRepeat: false })
  })

  it.each([{ actionCode: 'unpost' }, { payload: { amount: '1.00' } }, { reason: 'Insolvent' }])(
    'with the change %j has a new key',
    (change) => {
      const intentions = openIntentions()
      const { intention } = intentions.of(wanted)
      const other = intentions.of({ ...wanted, ...change })
      expect(other.isRepeat).toBe(false)
      expect(other.intention.idempotencyKey).not.toBe(intention.idempotencyKey)
      expect(intentions.open()).toBe(other.intention)
    },
  )
})
