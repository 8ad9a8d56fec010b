import type postgres from 'postgres'
import type { TelemetryAttributes } from '../telemetry/spans.ts'
import { addCallers } from './add-callers.ts'
import { type AnswerDeadline, createAnswerDeadline } from './answer-deadline.ts'
import { type ClientOptions, openPostgresClient } from './client.ts'
import { type ConnectionLife, createConnectionLife } from './connection-life.ts'
import { createAbortingFailure, transactionEndedError } from './database-errors.ts'
import { observeStatement } from './observe-statement.ts'
import { toRows } from './to-rows.ts'

/** Runs statements on a connection, in a transaction or in a savepoint. */
export interface StatementRunner {
  /**
   * Runs one prepared statement. postgres.js would need an extra round trip for an unprepared statement. Each statement is
   * sent immediately, so statements run in the order of the calls. Always uses the extended protocol, which rejects a text
   * with several statements. By default, postgres.js uses the simple protocol for a text without parameters.
   */
  statement<Row>(text: string, parameters?: readonly unknown[], shape?: RowShape): Promise<readonly Row[]>
  /** Runs a text with any number of statements, such as a migration, without an answer deadline. */
  script(text: string): Promise<void>
  /** Runs a part that can be undone separately. Exists only in a transaction. */
  savepoint?<T>(part: ScopedWork<T>): Promise<T>
}

/** The shape of rows: objects keyed by column name, or arrays. Only arrays can contain two columns with the same name. */
export type RowShape = 'objects' | 'values'

/** The work of one transaction or savepoint. */
export type ScopedWork<T> = (runner: StatementRunner) => Promise<T>

/** One connection to the server, used by one piece of work at a time. */
export interface Connection extends StatementRunner {
  /**
   * Whether the connection has ended, for any reason, or its server is no longer the primary. A connection that has ended
   * rejects statements, because the driver would run them in a new session, without the locks and the transaction of the
   * old session. Open another connection.
   */
  readonly isLost: boolean
  /**
   * Runs `work` in a READ COMMITTED transaction. Commits when `work` resolves, rolls back when `work` rejects, and rejects
   * immediately when the connection is lost. After the end of the transaction, its runner rejects statements: they would run
   * outside the transaction, on a connection that is possibly in use by other work.
   */
  begin<T>(work: ScopedWork<T>): Promise<T>
  /** Waits up to `graceSeconds` for running statements, then closes the connection. */
  end(graceSeconds: number): Promise<void>
}

export interface ConnectionOptions extends Omit<ClientOptions, 'onclose' | 'onnotify'> {
  /**
   * Maximum wait for the answer to a statement, `begin`, `commit`, `rollback` or savepoint; `null` means no limit. If the
   * limit is exceeded, the connection is lost and destroyed. Scripts have no limit. Choose a limit above the server's
   * statement timeout, which ends a slow statement without closing the connection.
   */
  readonly answerDeadlineMs: number | null
  /** Called when the connection closes. */
  readonly onLost?: () => void
}

/** The state and the answer deadline of one connection, and the attributes of its spans. */
interface Line {
  readonly life: ConnectionLife
  readonly deadline: AnswerDeadline
  readonly target: TelemetryAttributes
}

/** Returns a connection, which opens at the first statement. */
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
  const line = { life, deadline, target: targetOf(client.sql) }
  return {
    ...runnerOf(client.sql, line, life.check),
    get isLost() {
      return life.isLost || life.isReadOnly
    },
    async begin<T>(work: ScopedWork<T>) {
      life.check()
      const open = (run: (scope: postgres.TransactionSql) => Promise<T>) => client.sql.begin(isolation, run)
      return openScope({ line, names: transactionNames }, work, open)
    },
    end: client.end,
  }
}

/** Describes the database of a client. With several hosts, the server is unknown before the connection. */
function targetOf({ options: { database, host, port } }: postgres.Sql): TelemetryAttributes {
  const [address, portNumber] = [host[0], port[0]]
  const isKnown = host.length === 1 && address !== undefined && portNumber !== undefined
  return {
    'db.namespace': database,
    ...(isKnown ? { 'server.address': address, 'server.port': portNumber } : {}),
  }
}

/** Creates a runner. `check` throws while statements are not allowed. */
function runnerOf(
  target: Pick<postgres.Sql, 'unsafe'>,
  { life, deadline, target: observed }: Line,
  check: () => void,
): StatementRunner {
  const abortingFailure = createAbortingFailure()
  return {
    // This function is async, so an invalid statement causes a rejection instead of an exception.
    async statement(text, parameters = [], shape = 'objects') {
      check()
      const options = { prepare: true, simple: false } as object
      const exchange = deadline.exchange()
      exchange.asked()
      const observation = observeStatement(text, observed)
      let failure: unknown
      try {
        const rows = await life.untilLost(target.unsafe(text, parameters as never[], options).values())
        return (shape === 'values' ? rows : toRows(rows)) as never
      } catch (error) {
        failure = error
        addCallers(error)
        throw abortingFailure(error)
      } finally {
        exchange.answered()
        observation?.end(failure)
      }
    },
    async script(text) {
      check()
      await life.untilLost(target.unsafe(text))
    },
  }
}

/** The statements that the driver sends at the start, the success and the failure of a scope. */
interface ScopeNames {
  readonly start: string
  readonly success: string
  readonly failure: string
}

/** Stated for each transaction, because a role, a database and a session can have another default. */
const isolation = 'isolation level read committed'

const transactionNames: ScopeNames = { start: 'begin', success: 'commit', failure: 'rollback' }
const savepointNames: ScopeNames = { start: 'savepoint', success: 'release', failure: 'rollback' }

/**
 * Opens a scope (a transaction or a savepoint) with `open` and runs `work` in the scope. The answer deadline applies to the
 * start and the end of the scope and to each statement of `work`, but not to the time between statements.
 */
async function openScope<T>(
  { line, names }: { readonly line: Line; readonly names: ScopeNames },
  work: ScopedWork<T>,
  open: (run: (scope: postgres.TransactionSql) => Promise<T>) => Promise<unknown>,
): Promise<T> {
  const exchange = line.deadline.exchange()
  exchange.asked()
  let isIdle = false
  let observation = observeStatement(names.start, line.target)
  let failure: Failure | undefined
  const onEnd = (failed?: Failure): void => {
    exchange.asked()
    isIdle = false
    failure = failed
    observation = observeStatement(failed === undefined ? names.success : names.failure, line.target)
  }
  try {
    const ended = open((scope) => {
      exchange.answered()
      isIdle = true
      observation?.end()
      observation = undefined
      return runScope({ scope, line, onEnd }, work)
    })
    // The work can fail with an error of its own, for example of a file, that looks like that of a socket.
    const isAnswer = (error: unknown): boolean => failure?.error !== error
    const result = (await line.life.untilLost(ended, { isAnswer, isIdle: () => isIdle })) as T
    observation?.end()
    return result
  } catch (error) {
    // After a rollback, the error is that of `work`.
    observation?.end(failure === undefined ? error : undefined)
    throw error
  } finally {
    exchange.answered()
  }
}

interface OpenScope {
  readonly scope: postgres.TransactionSql
  readonly line: Line
  /** Called before the driver sends the statement that ends the scope. */
  readonly onEnd: (failure?: Failure) => void
}

/** The failure of the work in a scope. */
interface Failure {
  readonly error: unknown
}

/**
 * Runs the work of a transaction or savepoint. Once the connection is lost, the returned promise stays pending. If the
 * promise settled, postgres.js would write a commit or a rollback to a closed socket. That error cannot be caught and would
 * end the process.
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
      return openScope({ line, names: savepointNames }, part, (run) => scope.savepoint(run))
    },
  }
  return new Promise((resolve, reject) => {
    const settle = (end: () => void, failure?: Failure): void => {
      isOpen = false
      if (life.isLost) return
      onEnd(failure)
      end()
    }
    Promise.resolve(runner)
      .then(work)
      .then(
        (result) => settle(() => resolve(result)),
        (error: unknown) => settle(() => reject(error), { error }),
      )
  })
}
