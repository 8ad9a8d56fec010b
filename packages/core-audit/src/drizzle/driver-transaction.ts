import { transactionEndedError } from '../database/database-errors.ts'
import type { AfterCommit } from '../database/tx.ts'
import type { TextResult } from './conversions.ts'

/** A transaction of the application, or a savepoint in that transaction. Both drivers implement this interface. */
export interface DriverTransaction {
  /**
   * Runs one statement with the extended protocol, which rejects a text with several statements.
   * @throws {TypeError} once the transaction is ending, because the statement would run outside the transaction
   */
  run(text: string, parameters: readonly unknown[]): Promise<TextResult>
  /**
   * Resolves once all earlier statements have been sent, so that a savepoint can begin.
   * @throws {TypeError} once the transaction is ending
   */
  check(): Promise<void>
  /** Returns this interface for a savepoint. `client` is the client of the savepoint's Drizzle session. */
  within(client: unknown): DriverTransaction
}

/** The state of a transaction: open, or ending. */
export interface TransactionLife {
  /** Checks that the transaction is open. @throws {TypeError} once the transaction is ending */
  check(): void
}

interface OpenLife extends TransactionLife {
  /** The after-commit callbacks of each part of the transaction. */
  readonly followers: Set<AfterCommit>
  end(): void
}

/** A connection with an open transaction, and the driver-specific access to its statements. */
interface Watched {
  readonly connection: object
  /** Distinguishes this transaction from other transactions on the same connection. */
  readonly identity: object
  /** The name of the connection's method that receives every statement. */
  readonly method: string
  readonly afterCommit: AfterCommit
  /** Returns whether the connection still runs this transaction. After a loss, a driver can reconnect to a new session. */
  isThere(): boolean
  /** Returns the statement's text from the arguments of a call to `method`. */
  textOf(call: readonly unknown[]): unknown
  /** Returns the promise of the statement's result from the arguments and the return value of a call to `method`. */
  answerOf(call: readonly unknown[], returned: unknown): unknown
}

/** The state of each watched transaction, keyed by `identity`. A transaction and its savepoints share one state. */
const lives = new WeakMap<object, OpenLife>()

/** Matches statements that end a transaction. `rollback to` a savepoint does not match. */
const ending =
  /^\s*(?:commit|end|abort|prepare\s+transaction|rollback(?!\s+(?:work\s+|transaction\s+)?to\b))\b/i

/**
 * Watches the open transaction of a connection until the transaction ends. The drivers do not report this end, and they
 * would run later statements outside the transaction or in the connection's next transaction. Therefore this function wraps
 * the method that receives statements, until the first statement that ends the transaction. The after-commit callbacks run
 * once the server has confirmed a commit. If the session is lost, no statement ends the transaction. The next statement on
 * the connection then detects the loss.
 */
export function watchTransaction(watched: Watched): TransactionLife {
  const { connection, identity, method, afterCommit } = watched
  const known = lives.get(identity)
  known?.followers.add(afterCommit)
  if (known !== undefined) return known
  const life = createLife(afterCommit)
  const isOwn = Object.hasOwn(connection, method)
  const original: unknown = Reflect.get(connection, method)
  if (typeof original !== 'function') throw new TypeError(`kitTx: the connection has no method ${method}`)
  const watching = (...call: readonly unknown[]): unknown => {
    const isThere = watched.isThere()
    const statement = watched.textOf(call)
    if (isThere && (typeof statement !== 'string' || !ending.test(statement))) {
      return Reflect.apply(original, connection, call)
    }
    life.end()
    lives.delete(identity)
    unwrap()
    const returned = Reflect.apply(original, connection, call)
    if (isThere) followCommit(watched.answerOf(call, returned), life.followers)
    return returned
  }
  const unwrap = (): void => {
    // Another library has wrapped our wrapper. Restoring the method would remove the wrapper of that library.
    if (Reflect.get(connection, method) !== watching) return
    if (isOwn) Reflect.set(connection, method, original)
    else Reflect.deleteProperty(connection, method)
  }
  Reflect.set(connection, method, watching)
  lives.set(identity, life)
  return life
}

/** Runs the callbacks if the server confirms the commit. For a failed transaction, PostgreSQL answers with ROLLBACK. */
function followCommit(answer: unknown, followers: ReadonlySet<AfterCommit>): void {
  if (!(answer instanceof Promise)) return
  const follow = (result: unknown): void => {
    if (Reflect.get(Object(result), 'command') !== 'COMMIT') return
    for (const act of new Set([...followers].flatMap((acts) => [...acts]))) act()
  }
  // Do not call the query's own `then`: in postgres.js, it would send the query.
  Promise.prototype.then.call(answer, follow, () => {})
}

function createLife(afterCommit: AfterCommit): OpenLife {
  let isOpen = true
  return {
    followers: new Set([afterCommit]),
    check() {
      if (!isOpen) throw transactionEndedError()
    },
    end() {
      isOpen = false
    },
  }
}
