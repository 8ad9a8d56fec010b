import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { backoffMs, decideOutcome, outboxStatus } from '../../src/outbox/policy.ts'

describe('the delay after a failed attempt', () => {
  test.each([
    [1, 1_600, 2_400],
    [2, 3_200, 4_800],
    [3, 6_400, 9_600],
    [7, 102_400, 153_600],
    [9, 409_600, 614_400],
    [10, 720_000, 900_000],
    [1_000, 720_000, 900_000],
  ])('after attempt %i is between %i and %i ms', (attempt, leastMs, mostMs) => {
    expect(backoffMs(attempt, 0)).toBe(leastMs)
    expect(backoffMs(attempt, 1)).toBe(mostMs)
  })

  test('is 2^n s ± 20 %, at most 900 s, for every random number', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 2_000 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (attempt, random) => {
          const plainMs = Math.min(2 ** attempt, 900) * 1_000
          const ms = backoffMs(attempt, random)
          expect(ms).toBeGreaterThanOrEqual(plainMs * 0.8)
          expect(ms).toBeLessThanOrEqual(Math.min(plainMs * 1.2, 900_000))
        },
      ),
    )
  })
})

test.each([
  [1, 8, { state: 'pending', delayMs: 2_000 }],
  [7, 8, { state: 'pending', delayMs: 128_000 }],
  [8, 8, { state: 'dead' }],
  [9, 8, { state: 'dead' }],
  [1, 1, { state: 'dead' }],
] as const)('attempt %i of %i leads to %j after a failure', (attempt, maxAttempts, outcome) => {
  expect(decideOutcome({ attempt, maxAttempts }, 0.5)).toEqual(outcome)
})

test.each([
  [0, null, 'Healthy'],
  [0, 900, 'Healthy'],
  [0, 901, 'Unhealthy'],
  [1, null, 'Degraded'],
  [3, 900, 'Degraded'],
  [3, 901, 'Unhealthy'],
] as const)(
  'with %i dead letters and an oldest pending age of %j s, the status is %s',
  (deadCount, oldestPendingAgeSeconds, status) => {
    expect(outboxStatus({ deadCount, oldestPendingAgeSeconds })).toBe(status)
  },
)
