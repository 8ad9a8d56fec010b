import type { Connection } from './connection.ts'
import { createGate } from './gate.ts'

/** What the pool lends: a connection, and what its user keeps beside it. */
export interface Pooled {
  readonly connection: Connection
}

export interface ConnectionPoolOptions<Session extends Pooled> {
  readonly max: number
  /** How long work waits for a connection. */
  readonly waitMs: number
  /** Prepares a connection that tells `onLost` when it closes. */
  readonly open: (onLost: () => void) => Session
  /** Makes what work is refused with when none came free in time, or the pool is closed. */
  readonly refusal: () => Error
}

/** Connections, each lent to one piece of work at a time. */
export interface ConnectionPool<Session extends Pooled> {
  run<T>(work: (session: Session) => Promise<T>): Promise<T>
  readonly runningCount: number
  readonly waitingCount: number
  /** Lets running statements finish for `graceSeconds`, then closes every connection. Later work is refused. */
  close(graceSeconds: number): Promise<void>
}

/**
 * Opens a pool; nothing connects before the first statement. One client a connection, so that whatever a lost one
 * leaves behind in its client is thrown away with it: the next work gets a new client, and none of the past.
 */
export function createConnectionPool<Session extends Pooled>(
  options: ConnectionPoolOptions<Session>,
): ConnectionPool<Session> {
  const { max, waitMs, open, refusal } = options
  const gate = createGate({ limit: max, waitMs, onTimeout: refusal })
  const all = new Set<Session>()
  /** The one used last comes next, so that those in excess grow idle and close. */
  const idle: Session[] = []
  let isClosed = false

  const add = (): Session => {
    const session = open(() => {
      const index = idle.indexOf(session)
      if (index === -1) return
      idle.splice(index, 1)
      discard(session)
    })
    all.add(session)
    return session
  }

  const discard = (session: Session): void => {
    all.delete(session)
    // Nothing is left to wait for, and a failure to close what is lost is no news.
    session.connection.end(0).catch(() => {})
  }

  return {
    run: (work) =>
      gate.run(async () => {
        if (isClosed) throw refusal()
        const session = idle.pop() ?? add()
        try {
          return await work(session)
        } finally {
          if (session.connection.isLost) discard(session)
          else idle.push(session)
        }
      }),
    get runningCount() {
      return gate.runningCount
    },
    get waitingCount() {
      return gate.waitingCount
    },
    async close(graceSeconds) {
      isClosed = true
      await Promise.all([...all].map(({ connection }) => connection.end(graceSeconds)))
    },
  }
}
