import type { Connection } from './connection.ts'
import { createGate } from './gate.ts'
import { countTimeouts, waits } from './pool-metrics.ts'

/** An item of the pool: a connection, and the state that belongs to the connection. */
export interface Pooled {
  readonly connection: Connection
}

export interface ConnectionPoolOptions<Session extends Pooled> {
  /** The name of the pool in metrics. */
  readonly name: string
  readonly max: number
  /** Maximum time that work waits for a free connection. */
  readonly waitMs: number
  /** Creates an item of the pool. Its connection must call `onLost` when the connection closes. */
  readonly open: (onLost: () => void) => Session
  /** Runs on each new connection before its first work. If it rejects, the connection is closed. */
  readonly prepare?: (session: Session) => Promise<void>
  /** Creates the error for work that has waited too long for a connection, or that starts after `close`. */
  readonly refusal: () => Error
}

/** A pool of connections. Only one piece of work at a time uses a connection. */
export interface ConnectionPool<Session extends Pooled> {
  run<T>(work: (session: Session) => Promise<T>): Promise<T>
  readonly runningCount: number
  readonly waitingCount: number
  readonly idleCount: number
  /** Waits up to `graceSeconds` for running statements, then closes every connection. Later work is rejected. */
  close(graceSeconds: number): Promise<void>
}

/**
 * Creates a pool, which connects at the first statement. Each connection has its own driver client. The client is discarded
 * together with a lost connection, so an inconsistent state in the client does no harm.
 */
export function createConnectionPool<Session extends Pooled>(
  options: ConnectionPoolOptions<Session>,
): ConnectionPool<Session> {
  const { name, max, waitMs, open, prepare, refusal } = options
  const attributes = { 'db.client.connection.pool.name': name }
  const onTimeout = (): Error => {
    countTimeouts(name, 1)
    return refusal()
  }
  const gate = createGate({ limit: max, waitMs, onTimeout })
  const all = new Set<Session>()
  /** Idle items. The most recently used item is reused first, so surplus connections stay idle until they close. */
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
    // The connection has no running statements, and a failure to close a lost connection does not matter.
    session.connection.end(0).catch(() => {})
  }

  return {
    run(work) {
      const arrivedMs = performance.now()
      return gate.run(async () => {
        waits.record((performance.now() - arrivedMs) / 1_000, attributes)
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
      })
    },
    get runningCount() {
      return gate.runningCount
    },
    get waitingCount() {
      return gate.waitingCount
    },
    get idleCount() {
      return idle.length
    },
    async close(graceSeconds) {
      isClosed = true
      await Promise.all([...all].map(({ connection }) => connection.end(graceSeconds)))
    },
  }
}
