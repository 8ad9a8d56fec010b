import type { Session } from '../session/session.ts'

/** Makes one store for each session, whoever asks for it: so that several readers ask the service once. */
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

/** What is asked once and then kept for a while: calls at the same time, and soon after, share one answer. */
export function shared(ask: () => Promise<boolean>, keptMs: number): () => Promise<void> {
  let freshUntilMs = Number.NEGATIVE_INFINITY
  let underWay: Promise<void> | null = null
  return () => {
    if (performance.now() < freshUntilMs) return Promise.resolve()
    underWay ??= ask()
      .then((isAnswered) => {
        if (isAnswered) freshUntilMs = performance.now() + keptMs
      })
      .finally(() => {
        underWay = null
      })
    return underWay
  }
}
