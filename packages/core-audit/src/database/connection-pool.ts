import type { Connection } from './connection.ts'
import { createGate } from './gate.ts'

/** An item of the pool: a connection, and the state that belongs to it. */
export interface Pooled {
  readonly connection: Connection
}

export interface ConnectionPoolOptions<Session extends Pooled> {
  readonly max: number
  /** Maximum wait for a connection. */
  readonly waitMs: number
  /** Prepares a connection that calls `onLost` when it closes. */
  readonly open: (onLost: () => void) => Session
  /** Runs on each new connection before its first work. If it rejects, the connection is closed. */
  readonly prepare?: (session: Session) => Promise<void>
  /** Creates the error for work that gets no connection in time, or arrives after `close`. */
  readonly refusal: () => Error
}

/** A pool of connections, each used by one piece of work at a time. */
export interface ConnectionPool<Session extends Pooled> {
  run<T>(work: (session: Session) => Promise<T>): Promise<T>
  readonly runningCount: number
  readonly waitingCount: number
  /** Waits up to `graceSeconds` for running statements, then closes every connection. Later work is rejected. */
  close(graceSeconds: number): Promise<void>
}

/**
 * Opens a pool; nothing connects before the first statement. Each connection has its own client, so the state that a lost
 * connection leaves in its client is discarded with it.
 */
export function createConnectionPool<Session extends Pooled>(
  options: ConnectionPoolOptions<Session>,
): ConnectionPool<Session> {
  const { max, waitMs, open, prepare, refusal } = options
  const gate = createGate({ limit: max, waitMs, onTimeout: refusal })
  const all = new Set<Session>()
  /** Last in, first out: surplus connections stay idle and close. */
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
    // Nothing is left to wait for, and a failure to close a lost connection does not matter.
    session.connection.end(0).catch(() => {})
  }

  return {
    run: (work) =>
      gate.run(async () => {
        if (isClosed) throw refusal()
        const used = idle.pop()
        const session = used ?? add()
        let isPrepared = used !== undefined || prepare === undefined
        try {
          if (!isPrepared) await prepare?.(session)
          isPrepared = true
          return await work(session)
        } finally {
          if (session.connection.isLost || !isPrepared) discard(session)
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
