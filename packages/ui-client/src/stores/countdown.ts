import type { Wait } from '../client/wait.ts'

/** A period during which the user can react. It ends once: after its time, by {@link end}, or with its signal. */
export interface Countdown {
  readonly ended: Promise<void>
  /** Stops the countdown, for example while the user reads. */
  hold(): void
  /** Starts the countdown from the beginning. */
  resume(): void
  end(): void
}

/** Starts a countdown. `act` runs at its end, before `end` or the abortion of the signal returns. */
export function startCountdown(wait: Wait, ms: number, signal: AbortSignal, act?: () => void): Countdown {
  const { promise: ended, resolve: settle } = Promise.withResolvers<void>()
  const resolve = () => {
    act?.()
    act = undefined
    settle()
  }
  let holding = new AbortController()
  const run = () => {
    holding.abort()
    holding = new AbortController()
    wait(ms, holding.signal).then(resolve, () => {})
  }
  const end = () => {
    holding.abort()
    resolve()
  }
  if (signal.aborted) resolve()
  else run()
  signal.addEventListener('abort', end)
  void ended.then(() => signal.removeEventListener('abort', end))
  return { ended, hold: () => holding.abort(), resume: run, end }
}

/** Returns a countdown that controls all these countdowns, and ends after all of them. */
export function joinCountdowns(countdowns: readonly Countdown[]): Countdown {
  const all = (verb: 'hold' | 'resume' | 'end') => () => {
    for (const countdown of countdowns) countdown[verb]()
  }
  const ended = Promise.all(countdowns.map((countdown) => countdown.ended)).then(() => {})
  return { ended, hold: all('hold'), resume: all('resume'), end: all('end') }
}
