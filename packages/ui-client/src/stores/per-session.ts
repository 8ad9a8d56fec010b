import type { Session } from '../session/session.ts'

/** Returns a function that creates one store per session. All readers of a session share this store and its requests. */
export function perSession<S>(create: (session: Session) => S): (session: Session) => S {
  const made = new WeakMap<Session, S>()
  return (session) => {
    const store = made.get(session) ?? create(session)
    made.set(session, store)
    return store
  }
}
