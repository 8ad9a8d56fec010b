import { connectionError } from './database-errors.ts'

/** The state of one connection, shared by all code that waits for its answers. */
export interface ConnectionLife {
  readonly isLost: boolean
  /** Settles like `answer`, or rejects if the connection is lost first. */
  untilLost<T>(answer: PromiseLike<T>): Promise<T>
  /** @throws {Error} once the connection is lost */
  check(): void
  /** Marks the connection as closed, or as lost because the server is `silent`. */
  close(reason?: 'closed' | 'silent'): void
}

/**
 * Tracks one connection. postgres.js leaves a statement pending that it receives between the error of a socket and its
 * close, so every wait must end with the connection. postgres.js writes later statements to a dead socket or runs them on
 * its next connection, so `check` rejects them.
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
            // Set now, before the connection closes: a handler of this error must not send another statement.
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

/** Returns whether an error of the system, of the driver's sockets or of the server ends the connection. */
function endsConnection(error: unknown): boolean {
  if (typeof error !== 'object' || error === null) return false
  const severity: unknown = Reflect.get(error, 'severity')
  return 'errno' in error || severity === 'FATAL' || severity === 'PANIC'
}
