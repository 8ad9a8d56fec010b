import { transactionEndedError } from '../database/database-errors.ts'
import type { AfterCommit } from '../database/tx.ts'
import type { TextResult } from './conversions.ts'

/** The application's transaction, or a savepoint in it, behind an interface that both drivers share. */
export interface DriverTransaction {
  /**
   * Runs one statement by the extended protocol, which rejects a second statement in the text.
   * @throws {TypeError} once the transaction is ending: the statement would run outside it
   */
  run(text: string, parameters: readonly unknown[]): Promise<TextResult>
  /**
   * Resolves once a savepoint can begin: all earlier statements have been sent.
   * @throws {TypeError} like `run`
   */
  check(): Promise<void>
  /** Returns the same interface for a savepoint, given the client of the savepoint's session. */
  within(client: unknown): DriverTransaction
}

/** The state of a transaction: open, or ending. */
export interface TransactionLife {
  /** @throws {TypeError} once the transaction is ending */
  check(): void
}

interface OpenLife extends TransactionLife {
  /** The after-commit callbacks of each part of the transaction. */
  readonly followers: Set<AfterCommit>
  end(): void
}

/** A connection, and how its driver sends statements on it. */
interface Watched {
  readonly connection: object
  /** Distinguishes this transaction from others on the connection. */
  readonly identity: object
  /** The connection's method that receives every statement. */
  readonly method: string
  readonly afterCommit: AfterCommit
  /** Returns whether the connection still runs this transaction: after a loss, a driver can reconnect to a new session. */
  isThere(): boolean
  /** Returns the statement's text, given the arguments of that method. */
  textOf(call: readonly unknown[]): unknown
  /** Returns the promise of the statement's result, given the arguments and the return value of that method. */
  answerOf(call: readonly unknown[], returned: unknown): unknown
}

/** The watched transactions. All parts of a transaction share one watch. */
const lives = new WeakMap<object, OpenLife>()

/** Matches statements that end a transaction; `rollback to` a savepoint does not end it. */
const ending =
  /^\s*(?:commit|end|abort|prepare\s+transaction|rollback(?!\s+(?:work\s+|transaction\s+)?to\b))\b/i

/**
 * Watches the transaction that is open on a connection. Neither driver reports the end of a transaction, and both would run
 * later statements outside it or in the connection's next transaction. So this function wraps the method that receives
 * statements, until the first statement that ends the transaction. The after-commit callbacks run once the server has
 * confirmed a commit. A transaction that was lost with its session has no ending statement: the next statement on the
 * connection detects the loss.
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
    // Another library has wrapped the method since. Leave our wrapper in place: it now only forwards calls.
    if (Reflect.get(connection, method) !== watching) return
    if (isOwn) Reflect.set(connection, method, original)
    else Reflect.deleteProperty(connection, method)
  }
  Reflect.set(connection, method, watching)
  lives.set(identity, life)
  return life
}

/** Runs the callbacks after a commit. PostgreSQL answers the commit of a failed transaction with ROLLBACK. */
function followCommit(answer: unknown, followers: ReadonlySet<AfterCommit>): void {
  if (!(answer instanceof Promise)) return
  const follow = (result: unknown): void => {
    if (Reflect.get(Object(result), 'command') !== 'COMMIT') return
    for (const act of new Set([...followers].flatMap((acts) => [...acts]))) act()
  }
  // Bypasses the `then` of postgres.js queries, which would send the query.
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
