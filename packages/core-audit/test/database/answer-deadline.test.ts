import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createAnswerDeadline } from '../../src/database/answer-deadline.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

function open(deadlineMs: number | null) {
  const onMissed = vi.fn()
  const deadline = createAnswerDeadline(deadlineMs, onMissed)
  return { deadline, onMissed, exchange: deadline.exchange() }
}

test('onMissed is called once for a late answer', () => {
  const { exchange, onMissed } = open(100)
  exchange.asked()
  vi.advanceTimersByTime(99)
  expect(onMissed).not.toHaveBeenCalled()
  vi.advanceTimersByTime(1_000)
  expect(onMissed).toHaveBeenCalledOnce()
})

test('onMissed is never called while no answer is pending', () => {
  const { exchange, onMissed } = open(100)
  for (let round = 0; round < 3; round += 1) {
    exchange.asked()
    vi.advanceTimersByTime(99)
    exchange.answered()
    vi.advanceTimersByTime(1_000)
  }
  expect(onMissed).not.toHaveBeenCalled()
})

test('the deadline of a queued request starts at the previous answer', () => {
  const { deadline, exchange, onMissed } = open(100)
  const second = deadline.exchange()
  exchange.asked()
  second.asked()
  vi.advanceTimersByTime(60)
  exchange.answered()
  vi.advanceTimersByTime(99)
  expect(onMissed).not.toHaveBeenCalled()
  vi.advanceTimersByTime(1)
  expect(onMissed).toHaveBeenCalledOnce()
})

test('a later request does not extend the deadline of the first request', () => {
  const { deadline, exchange, onMissed } = open(100)
  exchange.asked()
  vi.advanceTimersByTime(60)
  deadline.exchange().asked()
  exchange.asked()
  vi.advanceTimersByTime(40)
  expect(onMissed).toHaveBeenCalledOnce()
})

test('answering one request twice does not answer another request', () => {
  const { deadline, exchange, onMissed } = open(100)
  deadline.exchange().asked()
  exchange.asked()
  exchange.answered()
  exchange.answered()
  vi.advanceTimersByTime(100)
  expect(onMissed).toHaveBeenCalledOnce()
})

test.each([
  ['stopped', 100],
  ['unlimited', null],
])('onMissed is never called by a deadline that is %s', (_case, deadlineMs) => {
  const { deadline, exchange, onMissed } = open(deadlineMs)
  exchange.asked()
  if (deadlineMs !== null) deadline.stop()
  exchange.answered()
  exchange.asked()
  vi.advanceTimersByTime(10_000)
  expect(onMissed).not.toHaveBeenCalled()
  expect(vi.getTimerCount()).toBe(0)
})
