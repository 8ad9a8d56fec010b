import { connectionError, databaseErrorCode, readOnlyTransaction } from './database-errors.ts'

/** The state of one connection: usable or lost. Every wait for an answer of the connection uses this state. */
export interface ConnectionLife {
  readonly isLost: boolean
  /** Whether the server has refused a write. The connection still works, but must be replaced after its current work. */
  readonly isReadOnly: boolean
  /**
   * Settles like `answer`, or rejects if the connection is lost first. An error for which `isAnswer` returns false says nothing about
   * the connection.
   */
  untilLost<T>(answer: PromiseLike<T>, isAnswer?: (error: unknown) => boolean): Promise<T>
  /** Checks that the connection is usable. @throws {Error} once the connection is lost */
  check(): void
  /** Marks the connection as lost. The reason `silent` means that the server does not answer. */
  close(reason?: 'closed' | 'silent'): void
}

/**
 * Tracks whether one connection is usable. postgres.js never settles a statement that is sent after a socket error but
 * before the socket closes. Therefore every wait ends when the connection is lost. postgres.js would write later statements
 * to a dead socket or run them on its next connection. Therefore `check` rejects later statements.
 *
 * @see https://github.com/porsager/postgres/pull/1215
 */
export function createConnectionLife(onLost: () => void = () => {}): ConnectionLife {
  const waiting = new Set<(reason: Error) => void>()
  let isLost = false
  let isReadOnly = false
  let isClosed = false
  return {
    get isLost() {
      return isLost
    },
    get isReadOnly() {
      return isReadOnly
    },
    untilLost: (answer, isAnswer = () => true) =>
      new Promise((resolve, reject) => {
        waiting.add(reject)
        answer.then(
          (value) => {
            waiting.delete(reject)
            resolve(value)
          },
          (error: unknown) => {
            waiting.delete(reject)
            if (!isAnswer(error)) return reject(error)
            // Set `isLost` before the connection closes, because a handler of this error could send another statement.
            if (endsConnection(error)) isLost = true
            if (databaseErrorCode(error) === readOnlyTransaction) isReadOnly = true
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

/** Returns whether the error ends the connection: a system or socket error, or a fatal error of the server. */
function endsConnection(error: unknown): boolean {
  if (typeof error !== 'object' || error === null) return false
  const severity: unknown = Reflect.get(error, 'severity')
  return 'errno' in error || severity === 'FATAL' || severity === 'PANIC'
}
