import { afterEach, expect, test, vi } from 'vitest'
import { onDemand, preload } from '../src/client/on-demand.ts'

afterEach(() => void vi.unstubAllGlobals())

/** A part whose loads end with these outcomes, in order. */
function partOf<T>(...outcomes: readonly (T | Error)[]) {
  const left = [...outcomes]
  const load = vi.fn(async () => {
    const outcome = left.shift()
    if (outcome instanceof Error) throw outcome
    return outcome as T
  })
  return { part: onDemand(load), load }
}

/** A browser that calls the returned functions when it is idle. */
function idleBrowser(): readonly (() => void)[] {
  const callbacks: (() => void)[] = []
  vi.stubGlobal('document', {})
  vi.stubGlobal('requestIdleCallback', (callback: () => void) => callbacks.push(callback))
  return callbacks
}

test('concurrent and later calls share one load', async () => {
  const { part, load } = partOf({ name: 'tools' })
  expect(part.get()).toBeNull()
  const loads = [part.load(), part.load()]
  expect(await Promise.all(loads)).toEqual([{ name: 'tools' }, { name: 'tools' }])
  expect(await part.load()).toBe(part.get())
  expect(load).toHaveBeenCalledOnce()
})

test('a part that cannot be loaded has an error code, and the next call loads it again', async () => {
  const cause = new TypeError('Failed to fetch dynamically imported module')
  const { part } = partOf(cause, { name: 'tools' })
  await expect(part.load()).rejects.toMatchObject({ code: 'client.part_not_loaded', status: 0, cause })
  expect(part.get()).toBeNull()
  expect(await part.load()).toEqual({ name: 'tools' })
})

test('an idle browser preloads a part once, and ignores that it cannot be loaded', async () => {
  const callbacks = idleBrowser()
  const { part, load } = partOf(new TypeError('offline'), { name: 'tools' })
  preload(part)
  expect(load).not.toHaveBeenCalled()
  callbacks[0]?.()
  await vi.waitFor(() => expect(load).toHaveBeenCalledOnce())
  expect(await part.load()).toEqual({ name: 'tools' })
  preload(part)
  expect(callbacks).toHaveLength(1)
})

test('a browser without a network preloads when the network returns', async () => {
  const callbacks = idleBrowser()
  const network = new EventTarget()
  vi.stubGlobal('addEventListener', network.addEventListener.bind(network))
  vi.stubGlobal('navigator', { onLine: false })
  const { part, load } = partOf({ name: 'tools' })
  preload(part)
  callbacks[0]?.()
  expect(load).not.toHaveBeenCalled()
  vi.stubGlobal('navigator', { onLine: true })
  network.dispatchEvent(new Event('online'))
  await part.load()
  expect(load).toHaveBeenCalledOnce()
})

test('a browser without idle callbacks preloads after a second, and a server never preloads', async () => {
  const { part, load } = partOf({ name: 'tools' })
  preload(part)
  const timeouts: [() => void, number][] = []
  vi.stubGlobal('document', {})
  vi.stubGlobal('setTimeout', (...timeout: [() => void, number]) => timeouts.push(timeout))
  preload(part)
  expect(timeouts.map(([, ms]) => ms)).toEqual([1_000])
  expect(load).not.toHaveBeenCalled()
  timeouts[0]?.[0]()
  await part.load()
  expect(load).toHaveBeenCalledOnce()
})
