import type { StatementRunner } from '../database/connection.ts'
import {
  createAbortingFailure,
  transactionEndedError,
  translateDatabaseError,
} from '../database/database-errors.ts'
import { type AfterCommit, openTx, type Tx } from '../database/tx.ts'
import { newId } from '../new-id.ts'
import { toObjects, toParameter, toValues } from './conversions.ts'
import type { DriverTransaction } from './driver-transaction.ts'
import { isNodePostgresClient, overNodePostgres } from './node-postgres.ts'
import { isPostgresJsScope, overPostgresJs } from './postgres-js.ts'

/** The transaction that Drizzle passes to the callback of `db.transaction`, for postgres.js or node-postgres. */
export interface ApplicationTransaction {
  readonly _: { readonly session: object }
  rollback(): never
  transaction<T>(part: (nested: ApplicationTransaction) => Promise<T>): Promise<T>
}

/** The `Tx` of each transaction. It is kept after the end of the transaction, so late statements are rejected. */
const known = new WeakMap<object, Tx>()

/**
 * Returns a `Tx` for the application's own Drizzle transaction. Commands and queries of the kit that receive this `Tx` run
 * in the application's transaction and commit or roll back together with the application's rows.
 *
 * - Results equal the results of a `Database`, regardless of the driver, its parsers and Drizzle's options. Renamed columns
 *   (the option `transform` of postgres.js) are not supported.
 * - `tx.savepoint` opens a nested transaction of Drizzle. If the application's callback does not catch an error, the
 *   application's rows are rolled back too.
 * - The isolation level and the time limits of the application's session apply. Use READ COMMITTED, and set
 *   `statement_timeout`, `lock_timeout` and `idle_in_transaction_session_timeout`.
 *
 * A statement rejects with a `TypeError` once the transaction is ending.
 *
 * @throws {TypeError} for a Drizzle database that is not in a transaction, and for other drivers
 * @throws {CoreError} service.unavailable, from a statement that loses its connection or exceeds a time limit
 */
export function kitTx(transaction: ApplicationTransaction): Tx {
  if (!isTransaction(transaction)) {
    throw new TypeError('kitTx needs a transaction: db.transaction(async (tx) => … kitTx(tx) …)')
  }
  const tx = known.get(transaction) ?? open(transaction)
  known.set(transaction, tx)
  return tx
}

/** Makes `kitTx(transaction)` return `tx`. */
export function identify(transaction: object, tx: Tx): void {
  known.set(transaction, tx)
}

function isTransaction(value: unknown): boolean {
  return typeof value === 'object' && value !== null && typeof Reflect.get(value, 'rollback') === 'function'
}

function open(transaction: ApplicationTransaction): Tx {
  const afterCommit: AfterCommit = new Set()
  return openTx(runnerOver(transaction, driverOf(transaction, afterCommit)), { afterCommit, newId })
}

function driverOf(transaction: ApplicationTransaction, afterCommit: AfterCommit): DriverTransaction {
  const client = clientOf(transaction)
  if (isPostgresJsScope(client)) return overPostgresJs(client, afterCommit)
  if (isNodePostgresClient(client)) return overNodePostgres(client, afterCommit)
  throw new TypeError('kitTx accepts transactions of drizzle-orm/postgres-js and drizzle-orm/node-postgres')
}

const clientOf = ({ _ }: ApplicationTransaction): unknown => Reflect.get(_.session, 'client')

function runnerOver(transaction: ApplicationTransaction, driver: DriverTransaction): StatementRunner {
  const abortingFailure = createAbortingFailure()
  return {
    async statement(text, parameters = [], shape = 'objects') {
      try {
        const result = await driver.run(text, parameters.map(toParameter))
        return (shape === 'values' ? toValues(result) : toObjects(result)) as never
      } catch (error) {
        throw translateDatabaseError(abortingFailure(error))
      }
    },
    async script() {
      throw new TypeError('A script cannot run in a transaction of the application')
    },
    async savepoint(part) {
      await driver.check()
      return transaction.transaction(async (nested) => {
        const scope = scopeOf(driver.within(clientOf(nested)))
        try {
          return await part(runnerOver(nested, scope))
        } finally {
          scope.end()
        }
      })
    },
  }
}

/** Wraps a savepoint. After its end, the wrapper rejects statements, because they would run outside the savepoint. */
function scopeOf(driver: DriverTransaction): DriverTransaction & { end(): void } {
  let isOpen = true
  const check = async (): Promise<void> => {
    if (!isOpen) throw transactionEndedError()
    await driver.check()
  }
  return {
    check,
    within: driver.within,
    async run(text, parameters) {
      if (!isOpen) throw transactionEndedError()
      return driver.run(text, parameters)
    },
    end() {
      isOpen = false
    },
  }
}
