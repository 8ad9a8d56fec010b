import type { SQL } from 'drizzle-orm/sql'
import type { StatementRunner } from './connection.ts'

/** The database parameter of a read; a transaction works as well. */
export interface Db {
  /**
   * Runs one statement. Returns instants (see `toInstant`), `bigint` and `numeric` as text, and `jsonb` parsed. `RowOf`
   * derives the row type from a Drizzle table.
   */
  execute<Row extends Record<string, unknown>>(statement: SQL): Promise<readonly Row[]>
}

/** The key of the statement runner in a `Tx`. Only objects with this key are a `Tx`. */
export const runnerOfTx: unique symbol = Symbol('vertical-kit.runner')

/**
 * The database parameter of a write. Only `Database` and `kitTx` create one, so a function with a `tx` parameter cannot
 * commit: the code that opened the transaction decides.
 */
export interface Tx extends Db {
  readonly [runnerOfTx]: StatementRunner
  /** Runs a part of the transaction and undoes only this part if it rejects: for a statement that may fail. */
  savepoint<T>(part: (tx: Tx) => Promise<T>): Promise<T>
  /**
   * Calls `act` after the commit, and never after a rollback. A function that is added several times runs once. The process
   * can end before the call, so nothing must depend on it. `act` must not throw.
   */
  afterCommit(act: () => void): void
}

/** How a template becomes the text that PostgreSQL prepares: quoted identifiers and numbered parameters. */
const notation = {
  escapeName: (name: string) => `"${name.replaceAll('"', '""')}"`,
  escapeParam: (index: number) => `$${index + 1}`,
  escapeString: (text: string) => `'${text.replaceAll("'", "''")}'`,
  casing: { getColumnCasing: ({ name }: { name: string }) => name },
}

/** Creates a `Db` that runs `sql` templates on the runner. */
export function openDb(runner: StatementRunner): Db {
  return {
    // Async, so that an invalid statement rejects and never throws.
    async execute(statement) {
      const { sql, params } = statement.toQuery(notation as never)
      return runner.statement(sql, params)
    },
  }
}

/** The callbacks to run after a commit. */
export type AfterCommit = Set<() => void>

/** Creates a `Tx` for an open transaction and adds its after-commit callbacks to `afterCommit`. */
export function openTx(runner: StatementRunner, afterCommit: AfterCommit): Tx {
  const { savepoint } = runner
  return {
    ...openDb(runner),
    [runnerOfTx]: runner,
    savepoint<T>(part: (tx: Tx) => Promise<T>): Promise<T> {
      if (savepoint === undefined) throw new TypeError('A savepoint requires database.transaction')
      return savepoint((inner) => part(openTx(inner, afterCommit)))
    },
    afterCommit: (act) => void afterCommit.add(act),
  }
}

/** Runs `work` with a `Tx` for one statement; a second one rejects with a `TypeError`. */
export function withOneStatement<T>(
  runner: StatementRunner,
  afterCommit: AfterCommit,
  work: (tx: Tx) => Promise<T>,
): Promise<T> {
  let isUsed = false
  const once: StatementRunner = {
    ...runner,
    async statement(...call) {
      if (isUsed) {
        throw new TypeError('database.statement runs one statement; use database.transaction for more')
      }
      isUsed = true
      return runner.statement(...call)
    },
  }
  return work(openTx(once, afterCommit))
}
