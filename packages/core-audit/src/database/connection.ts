import type postgres from 'postgres'
import { type AnswerDeadline, createAnswerDeadline } from './answer-deadline.ts'
import { type ClientOptions, openPostgresClient } from './client.ts'
import { type ConnectionLife, createConnectionLife } from './connection-life.ts'
import { transactionEndedError } from './database-errors.ts'

/** What runs statements: a connection, a transaction on it, or a part of one. */
export interface StatementRunner {
  /**
   * Runs one statement, prepared: postgres.js would ask the server to describe an unprepared one, a round trip more. Never
   * by the simple protocol, which it takes for a text without parameters: that would run any number of statements that
   * found their way into one text. Sent at once: statements run in the order they were asked for.
   */
  statement<Row>(text: string, parameters?: readonly unknown[], shape?: RowShape): Promise<readonly Row[]>
  /** Runs any number of statements, for as long as they take: a migration. */
  script(text: string): Promise<void>
  /** Inside a transaction: runs a part of it that can be undone alone. */
  savepoint?<T>(part: ScopedWork<T>): Promise<T>
}

/** How rows come back: by the names of their columns, or as arrays, which columns of equal names need. */
export type RowShape = 'objects' | 'values'

/** The statements of one transaction, or of a part of it. */
export type ScopedWork<T> = (runner: StatementRunner) => Promise<T>

/** One connection to the server, for one user at a time. */
export interface Connection extends StatementRunner {
  /**
   * Whether it was closed since it was opened, by whichever side. It takes no statement then: the client would connect
   * anew, to a session that has neither the locks nor the transaction of the one before. Open another one instead.
   */
  readonly isLost: boolean
  /**
   * Runs `work` in a transaction: commits when it resolves, rolls back when it rejects, rejects at once when the
   * connection is lost. The runner takes no statement afterwards: it would run by itself, on a connection that is
   * somebody else's by then.
   */
  begin<T>(work: ScopedWork<T>): Promise<T>
  /** Lets what runs finish for `graceSeconds`, then closes. */
  end(graceSeconds: number): Promise<void>
}

export interface ConnectionOptions extends Omit<ClientOptions, 'onclose' | 'onnotify'> {
  /**
   * How long the server may leave a statement, `begin`, `commit`, `rollback` or savepoint without an answer before the
   * connection counts as lost and is destroyed; `null`: without a limit. Scripts have none. Longer than the server's own
   * limit on statements, which keeps the connection.
   */
  readonly answerDeadlineMs: number | null
  /** Called at the moment the connection closes. */
  readonly onLost?: () => void
}

/** Both ends of what is said on a connection. */
interface Line {
  readonly life: ConnectionLife
  readonly deadline: AnswerDeadline
}

/** Prepares a connection. It is made at the first statement. */
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

/** `check` throws when no statement may be run. */
function runnerOf(
  target: Pick<postgres.Sql, 'unsafe'>,
  { life, deadline }: Line,
  check: () => void,
): StatementRunner {
  return {
    // Async, so that whatever is wrong with a statement rejects and nothing throws.
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
 * Opens a transaction or a savepoint with `open` and runs `work` in it. The server owes an answer until the work starts,
 * and again from its end until the scope has ended; in between, only its statements count.
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
 * Runs the work of a transaction or of a savepoint in it. Once the connection is lost, the promise stays open: for an end
 * of `work`, postgres.js would write a commit or a rollback to a socket that is gone, which nobody can catch, and which
 * ends the process.
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
