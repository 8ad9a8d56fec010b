import type { Session } from '../session/session.ts'

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

/** Returns a function that sends one request for all concurrent calls, and none for `keptMs` after a success. */
export function shared(request: () => Promise<boolean>, keptMs: number): () => Promise<void> {
  let freshUntilMs = Number.NEGATIVE_INFINITY
  let inProgress: Promise<void> | null = null
  return () => {
    if (performance.now() < freshUntilMs) return Promise.resolve()
    inProgress ??= request()
      .then((isAnswered) => {
        if (isAnswered) freshUntilMs = performance.now() + keptMs
      })
      .finally(() => {
        inProgress = null
      })
    return inProgress
  }
}
