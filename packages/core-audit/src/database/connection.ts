import type postgres from 'postgres'
import { type AnswerDeadline, createAnswerDeadline } from './answer-deadline.ts'
import { type ClientOptions, openPostgresClient } from './client.ts'
import { type ConnectionLife, createConnectionLife } from './connection-life.ts'
import { transactionEndedError } from './database-errors.ts'

/** Runs statements: a connection, a transaction on it, or a savepoint. */
export interface StatementRunner {
  /**
   * Runs one prepared statement; for an unprepared one, postgres.js would need an extra round trip. Never uses the simple
   * protocol, the driver's choice for a text without parameters: it would run several statements from one text. Sends
   * immediately: statements run in the order of the calls.
   */
  statement<Row>(text: string, parameters?: readonly unknown[], shape?: RowShape): Promise<readonly Row[]>
  /** Runs any number of statements without an answer deadline: a migration. */
  script(text: string): Promise<void>
  /** Inside a transaction: runs a part that can be undone separately. */
  savepoint?<T>(part: ScopedWork<T>): Promise<T>
}

/** The shape of rows: objects keyed by column name, or arrays, which also keep columns of equal names. */
export type RowShape = 'objects' | 'values'

/** The work of one transaction or savepoint. */
export type ScopedWork<T> = (runner: StatementRunner) => Promise<T>

/** One connection to the server, used by one piece of work at a time. */
export interface Connection extends StatementRunner {
  /**
   * Whether the connection was closed, by either side. It then rejects statements: the client would reconnect to a session
   * without the locks and the transaction of the previous one. Open another connection instead.
   */
  readonly isLost: boolean
  /**
   * Runs `work` in a transaction: commits when it resolves, rolls back when it rejects, and rejects immediately when the
   * connection is lost. Afterwards the runner rejects statements: they would run outside the transaction, on a connection
   * that other work may already use.
   */
  begin<T>(work: ScopedWork<T>): Promise<T>
  /** Waits up to `graceSeconds` for running statements, then closes the connection. */
  end(graceSeconds: number): Promise<void>
}

export interface ConnectionOptions extends Omit<ClientOptions, 'onclose' | 'onnotify'> {
  /**
   * Maximum wait for the answer to a statement, `begin`, `commit`, `rollback` or savepoint; `null` for no limit. After it,
   * the connection counts as lost and is destroyed. Does not apply to scripts. Should exceed the server's own statement
   * timeout, which keeps the connection.
   */
  readonly answerDeadlineMs: number | null
  /** Called when the connection closes. */
  readonly onLost?: () => void
}

/** The state and the answer deadline of one connection. */
interface Line {
  readonly life: ConnectionLife
  readonly deadline: AnswerDeadline
}

/** Prepares a connection, which opens at the first statement. */
export function openConnection(url: string, options: ConnectionOptions): Connection {
  const { answerDeadlineMs, onLost = () => {}, ...clientOptions } = options
  const life = createConnectionLife(() => {
    deadline.stop()
    onLost()
  })
  const deadline = createAnswerDeadline(answerDeadlineMs, () => {
    life.close('silent')
    client.destroy()
  })
  const client = openPostgresClient(url, { ...clientOptions, onclose: () => life.close() })
  const line = { life, deadline }
  return {
    ...runnerOf(client.sql, line, life.check),
    get isLost() {
      return life.isLost
    },
    async begin<T>(work: ScopedWork<T>) {
      life.check()
      return openScope(line, work, (run) => client.sql.begin(run)) as Promise<T>
    },
    end: client.end,
  }
}

/** Creates a runner. `check` throws while statements are not allowed. */
function runnerOf(
  target: Pick<postgres.Sql, 'unsafe'>,
  { life, deadline }: Line,
  check: () => void,
): StatementRunner {
  return {
    // Async, so that an invalid statement rejects and never throws.
    async statement(text, parameters = [], shape = 'objects') {
      check()
      const options = { prepare: true, simple: false } as object
      const exchange = deadline.exchange()
      exchange.asked()
      try {
        const query = target.unsafe(text, parameters as never[], options)
        return (await life.untilLost(shape === 'values' ? query.values() : query)) as never
      } finally {
        exchange.answered()
      }
    },
    async script(text) {
      check()
      await life.untilLost(target.unsafe(text))
    },
  }
}

/**
 * Opens a transaction or a savepoint with `open` and runs `work` in it. The answer deadline covers the start and the end of
 * the scope; while `work` runs, it covers only the statements of `work`.
 */
async function openScope<T>(
  line: Line,
  work: ScopedWork<T>,
  open: (run: (scope: postgres.TransactionSql) => Promise<T>) => Promise<unknown>,
): Promise<T> {
  const exchange = line.deadline.exchange()
  exchange.asked()
  try {
    const ended = open((scope) => {
      exchange.answered()
      return runScope({ scope, line, onEnd: exchange.asked }, work)
    })
    return (await line.life.untilLost(ended)) as T
  } finally {
    exchange.answered()
  }
}

interface OpenScope {
  readonly scope: postgres.TransactionSql
  readonly line: Line
  /** Called before the driver sends the end of the scope. */
  readonly onEnd: () => void
}

/**
 * Runs the work of a transaction or savepoint. Once the connection is lost, the promise stays pending: if it settled,
 * postgres.js would write a commit or a rollback to a closed socket. That error cannot be caught and ends the process.
 *
 * @see https://github.com/porsager/postgres/issues/1208
 */
function runScope<T>({ scope, line, onEnd }: OpenScope, work: ScopedWork<T>): Promise<T> {
  const { life } = line
  let isOpen = true
  const check = (): void => {
    life.check()
    if (!isOpen) throw transactionEndedError()
  }
  const runner: StatementRunner = {
    ...runnerOf(scope, line, check),
    async savepoint(part) {
      check()
      return openScope(line, part, (run) => scope.savepoint(run))
    },
  }
  return new Promise((resolve, reject) => {
    const settle = (end: () => void): void => {
      isOpen = false
      if (life.isLost) return
      onEnd()
      end()
    }
    Promise.resolve(runner)
      .then(work)
      .then(
        (result) => settle(() => resolve(result)),
        (error: unknown) => settle(() => reject(error)),
      )
  })
}
