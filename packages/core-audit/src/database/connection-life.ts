import { connectionError, databaseErrorCode, readOnlyTransaction } from './database-errors.ts'

/** The state of one connection: usable or lost. Every wait for an answer of the connection uses this state. */
export interface ConnectionLife {
  readonly isLost: boolean
  /** Whether the server has refused a write. The connection still works, but must be replaced after its current work. */
  readonly isReadOnly: boolean
  /** Settles like `answer`, or rejects if the connection is lost first. */
  untilLost<T>(answer: PromiseLike<T>, scope?: Scope): Promise<T>
  /** Checks that the connection is usable. @throws {Error} once the connection is lost */
  check(): void
  /** Marks the connection as lost. The reason `silent` means that the server does not answer. */
  close(reason?: 'closed' | 'silent'): void
}

/** A transaction or savepoint, whose end is awaited while its work sends statements. */
export interface Scope {
  /** Returns false for an error of the work, which says nothing about the connection. */
  isAnswer?(error: unknown): boolean
  /** Whether the work is in progress: neither the start nor the end of the scope waits for its answer. */
  isIdle?(): boolean
}

/**
 * Tracks whether one connection is usable. postgres.js never settles a statement that is sent after a socket error but
 * before the socket closes. Therefore every wait ends when the connection is lost. postgres.js would write later statements
 * to a dead socket or run them on its next connection. Therefore `check` rejects later statements.
 *
 * @see https://github.com/porsager/postgres/pull/1215
 */
export function createConnectionLife(onLost: () => void = () => {}): ConnectionLife {
  const waiting = new Map<(reason: Error) => void, Scope>()
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
    untilLost: (answer, scope = {}) =>
      new Promise((resolve, reject) => {
        waiting.set(reject, scope)
        answer.then(
          (value) => {
            waiting.delete(reject)
            resolve(value)
          },
          (error: unknown) => {
            waiting.delete(reject)
            if (scope.isAnswer?.(error) === false) return reject(error)
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
      const isIdle = [...waiting.values()].every((scope) => scope.isIdle?.() === true)
      const lost = reason === 'closed' && isIdle ? 'idle' : reason
      for (const reject of waiting.keys()) reject(lostError(lost))
      waiting.clear()
      onLost()
    },
  }
}

function lostError(reason: 'closed' | 'idle' | 'silent' = 'closed'): Error {
  if (reason === 'silent') return connectionError('ETIMEDOUT', 'The database server does not answer')
  return connectionError(
    'CONNECTION_CLOSED',
    // The driver ignores an error of the server that arrives between two statements, so the reason is not certain.
    reason === 'idle'
      ? 'The connection was lost between two statements of a transaction. The server closes it if the next statement is later than its idle_in_transaction_session_timeout'
      : 'The connection is lost',
  )
}

/** Returns whether the error ends the connection: a system or socket error, or a fatal error of the server. */
function endsConnection(error: unknown): boolean {
  if (typeof error !== 'object' || error === null) return false
  const severity: unknown = Reflect.get(error, 'severity')
  return 'errno' in error || severity === 'FATAL' || severity === 'PANIC'
}
