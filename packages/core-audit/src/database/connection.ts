import type postgres from 'postgres'
import { type ClientOptions, openPostgresClient } from './client.ts'
import { type ConnectionLife, createConnectionLife } from './connection-life.ts'

/** What runs statements: a connection, a transaction on it, or a part of one. */
export interface StatementRunner {
  /**
   * Runs one statement, prepared: postgres.js would ask the server to describe an unprepared one, a round trip more. Never
   * by the simple protocol, which it takes for a text without parameters: that would run any number of statements that
   * found their way into one text. Sent at once: statements run in the order they were asked for.
   */
  statement<Row>(text: string, parameters?: readonly unknown[]): Promise<readonly Row[]>
  /** Runs any number of statements: a migration. */
  script(text: string): Promise<void>
  /** Inside a transaction: runs a part of it that can be undone alone. */
  savepoint?<T>(part: ScopedWork<T>): Promise<T>
}

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

type ConnectionOptions = Omit<ClientOptions, 'onclose' | 'onnotify'>

/** Prepares a connection. It is made at the first statement. `onLost` is told at the moment it closes. */
export function openConnection(url: string, options: ConnectionOptions, onLost?: () => void): Connection {
  const life = createConnectionLife(onLost)
  const client = openPostgresClient(url, { ...options, onclose: life.close })
  return {
    ...runnerOf(client.sql, life, life.check),
    get isLost() {
      return life.isLost
    },
    async begin<T>(work: ScopedWork<T>) {
      life.check()
      return life.untilLost(client.sql.begin((scope) => runScope(scope, life, work))) as Promise<T>
    },
    end: client.end,
  }
}

/** `check` throws when no statement may be run. */
function runnerOf(
  target: Pick<postgres.Sql, 'unsafe'>,
  life: ConnectionLife,
  check: () => void,
): StatementRunner {
  return {
    // Async, so that whatever is wrong with a statement rejects and nothing throws.
    async statement(text, parameters = []) {
      check()
      const options = { prepare: true, simple: false } as object
      return life.untilLost(target.unsafe(text, parameters as never[], options)) as never
    },
    async script(text) {
      check()
      await life.untilLost(target.unsafe(text))
    },
  }
}

/**
 * Runs the work of a transaction or of a savepoint in it. Once the connection is lost, the promise stays open: for an end
 * of `work`, postgres.js would write a commit or a rollback to a socket that is gone, which nobody can catch, and which
 * ends the process.
 *
 * @see https://github.com/porsager/postgres/issues/1208
 */
function runScope<T>(scope: postgres.TransactionSql, life: ConnectionLife, work: ScopedWork<T>): Promise<T> {
  let isOpen = true
  const check = (): void => {
    life.check()
    if (isOpen) return
    throw new TypeError('The transaction of this statement has ended; await every statement in it')
  }
  const runner: StatementRunner = {
    ...runnerOf(scope, life, check),
    async savepoint(part) {
      check()
      return scope.savepoint((nested) => runScope(nested, life, part)) as Promise<never>
    },
  }
  return new Promise((resolve, reject) => {
    const settle = (end: () => void): void => {
      isOpen = false
      if (!life.isLost) end()
    }
    Promise.resolve(runner)
      .then(work)
      .then(
        (result) => settle(() => resolve(result)),
        (error: unknown) => settle(() => reject(error)),
      )
  })
}
