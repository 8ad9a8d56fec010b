import { isKitError } from '../errors.ts'

/** Repeats what a cycle could not store because the database was away. Otherwise, the leases of the cycle would have to expire. */
export interface Unfinished {
  /**
   * Runs `act`. If it rejects because the database is unavailable, `again` runs at the start of the next cycle. It can run although
   * the database has stored the first attempt, so it must then change nothing.
   */
  run<T>(act: () => Promise<T>, again?: () => Promise<unknown>): Promise<T>
  /** Runs what earlier cycles could not. Rejects and keeps the rest if the database is still unavailable. */
  resume(): Promise<void>
}

/** Creates the memory of one consumer. It is lost with its process, whose leases then expire. */
export function createUnfinished(): Unfinished {
  const waiting: (() => Promise<unknown>)[] = []
  const run: Unfinished['run'] = async (act, again = act) => {
    try {
      return await act()
    } catch (error) {
      if (isKitError(error) && error.code === 'service.unavailable') waiting.push(again)
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
