import { connectionError, transactionEndedError } from '../database/database-errors.ts'
import type { AfterCommit } from '../database/tx.ts'
import { type DriverTransaction, type TransactionLife, watchTransaction } from './driver-transaction.ts'

/** The client that postgres.js passes to the callbacks of `begin` and `savepoint`. */
export interface PostgresJsScope {
  unsafe(text: string, parameters: readonly unknown[], options: object): PostgresJsQuery
  savepoint: unknown
}

interface PostgresJsQuery extends PromiseLike<unknown> {
  /** Returns each value as bytes, without any parser. */
  raw(): PromiseLike<PostgresJsResult>
}

interface PostgresJsResult extends ReadonlyArray<readonly (Uint8Array | null)[]> {
  readonly columns: readonly { readonly name: string; readonly type: number }[]
}

/** Returns whether the client comes from `begin` or `savepoint`: only such a client has the method `savepoint`. */
export function isPostgresJsScope(client: unknown): client is PostgresJsScope {
  return typeof client === 'function' && 'unsafe' in client && 'savepoint' in client
}

export function overPostgresJs(client: PostgresJsScope, afterCommit: AfterCommit): DriverTransaction {
  const watching = watchScope(client, afterCommit)
  // Every statement awaits `watching`. If no statement follows, a rejection of `watching` would have no handler.
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
  // After a connection is lost, postgres.js reuses the object for a new connection.
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

/** Maximum number of empty queries. If the socket's buffer is full, postgres.js calls `onexecute` for a later query. */
const maxTries = 3

/**
 * Returns the connection of a transaction. postgres.js reports the connection only to the option `onexecute` of a query,
 * which `begin` uses too. Therefore this function sends an empty query together with the first statement. The server
 * executes nothing for an empty query.
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
