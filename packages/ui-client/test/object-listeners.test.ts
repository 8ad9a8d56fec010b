import { expect, onTestFinished, test, vi } from 'vitest'
import { objectListeners } from '../src/stores/object-listeners.ts'

const target = {
  kind: 'Document',
  typeCode: 'trade.sales_invoice',
  id: '018f0000-0000-7000-8000-000000000001',
} as const

test('a subscription that fails is tried again on the same connection, and a refused one is not', async () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const subscribe = vi
    .fn<() => Promise<boolean>>()
    .mockRejectedValueOnce(new Error('The service is unavailable. Try again.'))
    .mockResolvedValueOnce(true)
    .mockResolvedValue(false)
  const objects = objectListeners()
  objects.connected({ subscribe, unsubscribe: () => Promise.resolve() })
  const heard = vi.fn()
  objects.add(target, heard)
  await vi.advanceTimersByTimeAsync(29_999)
  expect(subscribe).toHaveBeenCalledTimes(1)
  await vi.advanceTimersByTimeAsync(1)
  expect(heard).toHaveBeenCalledTimes(1)

  objects.add({ ...target, id: '018f0000-0000-7000-8000-000000000002' }, heard)
  await vi.advanceTimersByTimeAsync(300_000)
  expect(subscribe).toHaveBeenCalledTimes(3)
})
