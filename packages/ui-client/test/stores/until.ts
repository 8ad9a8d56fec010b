import type { ReadableAtom } from 'nanostores'

/** Resolves with the first value of the atom that matches. */
export function until<T>($atom: ReadableAtom<T>, matches: (value: T) => boolean): Promise<T> {
  return new Promise((resolve) => {
    const stop = $atom.listen((value) => settle(value))
    const settle = (value: T) => {
      if (!matches(value)) return
      stop()
      resolve(value)
    }
    settle($atom.get())
  })
}
