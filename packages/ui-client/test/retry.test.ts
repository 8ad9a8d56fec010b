import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { retryDelayMs } from '../src/client/retry.ts'
import { isKitError, isTransient, KitError } from '../src/index.ts'

const error = (status: number, code = 'some.code', retryAfterMs: number | null = null) =>
  new KitError({ code, status }, { retryAfterMs })

describe('isTransient', () => {
  test.each([
    ['a missing response', true, error(0, 'client.unreachable')],
    ['too many requests', true, error(429)],
    ['a gateway that cannot reach the service', true, error(502, 'client.unexpected_response')],
    ['a busy service', true, error(503, 'service.unavailable')],
    ['a gateway timeout', true, error(504)],
    ['a key with an execution in progress', true, error(409, 'document_action.in_progress')],
    ['a version conflict', false, error(409, 'documents.version_conflict')],
    ['a key that another request has used', false, error(422, 'document_action.idempotency_conflict')],
    ['an invalid request', false, error(400, 'request.invalid')],
    ['a missing sign-in', false, error(401, 'auth.required')],
    ['a missing permission', false, error(403, 'permission.denied')],
    ['a server fault', false, error(500, 'internal')],
    ['a page of a proxy', false, error(200, 'client.unexpected_response')],
    ['an error that is not a KitError', false, new TypeError('fetch failed')],
    ['undefined', false, undefined],
  ])('for %s returns %s', (_case, isRetried, thrown) => {
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

test('delays double with each attempt, and a random extension adds up to half of the delay', () => {
  const delays = (random: number) => [1, 2, 3].map((attempt) => retryDelayMs(error(503), attempt, random))
  expect(delays(0)).toEqual([300, 600, 1200])
  expect(delays(0.5)).toEqual([375, 750, 1500])
})

test('an error of another installed copy of the package is recognised', () => {
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
