import type { Session } from '../session/session.ts'
import { onOnline } from './store.ts'

/** Returns a function that creates one store per session. All readers of a session share this store and its requests. */
export function perSession<S>(create: (session: Session) => S): (session: Session) => S {
  const made = new WeakMap<Session, S>()
  return (session) => {
    const known = made.get(session)
    if (known !== undefined) return known
    const store = create(session)
    made.set(session, store)
    return store
  }
}

/** The signal of a store, and the milliseconds for which its content is kept. */
export interface SharedOptions {
  readonly signal: AbortSignal
  readonly keptMs: number
}

/**
 * Returns a function that sends one request for all concurrent calls, and none for `keptMs` after a success. In a browser, a
 * failed request is sent again when the network returns.
 */
export function shared(
  request: () => Promise<boolean>,
  { signal, keptMs }: SharedOptions,
): () => Promise<void> {
  let freshUntilMs = Number.NEGATIVE_INFINITY
  let inProgress: Promise<void> | null = null
  let hasFailed = false
  const load = (): Promise<void> => {
    if (performance.now() < freshUntilMs) return Promise.resolve()
    inProgress ??= request()
      .then((isAnswered) => {
        hasFailed = !isAnswered
        if (isAnswered) freshUntilMs = performance.now() + keptMs
      })
      .finally(() => {
        inProgress = null
      })
    return inProgress
  }
  onOnline(signal, () => hasFailed && void load())
  return load
}
