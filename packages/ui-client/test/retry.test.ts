import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { retryDelayMs } from '../src/client/retry.ts'
import { isKitError, isTransient, KitError } from '../src/index.ts'

const error = (status: number, code = 'some.code', retryAfterMs: number | null = null) =>
  new KitError({ code, status }, { retryAfterMs })

describe('isTransient', () => {
  test.each([
    ['no answer', error(0, 'client.unreachable'), true],
    ['too many requests', error(429), true],
    ['a gateway without a service', error(502, 'client.unexpected_response'), true],
    ['a busy service', error(503, 'service.unavailable'), true],
    ['a gateway timeout', error(504), true],
    ['a key with an execution in progress', error(409, 'document_action.in_progress'), true],
    ['a conflict', error(409, 'documents.version_conflict'), false],
    ['a key of another request', error(422, 'document_action.idempotency_conflict'), false],
    ['an invalid request', error(400, 'request.invalid'), false],
    ['a missing sign-in', error(401, 'auth.required'), false],
    ['a missing permission', error(403, 'permission.denied'), false],
    ['a server fault', error(500, 'internal'), false],
    ['a page of a proxy', error(200, 'client.unexpected_response'), false],
    ['another error', new TypeError('fetch failed'), false],
    ['undefined', undefined, false],
  ])('returns for %s: %s', (_, thrown, isRetried) => {
    expect(isTransient(thrown)).toBe(isRetried)
    expect(retryDelayMs(thrown, 1, 0) !== null).toBe(isRetried)
  })
})

const statuses = fc.constantFrom(0, 200, 400, 401, 403, 404, 409, 422, 429, 500, 502, 503, 504)
const attempts = fc.integer({ min: 1, max: 10 })
const randoms = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true })
const waits = fc.option(fc.integer({ min: 0, max: 99_999_000 }))

test('a call is sent at most four times, and no delay exceeds 15 seconds', () => {
  fc.assert(
    fc.property(statuses, attempts, randoms, waits, (status, attempt, random, retryAfterMs) => {
      const delayMs = retryDelayMs(error(status, 'some.code', retryAfterMs), attempt, random)
      if (attempt >= 4) expect(delayMs).toBeNull()
      if (delayMs === null) return
      expect(delayMs).toBeGreaterThanOrEqual(retryAfterMs ?? 300)
      expect(delayMs).toBeLessThanOrEqual(15_000)
    }),
  )
})

test('delays double, and are extended by up to half of their length', () => {
  const delays = (random: number) => [1, 2, 3].map((attempt) => retryDelayMs(error(503), attempt, random))
  expect(delays(0)).toEqual([300, 600, 1200])
  expect(delays(0.5)).toEqual([375, 750, 1500])
})

test('an error of another installed copy is recognised', () => {
  class KitErrorOfAnotherCopy extends Error {
    override readonly name = 'KitError'
    readonly code = 'notes.deleted'
    readonly status = 503
  }
  const foreign: unknown = new KitErrorOfAnotherCopy()
  expect(isKitError(foreign, 'notes.deleted')).toBe(true)
  expect(isKitError(foreign, 'notes.not_found')).toBe(false)
  expect(isTransient(foreign)).toBe(true)
  expect(isKitError({ name: 'KitError', code: 'notes.deleted' })).toBe(false)
})
