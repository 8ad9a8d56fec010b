import { connectionError } from './database-errors.ts'

/** Whether a connection is there, for everybody who waits for something from it. */
export interface ConnectionLife {
  readonly isLost: boolean
  /** Settles as the answer does; rejects when the connection is lost before there is one. */
  untilLost<T>(answer: PromiseLike<T>): Promise<T>
  /** @throws {Error} once the connection is lost */
  check(): void
  /** The connection has closed, or counts as lost because the server is `silent`. */
  close(reason?: 'closed' | 'silent'): void
}

/**
 * Follows one connection. postgres.js does not answer what it was asked between the error of a socket and its close, so
 * nobody waits for it alone; and what it is asked after either, it writes to a socket that is gone or runs on the next
 * connection, so that nobody may ask.
 *
 * @see https://github.com/porsager/postgres/pull/1215
 */
export function createConnectionLife(onLost: () => void = () => {}): ConnectionLife {
  const waiting = new Set<(reason: Error) => void>()
  let isLost = false
  let isClosed = false
  return {
    get isLost() {
      return isLost
    },
    untilLost: (answer) =>
      new Promise((resolve, reject) => {
        waiting.add(reject)
        answer.then(
          (value) => {
            waiting.delete(reject)
            resolve(value)
          },
          (error: unknown) => {
            waiting.delete(reject)
            // Before the close that follows it: whoever hears of the error must not ask again meanwhile.
            if (endsConnection(error)) isLost = true
            reject(error)
          },
        )
      }),
    check() {
      if (isLost) throw lostError()
    },
    close(reason = 'closed') {
      if (isClosed) return
      isClosed = true
      isLost = true
      for (const reject of waiting) reject(lostError(reason))
      waiting.clear()
      onLost()
    },
  }
}

function lostError(reason: 'closed' | 'silent' = 'closed'): Error {
  return reason === 'closed'
    ? connectionError('CONNECTION_CLOSED', 'The connection is lost')
    : connectionError('ETIMEDOUT', 'The database server does not answer')
}

/** Of the system and of the driver's sockets; and of a server that says good-bye. */
function endsConnection(error: unknown): boolean {
  if (typeof error !== 'object' || error === null) return false
  const severity: unknown = Reflect.get(error, 'severity')
  return 'errno' in error || severity === 'FATAL' || severity === 'PANIC'
}
