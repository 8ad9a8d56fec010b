import { isStatementError } from '../database/database-errors.ts'
import { isKitError } from '../errors.ts'

/** Repeats what a cycle could not store because the database was away. Otherwise, the leases of the cycle would have to expire. */
export interface Unfinished {
  /**
   * Runs `act`. If it rejects because the connection failed, `again` runs at the start of the next cycle. The database can have stored
   * the first attempt or not, so `again` must be right in both cases.
   */
  run<T>(act: () => Promise<T>, again?: () => Promise<unknown>): Promise<T>
  /**
   * Runs what earlier cycles could not. Rejects if the database is still away, and keeps what is left. A statement that the database
   * rejects is not repeated, so it cannot stop the consumer: its lease expires.
   */
  resume(): Promise<void>
}

/** Creates the memory of one consumer. A host or tenant that closes loses it: leases that it could not release then expire. */
export function createUnfinished(): Unfinished {
  const waiting: (() => Promise<unknown>)[] = []
  const run: Unfinished['run'] = async (act, again = act) => {
    try {
      return await act()
    } catch (error) {
      const isAway = isKitError(error) && error.code === 'service.unavailable' && !isStatementError(error)
      if (isAway) waiting.push(again)
      throw error
    }
  }
  return {
    run,
    async resume() {
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) await run(next)
    },
  }
}
