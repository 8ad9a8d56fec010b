import type { StatementRunner } from './connection.ts'
import { renderStatement } from './render-statement.ts'
import type { SQL } from './sql.ts'

/** The database parameter of functions that only read. A `Tx` is also a `Db`. */
export interface Db {
  /**
   * Runs one statement and returns its rows. Instants (see `toInstant`), `bigint` and `numeric` are text, and `jsonb` is
   * parsed. `RowOf` derives the row type from a Drizzle table.
   */
  execute<Row extends Record<string, unknown>>(statement: SQL): Promise<readonly Row[]>
}

/** The key of the statement runner in a `Tx`. Only an object with this key is a `Tx`. */
export const runnerOfTx: unique symbol = Symbol('vertical-kit.runner')

/**
 * The database parameter of functions that write. A `Tx` cannot commit: only the code that opened the transaction decides
 * whether its changes are committed. Only `Database` and `kitTx` create a `Tx`.
 */
export interface Tx extends Db {
  readonly [runnerOfTx]: StatementRunner
  /**
   * Sends one statement whose rows nobody needs. In `Database.transaction`, it does not wait for the answer: the next statement
   * or the commit is sent together with it. If it fails, the transaction rejects with its error, also if the work caught the
   * errors of later statements. To translate the error of a violated constraint, use `execute`. A savepoint, `kitTx` and
   * `Database.statement` wait for the answer.
   */
  send(statement: SQL): Promise<void>
  /**
   * Returns a new id, as `newId` of the transaction's `Database` does. A `Tx` of `kitTx` belongs to no `Database`: its ids
   * have the time of the host.
   */
  newId(): string
  /** Runs `part` in a savepoint. If `part` rejects, only its changes are undone. Use this for statements that can fail. */
  savepoint<T>(part: (tx: Tx) => Promise<T>): Promise<T>
  /**
   * Calls `act` after a commit, and never after a rollback, also not of a savepoint only. A function that is added several times is called once. The
   * process can end between the commit and the call, so do not use this for work that must happen. `act` must not throw.
   */
  afterCommit(act: () => void): void
  /**
   * Reports an audit event about this object to `Database.onAudited`, after a commit. `auditInsert` calls it. A `Tx` of
   * `kitTx` belongs to no `Database`: it reports nothing.
   */
  audited(object: AuditedObject): void
}

/** The object of an audit event. */
export interface AuditedObject {
  readonly kind: string
  readonly typeCode: string
  readonly id: string
}

/** Creates a `Db` that runs `sql` templates on the runner. */
export function openDb(runner: StatementRunner): Db {
  return {
    // This function is async, so an invalid statement causes a rejection instead of an exception.
    async execute(statement) {
      const { text, parameters } = renderStatement(statement)
      return runner.statement(text, parameters)
    },
  }
}

/** The callbacks to run after a commit. */
export type AfterCommit = Set<() => void>

/** The parts of a `Tx` that stay the same in its savepoints. */
export interface TxParts {
  readonly afterCommit: AfterCommit
  /** The objects of the audit events, in the order of the events. Absent if nothing follows them. */
  readonly audited?: AuditedObject[]
  readonly newId: () => string
  /** The answers of {@link Tx.send}. The owner of the transaction waits for them. Absent if `send` itself has to wait. */
  readonly sent?: Promise<unknown>[]
}

/** Creates a `Tx` for an open transaction and adds its after-commit callbacks to `afterCommit`. */
export function openTx(runner: StatementRunner, parts: TxParts): Tx {
  const { savepoint } = runner
  const { sent, ...withoutSent } = parts
  const db = openDb(runner)
  return {
    ...db,
    async send(statement) {
      const answer = db.execute(statement)
      if (sent === undefined) return void (await answer)
      // The owner of the transaction handles a failure, but only at the end.
      answer.catch(() => {})
      sent.push(answer)
    },
    [runnerOfTx]: runner,
    newId: parts.newId,
    async savepoint<T>(part: (tx: Tx) => Promise<T>): Promise<T> {
      if (savepoint === undefined) throw new TypeError('A savepoint requires database.transaction')
      // The events and callbacks of a savepoint count only if it is not rolled back.
      const audited: AuditedObject[] = []
      const afterCommit: AfterCommit = new Set()
      const result = await savepoint((inner) => part(openTx(inner, { ...withoutSent, audited, afterCommit })))
      parts.audited?.push(...audited)
      for (const act of afterCommit) parts.afterCommit.add(act)
      return result
    },
    afterCommit: (act) => void parts.afterCommit.add(act),
    audited: (object) => void parts.audited?.push(object),
  }
}

/** Runs `work` with a `Tx` that accepts only one statement. A second statement rejects with a `TypeError`. */
export function withOneStatement<T>(
  runner: StatementRunner,
  parts: Omit<TxParts, 'sent'>,
  work: (tx: Tx) => Promise<T>,
): Promise<T> {
  let isUsed = false
  const once: StatementRunner = {
    ...runner,
    async statement(...call) {
      if (isUsed) {
        throw new TypeError(
          'database.statement and database.append run one statement; use database.transaction for more',
        )
      }
      isUsed = true
      return runner.statement(...call)
    },
  }
  return work(openTx(once, parts))
}
