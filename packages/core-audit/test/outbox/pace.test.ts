import { expect, test } from 'vitest'
import { createPace } from '../../src/outbox/pace.ts'

test('the first batch is as large as its claim', () => {
  expect(createPace(60_000).eventLimit).toBe(Number.POSITIVE_INFINITY)
})

test.each<[eventCount: number, durationMs: number, limit: number]>([
  [25, 25, 15_000],
  [25, 25_000, 15],
  [1, 14_000, 1],
  // One event takes longer than the lease.
  [1, 90_000, 1],
  [25, 0, Number.POSITIVE_INFINITY],
])('after %i events in %i ms the next transaction has at most %i events', (eventCount, durationMs, limit) => {
  const pace = createPace(60_000)
  pace.record(eventCount, durationMs)
  expect(pace.eventLimit).toBe(limit)
})

test('only the last transaction affects the pace', () => {
  const pace = createPace(60_000)
  pace.record(1, 30_000)
  pace.record(1, 1_000)
  expect(pace.eventLimit).toBe(15)
})
