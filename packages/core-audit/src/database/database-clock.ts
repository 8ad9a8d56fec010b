import { V7Generator } from 'uuidv7'
import { sql } from './sql.ts'
import type { Db } from './tx.ts'

/**
 * The clock of the database server, as this process has measured it. Hosts that use one database agree on this time, even
 * if the clocks of some hosts are wrong.
 */
export interface DatabaseClock {
  /**
   * Returns the time of the database in whole milliseconds since 1970. The error is at most half of the round trip of the
   * measurement, plus 1 ms for each second since then. Between measurements, the time advances with the monotonic clock, so
   * a step of the host's clock does not change it. Before the first measurement, it is the time of the host.
   */
  now(): number
  /** How far the host's clock is ahead of the database's; negative if it is behind. `null` before the first measurement. */
  readonly hostAheadMs: number | null
  /**
   * Compares the clocks, with five short statements on one connection.
   * @throws {CoreError} service.unavailable
   */
  measure(): Promise<void>
}

/** The time of the database, compared with the monotonic clock of the process. */
export interface Measurement {
  /** The time of the database when the monotonic clock was 0. */
  readonly originMs: number
  /** The largest possible error, directly after the measurement. */
  readonly errorMs: number
  /** The time of the measurement by the monotonic clock. */
  readonly atMs: number
}

/** The shortest of these round trips counts. The first one can include opening a connection. */
const roundTripCount = 5

/** NTP changes the speed of a clock by at most 500 ppm, here and at the database. */
const driftPerMs = 0.001

/** Creates the clock of the database that `read` queries. */
export function createDatabaseClock(read: <T>(work: (db: Db) => Promise<T>) => Promise<T>): DatabaseClock {
  let current: Measurement | undefined
  const now = (): number =>
    current === undefined ? Date.now() : Math.floor(current.originMs + performance.now())
  return {
    now,
    get hostAheadMs() {
      return current === undefined ? null : Date.now() - now()
    },
    async measure() {
      const next = await read(measureOn)
      if (current === undefined || replaces(next, current)) current = next
    },
  }
}

/**
 * Returns whether to use the next measurement. On a busy host, it can be less exact than the current one. The current one is
 * then kept if both can be true. If they contradict each other, a clock was set or the process was suspended.
 */
export function replaces(next: Measurement, current: Measurement): boolean {
  const currentErrorMs = current.errorMs + (next.atMs - current.atMs) * driftPerMs
  const isContradiction = Math.abs(next.originMs - current.originMs) > next.errorMs + currentErrorMs
  return isContradiction || next.errorMs <= currentErrorMs
}

async function measureOn(db: Db): Promise<Measurement> {
  let best = await compare(db)
  for (let count = 1; count < roundTripCount; count += 1) {
    const next = await compare(db)
    if (next.errorMs < best.errorMs) best = next
  }
  return best
}

/** Assumes that the database read its clock in the middle of the round trip. */
async function compare(db: Db): Promise<Measurement> {
  const sentMs = performance.now()
  const [row] = await db.execute<{ now_ms: number }>(
    sql`select (extract(epoch from clock_timestamp()) * 1000)::float8 as now_ms`,
  )
  const atMs = performance.now()
  if (row === undefined) throw new Error('The database returned no time')
  return { originMs: row.now_ms - (sentMs + atMs) / 2, errorMs: (atMs - sentMs) / 2, atMs }
}

/** The largest time of a UUIDv7: 48 bits. */
const maxIdTimeMs = 2 ** 48 - 1

/**
 * Returns a function that creates UUIDv7 (RFC 9562 §5.7) with the time of the clock. Each id sorts after the one before,
 * even if the clock goes back: then the ids keep the latest time until the clock has passed it.
 */
export function createIds(clock: Pick<DatabaseClock, 'now'>): () => string {
  const generator = new V7Generator()
  generator.setRollbackAllowance(maxIdTimeMs)
  return () => generator.generateOrResetWithTs(clock.now()).toString()
}
