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

test('an answer that does not come in time is missed, once', () => {
  const { exchange, onMissed } = open(100)
  exchange.asked()
  vi.advanceTimersByTime(99)
  expect(onMissed).not.toHaveBeenCalled()
  vi.advanceTimersByTime(1_000)
  expect(onMissed).toHaveBeenCalledOnce()
})

test('nothing is missed while nothing is owed, however often something was', () => {
  const { exchange, onMissed } = open(100)
  for (let round = 0; round < 3; round += 1) {
    exchange.asked()
    vi.advanceTimersByTime(99)
    exchange.answered()
    vi.advanceTimersByTime(1_000)
  }
  expect(onMissed).not.toHaveBeenCalled()
})

test('what waits in line has its time from the answer before it', () => {
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

test('a question that is asked later does not prolong the wait for the first one', () => {
  const { deadline, exchange, onMissed } = open(100)
  exchange.asked()
  vi.advanceTimersByTime(60)
  deadline.exchange().asked()
  exchange.asked()
  vi.advanceTimersByTime(40)
  expect(onMissed).toHaveBeenCalledOnce()
})

test('an exchange that is answered twice settles no other', () => {
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
  ['without a limit', null],
])('a deadline that is %s misses nothing', (_case, deadlineMs) => {
  const { deadline, exchange, onMissed } = open(deadlineMs)
  exchange.asked()
  if (deadlineMs !== null) deadline.stop()
  exchange.answered()
  exchange.asked()
  vi.advanceTimersByTime(10_000)
  expect(onMissed).not.toHaveBeenCalled()
  expect(vi.getTimerCount()).toBe(0)
})
