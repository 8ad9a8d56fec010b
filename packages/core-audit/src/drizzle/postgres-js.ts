import { connectionError, transactionEndedError } from '../database/database-errors.ts'
import type { AfterCommit } from '../database/tx.ts'
import { type DriverTransaction, type TransactionLife, watchTransaction } from './driver-transaction.ts'

/** The argument of postgres.js's `begin` and `savepoint` callbacks. */
export interface PostgresJsScope {
  unsafe(text: string, parameters: readonly unknown[], options: object): PostgresJsQuery
  savepoint: unknown
}

interface PostgresJsQuery extends PromiseLike<unknown> {
  /** Returns rows as arrays of bytes and bypasses every parser. */
  raw(): PromiseLike<PostgresJsResult>
}

interface PostgresJsResult extends ReadonlyArray<readonly (Uint8Array | null)[]> {
  readonly columns: readonly { readonly name: string; readonly type: number }[]
}

/** Returns whether the client is a scope of `begin` or `savepoint`: only these have `savepoint`. */
export function isPostgresJsScope(client: unknown): client is PostgresJsScope {
  return typeof client === 'function' && 'unsafe' in client && 'savepoint' in client
}

export function overPostgresJs(client: PostgresJsScope, afterCommit: AfterCommit): DriverTransaction {
  const watching = watchScope(client, afterCommit)
  // Every statement awaits this promise. Without a statement, its rejection would have no handler.
  watching.catch(() => {})
  return overScope(client, watching)
}

function overScope(client: PostgresJsScope, watching: Promise<TransactionLife>): DriverTransaction {
  const check = async (): Promise<void> => (await watching).check()
  return {
    check,
    async run(text, parameters) {
      await check()
      const rows = await client.unsafe(text, parameters, { prepare: true, simple: false }).raw()
      return {
        columns: rows.columns,
        rows: rows.map((row) => row.map((value) => (value === null ? null : Buffer.from(value).toString()))),
      }
    },
    within(nested) {
      if (!isPostgresJsScope(nested)) throw new TypeError('kitTx: the savepoint uses another driver')
      return overScope(nested, watching)
    },
  }
}

/** A connection of postgres.js. `reserved` is a different object in each transaction, and null outside a transaction. */
interface PostgresJsConnection {
  readonly reserved: object | null
}

async function watchScope(client: PostgresJsScope, afterCommit: AfterCommit): Promise<TransactionLife> {
  const connection = await connectionOf(client)
  const { reserved } = connection
  if (!reserved) throw transactionEndedError()
  // After a loss, postgres.js reuses the connection object for its next connection.
  const isThere = (): boolean => connection.reserved === reserved
  const life = watchTransaction({
    ...{ connection, identity: reserved, method: 'execute', afterCommit, isThere, textOf },
    answerOf: ([query]) => query,
  })
  return {
    check() {
      life.check()
      if (!isThere()) throw connectionError('CONNECTION_CLOSED', 'The connection was lost')
    },
  }
}

function textOf([query]: readonly unknown[]): unknown {
  return (query as { readonly strings: readonly string[] }).strings[0]
}

/** When the socket's buffer is full, postgres.js sends a query without calling `onexecute`; the next query calls it. */
const maxTries = 3

/**
 * Returns the connection of a transaction. Only `onexecute` reports it, as `begin` itself uses it. The empty query for this
 * is sent together with the first statement, and the server executes nothing for it.
 */
async function connectionOf(client: PostgresJsScope): Promise<PostgresJsConnection> {
  for (let count = 0; count < maxTries; count += 1) {
    const connection = await new Promise<PostgresJsConnection | undefined>((resolve, reject) => {
      const onexecute = (executing: PostgresJsConnection): true => {
        resolve(executing)
        return true
      }
      client.unsafe('', [], { onexecute, simple: true }).then(() => resolve(undefined), reject)
    })
    if (connection !== undefined) return connection
  }
  throw new TypeError('kitTx: this version of postgres.js does not report the connection of a transaction')
}
