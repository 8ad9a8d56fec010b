import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createRateLimiter, type RateLimiterOptions } from '../../src/host/rate-limiter.ts'

/** A limiter with a clock that the test sets. */
function limiterAt(rate: { count: number; windowMs: number }, options: Partial<RateLimiterOptions> = {}) {
  const clock = { ms: 0 }
  const limiter = createRateLimiter(rate, { now: () => clock.ms, ...options })
  /** Takes one request if it is allowed, and returns whether it is. */
  const request = (key = 'ada'): boolean => {
    const isAllowed = limiter.remaining(key) > 0
    if (isAllowed) limiter.take(key)
    return isAllowed
  }
  return { clock, limiter, request }
}

test('after a pause, the whole rate is allowed together', () => {
  const { limiter, request } = limiterAt({ count: 3, windowMs: 30_000 })
  expect([request(), request(), request(), request()]).toEqual([true, true, true, false])
  expect(limiter.nextInMs('ada')).toBe(10_000)
  expect(limiter.resetInMs('ada')).toBe(30_000)
})

test('a used-up rate returns evenly', () => {
  const { clock, limiter, request } = limiterAt({ count: 3, windowMs: 30_000 })
  for (let n = 0; n < 3; n += 1) request()
  clock.ms = 9_000
  expect([request(), limiter.nextInMs('ada')]).toEqual([false, 1_000])
  clock.ms = 10_000
  expect([request(), request()]).toEqual([true, false])
  clock.ms = 40_000
  expect(limiter.remaining('ada')).toBe(3)
  expect([limiter.nextInMs('ada'), limiter.resetInMs('ada')]).toEqual([0, 0])
})

test('each key has its own rate', () => {
  const { request } = limiterAt({ count: 1, windowMs: 1_000 })
  expect([request('ada'), request('ada'), request('bob')]).toEqual([true, false, true])
})

test('no time of a window contains more than twice the rate, and the average never exceeds it', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 50 }),
      fc.integer({ min: 1_000, max: 60_000 }),
      fc.array(fc.integer({ min: 0, max: 5_000 }), { maxLength: 300 }),
      (count, windowMs, pausesMs) => {
        const { clock, request } = limiterAt({ count, windowMs })
        clock.ms = 1e9
        const allowedAtMs: number[] = []
        for (const pauseMs of pausesMs) {
          clock.ms += pauseMs
          if (request()) allowedAtMs.push(clock.ms)
        }
        for (const [index, fromMs] of allowedAtMs.entries()) {
          const inWindow = allowedAtMs.slice(index).filter((ms) => ms - fromMs < windowMs)
          expect(inWindow.length).toBeLessThanOrEqual(2 * count)
        }
        const passedMs = clock.ms - 1e9
        expect(allowedAtMs.length).toBeLessThanOrEqual(count + (passedMs * count) / windowMs + 1)
      },
    ),
    { interruptAfterTimeLimit: 10_000 },
  )
})

test('memory is bounded: keys that were not used for the longest time start again', () => {
  const { limiter, request } = limiterAt({ count: 2, windowMs: 1_000_000 }, { keysMax: 4 })
  for (const key of ['a', 'b', 'c', 'a', 'd', 'e']) {
    request(key)
    expect(limiter.keyCount()).toBeLessThanOrEqual(4)
  }
  expect(['a', 'b', 'c', 'd', 'e'].map((key) => limiter.remaining(key))).toEqual([0, 2, 1, 1, 1])
})

test('a million keys take no more memory than the maximum', () => {
  const { limiter, request } = limiterAt({ count: 1, windowMs: 1_000_000 })
  for (let n = 0; n < 1_000_000; n += 1) request(`${n}`)
  expect(limiter.keyCount()).toBeLessThanOrEqual(50_000)
})

test('unused keys disappear as others are used', () => {
  const { clock, limiter, request } = limiterAt({ count: 1, windowMs: 1_000 })
  for (let n = 0; n < 1_000; n += 1) request(`early ${n}`)
  for (const ms of [1_000, 2_000]) {
    clock.ms = ms
    request('late')
  }
  expect(limiter.keyCount()).toBeLessThanOrEqual(2)
  expect(limiter.remaining('late')).toBe(0)
})
