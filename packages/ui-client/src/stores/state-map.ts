import type { ReadableAtom } from 'nanostores'
import { openState } from './store.ts'

/** States by key, for example of the rows of a list. They are empty from the abortion of the signal on. */
export interface StateMap<State> {
  readonly $states: ReadableAtom<ReadonlyMap<string, State>>
  /** Replaces the state of a key, or removes it. */
  set(key: string, state: State | null): void
}

export function stateMap<State>(
  signal: AbortSignal,
  initial: Iterable<readonly [string, State]> = [],
): StateMap<State> {
  const { $state: $states, set } = openState<ReadonlyMap<string, State>>(signal, new Map())
  set(new Map(initial))
  return {
    $states,
    set(key, state) {
      const states = new Map($states.get())
      if (state === null) states.delete(key)
      else states.set(key, state)
      set(states)
    },
  }
}
