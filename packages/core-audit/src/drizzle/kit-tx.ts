import type { StatementRunner } from '../database/connection.ts'
import { transactionEndedError, translateDatabaseError } from '../database/database-errors.ts'
import { type AfterCommit, openTx, type Tx } from '../database/tx.ts'
import { toObjects, toParameter, toValues } from './conversions.ts'
import type { DriverTransaction } from './driver-transaction.ts'
import { isNodePostgresClient, overNodePostgres } from './node-postgres.ts'
import { isPostgresJsScope, overPostgresJs } from './postgres-js.ts'

/** What `db.transaction` of Drizzle hands to its callback, over postgres.js or node-postgres. */
export interface ApplicationTransaction {
  readonly _: { readonly session: object }
  rollback(): never
  transaction<T>(part: (nested: ApplicationTransaction) => Promise<T>): Promise<T>
}

/** One `Tx` for each transaction, also once it has ended. */
const known = new WeakMap<object, Tx>()

/**
 * The application's own Drizzle transaction as a `Tx`: every command and query of the kit runs inside it, on its
 * connection, and commits or is undone together with the application's rows.
 *
 * - Results are those of a `Database`, whatever the driver, its parsers and Drizzle's options. Only renamed columns
 *   (postgres.js's `transform`) are not supported.
 * - `tx.savepoint` is a nested transaction of Drizzle's. A refusal that rises out of the application's callback undoes the
 *   application's rows as well.
 * - Isolation and limits of time are those of the application's session: READ COMMITTED, and a `statement_timeout`,
 *   `lock_timeout` and `idle_in_transaction_session_timeout`.
 *
 * A statement rejects with a `TypeError` once the end of the transaction was asked for.
 *
 * @throws {TypeError} for a Drizzle database without a transaction, and for another driver
 * @throws {CoreError} service.unavailable, from a statement whose connection is lost or whose wait has run into its limit
 */
export function kitTx(transaction: ApplicationTransaction): Tx {
  if (!isTransaction(transaction)) {
    throw new TypeError('kitTx needs a transaction: db.transaction(async (tx) => … kitTx(tx) …)')
  }
  const tx = known.get(transaction) ?? open(transaction)
  known.set(transaction, tx)
  return tx
}

/** Makes `kitTx(transaction)` answer with `tx`. */
export function identify(transaction: object, tx: Tx): void {
  known.set(transaction, tx)
}

function isTransaction(value: unknown): boolean {
  return typeof value === 'object' && value !== null && typeof Reflect.get(value, 'rollback') === 'function'
}

function open(transaction: ApplicationTransaction): Tx {
  const afterCommit: AfterCommit = new Set()
  return openTx(runnerOver(transaction, driverOf(transaction, afterCommit)), afterCommit)
}

function driverOf(transaction: ApplicationTransaction, afterCommit: AfterCommit): DriverTransaction {
  const client = clientOf(transaction)
  if (isPostgresJsScope(client)) return overPostgresJs(client, afterCommit)
  if (isNodePostgresClient(client)) return overNodePostgres(client, afterCommit)
  throw new TypeError('kitTx takes transactions of drizzle-orm/postgres-js and drizzle-orm/node-postgres')
}

const clientOf = ({ _ }: ApplicationTransaction): unknown => Reflect.get(_.session, 'client')

function runnerOver(transaction: ApplicationTransaction, driver: DriverTransaction): StatementRunner {
  return {
    async statement(text, parameters = [], shape = 'objects') {
      try {
        const result = await driver.run(text, parameters.map(toParameter))
        return (shape === 'values' ? toValues(result) : toObjects(result)) as never
      } catch (error) {
        throw translateDatabaseError(error)
      }
    },
    async script() {
      throw new TypeError('Scripts do not run in a transaction of the application')
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

/** A savepoint: after its end, statements of it would run outside of it. */
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
