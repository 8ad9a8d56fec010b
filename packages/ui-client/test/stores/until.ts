import type { ReadableAtom } from 'nanostores'

/** Resolves with the first value that is as asked. */
export function until<T>($atom: ReadableAtom<T>, isMeant: (value: T) => boolean): Promise<T> {
  return new Promise((resolve) => {
    const stop = $atom.listen((value) => settle(value))
    const settle = (value: T) => {
      if (!isMeant(value)) return
      stop()
      resolve(value)
    }
    settle($atom.get())
  })
}
