import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createAdmission } from '../../src/database/admission.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const full = new Error('no place')
const openAdmission = () => createAdmission<string>({ waitMs: 5_000, onTimeout: () => full })

test('work waits in order of arrival, even if a place suits only later work', async () => {
  const admission = openAdmission()
  let large: string | undefined
  const first = admission.enter(() => large)
  const second = admission.enter(() => 'small')
  expect(admission.waitingCount).toBe(2)
  admission.proceed()
  expect(admission.waitingCount).toBe(2)
  large = 'large'
  admission.proceed()
  expect(await Promise.all([first, second])).toEqual(['large', 'small'])
  expect(admission.waitingCount).toBe(0)
  expect(admission.enter(() => 'free')).toBe('free')
})

test('when the first waiting work gives up, later work takes the place that suits it', async () => {
  const admission = openAdmission()
  const first = expect(admission.enter(() => undefined)).rejects.toBe(full)
  await vi.advanceTimersByTimeAsync(4_000)
  const second = admission.enter(() => 'small')
  await vi.advanceTimersByTimeAsync(1_000)
  await first
  expect(await second).toBe('small')
  expect(vi.getTimerCount()).toBe(0)
})

test('if no place can be created for waiting work, only this work fails', async () => {
  const admission = openAdmission()
  const broken = new Error('no certificate')
  let isFree = false
  const failing = admission.enter(() => {
    if (isFree) throw broken
    return undefined
  })
  const failed = expect(failing).rejects.toBe(broken)
  const next = admission.enter(() => (isFree ? 'place' : undefined))
  isFree = true
  admission.proceed()
  await failed
  expect(await next).toBe('place')
  expect(admission.waitingCount).toBe(0)
  expect(vi.getTimerCount()).toBe(0)
})
