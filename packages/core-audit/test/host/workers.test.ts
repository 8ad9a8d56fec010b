import { startWorkers, type Worker } from '@vertical-kit/core-audit/host'
import { captureLog } from '@vertical-kit/core-audit/testing'
import { describe, expect, test, vi } from 'vitest'
import { createBell } from '../../src/host/workers.ts'

const { logger } = captureLog()

/** Longer than any test, so only a bell or a stop ends a wait of this length. */
const foreverMs = 2 ** 31 - 1

/** Creates a worker. The test decides when each of its cycles ends. */
function scripted(intervalMs: number) {
  const started: { end: () => void; fail: (reason: Error) => void; signal: AbortSignal }[] = []
  let tellStarted = () => {}
  const worker: Worker = {
    name: 'scripted',
    intervalMs,
    runOnce: (signal) => {
      const { promise, resolve, reject } = Promise.withResolvers<void>()
      started.push({ end: resolve, fail: reject, signal })
      tellStarted()
      return promise
    },
  }
  /** Waits for the cycle with this number; the first is 1. */
  const cycle = async (number: number) => {
    while (started.length < number) {
      await new Promise<void>((resolve) => {
        tellStarted = resolve
      })
    }
    const found = started[number - 1]
    if (found === undefined) throw new Error('no such cycle')
    return found
  }
  return { worker, cycle, count: () => started.length }
}

describe('a worker', () => {
  test('runs immediately, and again after its interval', async () => {
    const { worker, cycle } = scripted(1)
    const running = startWorkers([worker], logger)
    for (const number of [1, 2, 3]) (await cycle(number)).end()
    const last = await cycle(4)
    const stopped = running.stop()
    last.end()
    await stopped
  })

  test('waits its interval from the end of a cycle, and never runs two cycles concurrently', async () => {
    vi.useFakeTimers()
    try {
      const { worker, cycle, count } = scripted(30_000)
      const running = startWorkers([worker], logger)
      const first = await cycle(1)
      await vi.advanceTimersByTimeAsync(120_000)
      expect(count()).toBe(1)
      first.end()
      await vi.advanceTimersByTimeAsync(29_999)
      expect(count()).toBe(1)
      await vi.advanceTimersByTimeAsync(1)
      expect(count()).toBe(2)
      ;(await cycle(2)).end()
      await running.stop()
      expect(vi.getTimerCount()).toBe(0)
    } finally {
      vi.useRealTimers()
    }
  })

  test.each<[string, Worker['runOnce']]>([
    ['rejects', () => Promise.reject(new Error('database unavailable'))],
    [
      'throws',
      () => {
        throw new Error('database unavailable')
      },
    ],
  ])('with a cycle that %s logs the error and continues', async (_case, failOnce) => {
    const log = captureLog()
    const { worker, cycle } = scripted(1)
    let isFirst = true
    const failing: Worker = {
      ...worker,
      runOnce: (signal) => {
        if (!isFirst) return worker.runOnce(signal)
        isFirst = false
        return failOnce(signal)
      },
    }
    const running = startWorkers([failing], log.logger)
    const second = await cycle(1)
    second.end()
    await running.stop()
    expect(log.entries).toEqual([
      expect.objectContaining({
        level: 'error',
        worker: 'scripted',
        err: expect.objectContaining({ message: 'database unavailable' }),
      }),
    ])
  })
})

describe('a bell', () => {
  /** Starts a loop with a bell and a practically infinite interval. */
  function withBell() {
    const script = scripted(foreverMs)
    const bell = createBell()
    return { ...script, bell, running: startWorkers([{ ...script.worker, bell }], logger) }
  }

  test('wakes a loop that waits', async () => {
    const { cycle, bell, running } = withBell()
    for (const number of [1, 2, 3]) {
      ;(await cycle(number)).end()
      await new Promise(setImmediate)
      bell.ring()
    }
    const last = await cycle(4)
    const stopped = running.stop()
    last.end()
    await stopped
  })

  test('starts only one more cycle if it rings several times during a cycle', async () => {
    const { cycle, count, bell, running } = withBell()
    const first = await cycle(1)
    for (let ring = 0; ring < 5; ring += 1) bell.ring()
    first.end()
    ;(await cycle(2)).end()
    for (let turn = 0; turn < 5; turn += 1) await new Promise(setImmediate)
    expect(count()).toBe(2)
    await running.stop()
    expect(count()).toBe(2)
  })

  test('does not prevent cycles after the interval', async () => {
    const { worker, cycle } = scripted(1)
    const running = startWorkers([{ ...worker, bell: createBell() }], logger)
    for (const number of [1, 2, 3]) (await cycle(number)).end()
    const last = await cycle(4)
    const stopped = running.stop()
    last.end()
    await stopped
  })
})

describe('stopping', () => {
  test('wakes a worker that waits', async () => {
    const { worker, cycle } = scripted(foreverMs)
    const running = startWorkers([worker], logger)
    ;(await cycle(1)).end()
    await running.stop()
  })

  test('aborts the signal of a running cycle and waits for its end', async () => {
    const { worker, cycle, count } = scripted(1)
    const running = startWorkers([worker], logger)
    const { signal, end } = await cycle(1)
    expect(signal.aborted).toBe(false)
    let isStopped = false
    const stopped = running.stop().then(() => {
      isStopped = true
    })
    expect(signal.aborted).toBe(true)
    await new Promise(setImmediate)
    expect(isStopped).toBe(false)
    end()
    await stopped
    expect(count()).toBe(1)
  })

  test('finishes a worker once, after its last cycle', async () => {
    const { worker, cycle } = scripted(foreverMs)
    const order: string[] = []
    const running = startWorkers([{ ...worker, finish: async () => void order.push('finished') }], logger)
    const { end } = await cycle(1)
    const stopped = Promise.all([running.stop(), running.stop()])
    await new Promise(setImmediate)
    order.push('ended')
    end()
    await stopped
    expect(order).toEqual(['ended', 'finished'])
  })

  test.each<[string, Partial<Worker>]>([
    ['cycle failed', { runOnce: () => Promise.reject(new Error('database unavailable')) }],
    ['finish failed', { finish: () => Promise.reject(new Error('database unavailable')) }],
    ['stop took too long', { finish: () => new Promise(() => {}) }],
  ])('remembers the interval of a worker whose %s', async (_case, part) => {
    const worker: Worker = { name: 'failing', intervalMs: 5_000, runOnce: async () => {}, ...part }
    const failing = new Map([['removed', 1_000]])
    await startWorkers([worker, { ...worker, name: 'only while open', dueAt: null }], logger, failing).stop(1)
    expect([...failing]).toEqual([['failing', 5_000]])
  })

  test('forgets a failure after a complete cycle, but not after an aborted one', async () => {
    const failing = new Map([['scripted', 5_000]])
    for (const isAborted of [true, false]) {
      const { worker, cycle } = scripted(foreverMs)
      const running = startWorkers([worker], logger, failing)
      const { end } = await cycle(1)
      const stopped = isAborted ? running.stop() : undefined
      end()
      await (stopped ?? running.cycled)
      expect(failing.has('scripted')).toBe(isAborted)
      await running.stop()
    }
  })

  test('names in the log what tries again after a failed cycle and after a failed finish', async () => {
    const log = captureLog()
    const fail = () => Promise.reject(new Error('database unavailable'))
    const worker: Worker = { name: 'failing', intervalMs: foreverMs, runOnce: fail, finish: fail }
    await startWorkers([worker], log.logger).stop()
    expect(log.entries.map(({ msg }) => msg)).toEqual([
      'The cycle failed; the next one tries again.',
      'The last step failed; the next start tries again.',
    ])
  })

  test('gives up a worker that hangs, and logs its name', async () => {
    const hanging = scripted(foreverMs)
    const log = captureLog()
    const running = startWorkers([hanging.worker], log.logger)
    const { end } = await hanging.cycle(1)
    await running.stop(1)
    expect(log.entries).toEqual([expect.objectContaining({ level: 'warn', workers: [hanging.worker.name] })])
    end()
  })

  test('waits for all workers and can be called twice', async () => {
    const [one, two] = [scripted(foreverMs), scripted(foreverMs)]
    const running = startWorkers([one.worker, two.worker], logger)
    const cycles = await Promise.all([one.cycle(1), two.cycle(1)])
    const stopped = Promise.all([running.stop(), running.stop()])
    for (const { end } of cycles) end()
    await stopped
  })

  test('resolves without workers', async () => {
    await startWorkers([], logger).stop()
  })
})
