import { expect, onTestFinished, test, vi } from 'vitest'
import { createShrinkingBatches, runBatches, runEach } from '../src/shrinking-batches.ts'

test('after a failure, batches have half the size, and they grow again after a minute', async () => {
  vi.useFakeTimers({ toFake: ['performance'] })
  onTestFinished(() => void vi.useRealTimers())
  const batches = createShrinkingBatches(25)
  const sizes: number[] = []
  let left = 9
  const batch = async (size: number) => {
    sizes.push(size)
    if (size > 3) throw new Error('statement timeout')
    left -= size
    return left > 0
  }
  await runBatches(batches, new AbortController().signal, batch)
  expect(sizes).toEqual([25, 12, 6, 3, 3, 3])
  vi.advanceTimersByTime(60_000)
  await batches.run(async () => {})
  await batches.run(async () => {})
  expect(batches.size).toBe(12)
})

test('the error of a batch with one item ends the run', async () => {
  const batches = createShrinkingBatches(4)
  const sizes: number[] = []
  const running = runBatches(batches, new AbortController().signal, async (size) => {
    sizes.push(size)
    throw new Error('damaged')
  })
  await expect(running).rejects.toThrow('damaged')
  expect(sizes).toEqual([4, 2, 1])
})

test('a failed step does not stop the others, and all errors are thrown', async () => {
  const ran: string[] = []
  const step = (name: string, error?: Error) => async () => {
    ran.push(name)
    if (error !== undefined) throw error
  }
  const [one, other] = [new Error('one'), new Error('other')]
  await expect(runEach([step('a', one), step('b')])).rejects.toBe(one)
  await expect(runEach([step('c', one), step('d', other)])).rejects.toMatchObject({ errors: [one, other] })
  expect(ran).toEqual(['a', 'b', 'c', 'd'])
})
