import { createDatabase, databaseDefaults } from '@vertical-kit/core-audit/database'
import { expect, onTestFinished, test, vi } from 'vitest'
import { createAnchorPublisher } from '../../../src/audit/seal/anchor-publisher.ts'
import { config } from './sealed-log.ts'

const sealOf = (sequence: number) => ({
  ...{ sequence, hash: `${sequence}`.padStart(64, '0'), lastEventId: 'an event' },
})

test('a call of storeAnchor that never settles fails, and its anchor is stored again before a newer one', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const calls: { readonly sequence: number; readonly signal: AbortSignal }[] = []
  const publisher = createAnchorPublisher({
    // A publication does not connect.
    database: createDatabase({ ...databaseDefaults, url: 'postgres://nobody@127.0.0.1:1/none' }),
    config: { ...config, anchorIntervalMs: 0 },
    async storeAnchor({ sequence }, signal) {
      calls.push({ sequence, signal })
      if (calls.length <= 2) await new Promise(() => {})
    },
  })
  const publish = (sequence: number) => publisher.publish(sealOf(sequence), new AbortController().signal)
  for (const attempt of [1, 2]) {
    const failed = expect(publish(attempt)).rejects.toThrow('storeAnchor has not settled after 180 s.')
    await vi.waitUntil(() => calls.length === attempt)
    vi.advanceTimersByTime(179_999)
    expect(calls.at(-1)?.signal.aborted).toBe(false)
    vi.advanceTimersByTime(1)
    await failed
    expect(calls.at(-1)?.signal.aborted).toBe(true)
  }
  for (const sequence of [3, 3, 4]) await publish(sequence)
  expect(calls.map(({ sequence }) => sequence)).toEqual([1, 1, 1, 3, 4])
})
