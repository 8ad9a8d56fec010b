import { atom, onMount, type ReadableAtom } from 'nanostores'

/** How often the age of an instant is shown again. */
const tickMs = 30_000

const $count = atom(0)
onMount($count, () => {
  const timer = setInterval(() => $count.set($count.get() + 1), tickMs)
  return () => clearInterval(timer)
})

/** Changes every 30 s while an element observes it. Elements that show relative times return it in `atomsOf`. */
export const $tick: ReadableAtom<number> = $count
