import { transactionEndedError } from '../database/database-errors.ts'
import type { AfterCommit } from '../database/tx.ts'
import type { TextResult } from './conversions.ts'

/** The application's transaction, or a savepoint in it, as its driver runs statements there. */
export interface DriverTransaction {
  /**
   * Runs one statement, by the extended protocol, which takes no second one in the same text.
   * @throws {TypeError} once the end of the transaction was asked for: the statement would run by itself
   */
  run(text: string, parameters: readonly unknown[]): Promise<TextResult>
  /**
   * Resolves once a savepoint may begin: the statements before it are on their way.
   * @throws {TypeError} as for `run`
   */
  check(): Promise<void>
  /** The same for a savepoint of it, given the client of the savepoint's session. */
  within(client: unknown): DriverTransaction
}

/** Whether a transaction takes statements still. */
export interface TransactionLife {
  /** @throws {TypeError} once its end was asked for */
  check(): void
}

interface OpenLife extends TransactionLife {
  /** What each part of the transaction has follow its commit. */
  readonly followers: Set<AfterCommit>
  end(): void
}

/** A connection, as its driver hands statements to it. */
interface Watched {
  readonly connection: object
  /** Tells this transaction from others on the connection. */
  readonly identity: object
  /** The method of the connection that takes every statement. */
  readonly method: string
  readonly afterCommit: AfterCommit
  /** Whether the transaction is still on the connection: a driver may reconnect after a loss, to another session. */
  isThere(): boolean
  /** The statement's text, from the arguments of that method. */
  textOf(call: readonly unknown[]): unknown
  /** The promise of the statement's result, from the arguments and from what the method returned. */
  answerOf(call: readonly unknown[], returned: unknown): unknown
}

/** Transactions that are being watched: one watch each, however many parts of the transaction ask for it. */
const lives = new WeakMap<object, OpenLife>()

/** Statements that end a transaction; `rollback to` a savepoint does not. */
const ending =
  /^\s*(?:commit|end|abort|prepare\s+transaction|rollback(?!\s+(?:work\s+|transaction\s+)?to\b))\b/i

/**
 * Follows the transaction that is open on a connection. Neither driver tells when a transaction ends, and both would run a
 * statement that comes later, by itself or in the next transaction on that connection. So this stands in front of the
 * method that takes the statements, from now until the first one that ends the transaction. What is to follow a commit
 * is called once the server has confirmed it. A transaction that was lost with its session has no such statement: the
 * first one that comes later finds it gone.
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
    takeOff()
    const returned = Reflect.apply(original, connection, call)
    if (isThere) followCommit(watched.answerOf(call, returned), life.followers)
    return returned
  }
  const takeOff = (): void => {
    // Another library has put its own in front since; ours only passes calls on from now.
    if (Reflect.get(connection, method) !== watching) return
    if (isOwn) Reflect.set(connection, method, original)
    else Reflect.deleteProperty(connection, method)
  }
  Reflect.set(connection, method, watching)
  lives.set(identity, life)
  return life
}

/** A commit of a failed transaction is answered as a rollback. */
function followCommit(answer: unknown, followers: ReadonlySet<AfterCommit>): void {
  if (!(answer instanceof Promise)) return
  const follow = (result: unknown): void => {
    if (Reflect.get(Object(result), 'command') !== 'COMMIT') return
    for (const act of new Set([...followers].flatMap((acts) => [...acts]))) act()
  }
  // Not the `then` of postgres.js's own queries, which would send the query.
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
