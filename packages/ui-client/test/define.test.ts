import { expect, onTestFinished, test, vi } from 'vitest'
import { define } from '../src/elements/define.ts'

/** An element of the browser. Node has none. */
const element = (): CustomElementConstructor => class {} as CustomElementConstructor

test('an element is registered once, and another copy of the package is reported', () => {
  const registered = new Map<string, CustomElementConstructor>()
  vi.stubGlobal('customElements', {
    get: (tag: string) => registered.get(tag),
    define: (tag: string, one: CustomElementConstructor) => registered.set(tag, one),
  })
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => {})
  onTestFinished(() => {
    vi.unstubAllGlobals()
    warn.mockRestore()
  })
  const [first, second] = [element(), element()]
  define({ 'vk-notes': first })
  define({ 'vk-notes': first })
  expect(warn).not.toHaveBeenCalled()
  define({ 'vk-notes': second })
  expect(registered.get('vk-notes')).toBe(first)
  expect(warn).toHaveBeenCalledExactlyOnceWith('Another copy of the kit has registered <vk-notes>.')
})
