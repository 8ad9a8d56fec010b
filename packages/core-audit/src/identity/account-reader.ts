import { AsyncLocalStorage } from 'node:async_hooks'
import type { Database } from '../database/database.ts'
import { isKitError } from '../errors.ts'
import { type Account, type AccountQuery, loadAccounts } from './queries/load-accounts.ts'

/** A request that waits for its account. */
interface Waiting {
  readonly query: AccountQuery
  readonly resolve: (account: Account) => void
  readonly reject: (error: unknown) => void
}

/** Maximum number of accounts of one statement. */
const batchMax = 100

/**
 * How long requests wait for the statement before theirs, in milliseconds. It takes less, unless its connection or the
 * server is slow. Then they continue on another connection.
 */
const patienceMs = 5

/**
 * Returns a function that reads the account of a request. Requests that arrive while a statement runs are read together by
 * the next one: the busier the host, the fewer statements it needs. An account is never older than its request, because its
 * statement starts after the request has arrived.
 *
 * @throws {CoreError} service.unavailable
 */
export function createAccountReader(database: Database): (query: AccountQuery) => Promise<Account> {
  const readAll = (queries: readonly AccountQuery[]) =>
    database.read((db) => loadAccounts(db, queries, database.position))
  const waiting: Waiting[] = []
  let timer: NodeJS.Timeout | undefined
  let running = 0
  /** Runs a statement in the context of the request that has waited longest, to which its span belongs. */
  let inContext: ReturnType<typeof AsyncLocalStorage.snapshot> | undefined

  const start = (): void => {
    clearTimeout(timer)
    timer = undefined
    const batch = waiting.splice(0, batchMax)
    if (waiting.length > 0) wait()
    running += 1
    const ended = inContext === undefined ? answer(batch, readAll) : inContext(answer, batch, readAll)
    void ended.then(() => {
      running -= 1
      if (waiting.length > 0) start()
    })
  }
  const wait = (): void => {
    timer ??= setTimeout(start, patienceMs)
  }

  return (query) =>
    new Promise((resolve, reject) => {
      if (waiting.length === 0) inContext = running === 0 ? undefined : AsyncLocalStorage.snapshot()
      waiting.push({ query, resolve, reject })
      if (running === 0) start()
      else wait()
    })
}

/** Settles every request of a batch, and never rejects. */
async function answer(
  batch: readonly Waiting[],
  readAll: (queries: readonly AccountQuery[]) => Promise<readonly Account[]>,
): Promise<void> {
  try {
    const accounts = await readAll(batch.map(({ query }) => query))
    for (const [index, { resolve }] of batch.entries()) resolve(accounts[index] as Account)
  } catch (error) {
    // A subject that the database cannot store, such as one with a NUL character, must fail only its own request.
    if (batch.length === 1 || isKitError(error)) for (const { reject } of batch) reject(error)
    else await Promise.all(batch.map((each) => answer([each], readAll)))
  }
}
