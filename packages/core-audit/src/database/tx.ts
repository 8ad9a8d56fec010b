import type { SQL } from 'drizzle-orm/sql'
import type { StatementRunner } from './connection.ts'

/** What a read takes: a transaction will do as well. */
export interface Db {
  /**
   * Runs one statement. Instants come back as text (`toInstant`), `bigint` and `numeric` as text, `jsonb` parsed: `RowOf`
   * derives such a row from a Drizzle table.
   */
  execute<Row extends Record<string, unknown>>(statement: SQL): Promise<readonly Row[]>
}

/** Leads from a `Tx` to its statements: no other object is a `Tx`. */
export const runnerOfTx: unique symbol = Symbol('vertical-kit.runner')

/**
 * What a write takes. Only a `Database` and `kitTx` hand one out, so a function with a `tx` parameter cannot commit by
 * itself: the code that opened the transaction decides.
 */
export interface Tx extends Db {
  readonly [runnerOfTx]: StatementRunner
  /** Runs a part of the transaction that is undone alone when it rejects: for a statement that may be refused. */
  savepoint<T>(part: (tx: Tx) => Promise<T>): Promise<T>
  /**
   * Calls `act` once the transaction has committed, and never when it is rolled back; the same function once, however
   * often it was given. At most once for a commit, since a process can end in between: let nothing depend on it. `act`
   * must not throw.
   */
  afterCommit(act: () => void): void
}

/** How a template becomes the text PostgreSQL prepares. Identifiers are quoted, parameters numbered. */
const notation = {
  escapeName: (name: string) => `"${name.replaceAll('"', '""')}"`,
  escapeParam: (index: number) => `$${index + 1}`,
  escapeString: (text: string) => `'${text.replaceAll("'", "''")}'`,
  casing: { getColumnCasing: ({ name }: { name: string }) => name },
}

/** `sql` templates over what runs statements. */
export function openDb(runner: StatementRunner): Db {
  return {
    // Async, so that whatever is wrong with a statement rejects and nothing throws.
    async execute(statement) {
      const { sql, params } = statement.toQuery(notation as never)
      return runner.statement(sql, params)
    },
  }
}

/** What is to be called once a transaction has committed. */
export type AfterCommit = Set<() => void>

/** The same over a transaction that is open; what is to follow its commit is added to `afterCommit`. */
export function openTx(runner: StatementRunner, afterCommit: AfterCommit): Tx {
  const { savepoint } = runner
  return {
    ...openDb(runner),
    [runnerOfTx]: runner,
    savepoint<T>(part: (tx: Tx) => Promise<T>): Promise<T> {
      if (savepoint === undefined) throw new TypeError('A savepoint needs database.transaction')
      return savepoint((inner) => part(openTx(inner, afterCommit)))
    },
    afterCommit: (act) => void afterCommit.add(act),
  }
}

/** Runs `work` with a `Tx` that takes one statement; asking for a second one throws a `TypeError`. */
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
        throw new TypeError('database.statement runs one statement; open database.transaction for more')
      }
      isUsed = true
      return runner.statement(...call)
    },
  }
  return work(openTx(once, afterCommit))
}
