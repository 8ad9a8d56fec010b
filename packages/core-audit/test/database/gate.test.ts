import { describe, expect, test, vi } from 'vitest'
import { createGate } from '../../src/database/gate.ts'

const full = new Error('no room')
const openGate = (limit: number, waitMs = 60_000) => createGate({ limit, waitMs, onTimeout: () => full })

/** Returns work that runs until the test calls `end` or `fail`. */
function holdable() {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  return { work: () => promise, end: () => resolve('done'), fail: (reason: Error) => reject(reason) }
}

test('work up to the limit runs immediately, and further work waits', async () => {
  const gate = openGate(2)
  const [first, second, third] = [holdable(), holdable(), holdable()]
  const runs = [first, second, third].map(({ work }) => gate.run(work))
  expect([gate.runningCount, gate.waitingCount]).toEqual([2, 1])
  first.end()
  await runs[0]
  expect([gate.runningCount, gate.waitingCount]).toEqual([2, 0])
  second.end()
  third.end()
  expect(await Promise.all(runs)).toEqual(['done', 'done', 'done'])
  expect([gate.runningCount, gate.waitingCount]).toEqual([0, 0])
})

test('waiting work starts in order of arrival, before work that arrives later', async () => {
  const gate = openGate(1)
  const order: string[] = []
  const named = (name: string) => gate.run(async () => void order.push(name))
  const held = holdable()
  const runs = [gate.run(held.work), named('a'), named('b')]
  held.end()
  // This work arrives in the turn of the event loop in which the place becomes free.
  runs.push(gate.run(async () => void order.push('late')))
  await Promise.all(runs)
  expect(order).toEqual(['a', 'b', 'late'])
})

test('work of startLast waits until no work waits in run', async () => {
  const gate = openGate(1)
  const order: string[] = []
  const named = (name: string) => gate.run(async () => void order.push(name))
  const [held, first] = [holdable(), holdable()]
  const holding = gate.run(held.work)
  const last = [gate.startLast(() => named('last')), gate.startLast(() => named('very last'))]
  const firstRun = gate.run(first.work)
  expect([gate.waitingCount, gate.waitingLastCount]).toEqual([1, 2])
  held.end()
  await holding
  const second = named('second')
  expect([gate.waitingCount, gate.waitingLastCount]).toEqual([1, 2])
  first.end()
  await Promise.all([firstRun, second, ...last])
  expect(order).toEqual(['second', 'last', 'very last'])
  expect([gate.runningCount, gate.waitingCount, gate.waitingLastCount]).toEqual([0, 0, 0])
})

test('failed work frees its place', async () => {
  const gate = openGate(1)
  const held = holdable()
  const failing = gate.run(held.work)
  const next = gate.run(async () => 'next')
  held.fail(full)
  await expect(failing).rejects.toBe(full)
  expect(await next).toBe('next')
  expect(gate.runningCount).toBe(0)
})

test('work that throws synchronously frees its place', async () => {
  const gate = openGate(1)
  const failing = gate.run(() => {
    throw full
  })
  await expect(failing).rejects.toBe(full)
  expect(gate.runningCount).toBe(0)
})

describe('with a fake clock', () => {
  test('waiting work is rejected after the maximum wait and never runs', async () => {
    vi.useFakeTimers()
    try {
      const gate = openGate(1, 5_000)
      const held = holdable()
      const holding = gate.run(held.work)
      const ran = vi.fn(async () => 'late')
      const refused = expect(gate.run(ran)).rejects.toBe(full)
      await vi.advanceTimersByTimeAsync(4_999)
      expect(gate.waitingCount).toBe(1)
      await vi.advanceTimersByTimeAsync(1)
      await refused
      expect(gate.waitingCount).toBe(0)
      held.end()
      await holding
      expect(ran).not.toHaveBeenCalled()
      expect(gate.runningCount).toBe(0)
      expect(vi.getTimerCount()).toBe(0)
    } finally {
      vi.useRealTimers()
    }
  })
})
