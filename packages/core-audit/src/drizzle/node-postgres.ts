import { connectionError, transactionEndedError } from '../database/database-errors.ts'
import type { AfterCommit } from '../database/tx.ts'
import type { TextResult } from './conversions.ts'
import { type DriverTransaction, watchTransaction } from './driver-transaction.ts'

/** A client of node-postgres, either standalone or from a pool. */
export interface NodePostgresClient {
  query(config: object): Promise<NodePostgresResult>
  /** Exists since pg 8.19; `I` means that no transaction is open. */
  getTransactionStatus?(): string | null
}

interface NodePostgresResult {
  readonly fields: readonly { readonly name: string; readonly dataTypeID: number }[]
  readonly rows: TextResult['rows']
}

export function isNodePostgresClient(client: unknown): client is NodePostgresClient {
  return typeof client === 'object' && client !== null && 'query' in client
}

/** The latest statement of each client. This module queues statements, because node-postgres 9 will not queue them. */
const newest = new WeakMap<NodePostgresClient, Promise<unknown>>()

/**
 * Returns the open transaction of a client.
 * @throws {TypeError} if the client reports that no transaction is open; clients before pg 8.19 cannot report this
 */
export function overNodePostgres(client: NodePostgresClient, afterCommit: AfterCommit): DriverTransaction {
  if (client.getTransactionStatus?.() === 'I') throw transactionEndedError()
  const life = watchTransaction({
    ...{ connection: client, identity: client, method: 'query', afterCommit, textOf },
    // A client of node-postgres never reconnects.
    isThere: () => true,
    answerOf: (_call, returned) => returned,
  })
  const send = async (text: string, values: readonly unknown[]): Promise<TextResult> => {
    life.check()
    // Force the extended protocol, because node-postgres uses the simple protocol for a text without parameters.
    const protocol = { queryMode: 'extended', rowMode: 'array', types: allText }
    const { fields, rows } = await client.query({ text, values, ...protocol }).catch(withCode)
    return { columns: fields.map(({ name, dataTypeID }) => ({ name, type: dataTypeID })), rows }
  }
  const transaction: DriverTransaction = {
    run(text, parameters) {
      const before = newest.get(client) ?? Promise.resolve()
      const result = before.then(() => send(text, parameters))
      newest.set(
        client,
        result.catch(() => {}),
      )
      return result
    },
    async check() {
      await newest.get(client)
      life.check()
    },
    // Savepoints are statements on the same client.
    within: () => transaction,
  }
  return transaction
}

const allText = { getTypeParser: () => (text: string) => text }

function textOf([config]: readonly unknown[]): unknown {
  return typeof config === 'object' && config !== null ? Reflect.get(config, 'text') : config
}

/** Rethrows the error with a code. For a lost connection or a timeout, the error of node-postgres has only a message. */
function withCode(error: unknown): never {
  if (!(error instanceof Error) || error.name !== 'Error' || 'code' in error) throw error
  throw connectionError('CONNECTION_CLOSED', 'The connection was lost', { cause: error })
}
