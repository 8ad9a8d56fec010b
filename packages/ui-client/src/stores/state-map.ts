import { atom, type WritableAtom } from 'nanostores'

/** States by key, for example of the rows of a list. They are empty from the abortion of the signal on. */
export interface StateMap<State> {
  readonly $states: WritableAtom<ReadonlyMap<string, State>>
  /** Replaces the state of a key, or removes it. */
  set(key: string, state: State | null): void
}

export function stateMap<State>(
  signal: AbortSignal,
  initial: Iterable<readonly [string, State]> = [],
): StateMap<State> {
  const $states = atom<ReadonlyMap<string, State>>(new Map(signal.aborted ? [] : initial))
  signal.addEventListener('abort', () => $states.set(new Map()))
  return {
    $states,
    set(key, state) {
      if (signal.aborted) return
      const states = new Map($states.get())
      if (state === null) states.delete(key)
      else states.set(key, state)
      $states.set(states)
    },
  }
}
