import { isKitError } from '../errors.ts'
import { translateDatabaseError } from './database-errors.ts'
import { type SQL, sql } from './sql.ts'
import type { Db } from './tx.ts'

/**
 * A position in the primary's log: its timeline and log sequence number. Every transaction that was visible on the primary
 * before the position was read has its commit before the position.
 */
export type ReadPosition = string

/**
 * The column that reads the current {@link ReadPosition} on the primary, or null on a standby. It takes the position of
 * insertion, not of the last flush: with `synchronous_commit = off`, a commit is visible before its flush.
 */
export const currentPosition: SQL<ReadPosition | null> = sql`
  case when not pg_is_in_recovery() then
    left(pg_walfile_name(pg_current_wal_insert_lsn()), 8) || ' ' || pg_current_wal_insert_lsn()
  end`

/** Runs reads on a standby that has replayed a position. */
export interface Standby {
  /** Runs `work` on the standby if it shows everything up to `since`. Otherwise, or after a failure, returns `behind`. */
  read<T>(work: (db: Db) => Promise<T>, since: ReadPosition): Promise<T | typeof behind>
}

/** The outcome of a read that the primary must serve. */
export const behind = Symbol('behind')

/** The error of a read that found no free connection. It is no fault of the standby, so the next read tries it again. */
export const standbyBusy = (): Error => new Error('Every connection to the standby is in use')

/** After a standby did not answer, reads do not try it for this time: an attempt can take seconds. */
const pauseMs = 5_000

/** Identifies a database and its copies on standbys: no other database, and no other cluster, has both values. */
export interface DatabaseIdentity {
  readonly system: string
  readonly database: string
}

/** Reads the {@link DatabaseIdentity} of a connection. */
export async function readIdentity(db: Db): Promise<DatabaseIdentity> {
  const [row] = await db.execute<{ system: string; database: string }>(sql`
    select system_identifier::text as system, ${ownDatabase} as database from pg_control_system()`)
  if (row === undefined) throw new Error('The server did not identify its database')
  return row
}

const ownDatabase = sql`(select oid::text from pg_database where datname = current_database())`

/** The longest wait for a connection and the position. The deadline of statements is for long lists, not for this answer. */
const answerMs = 2_000

/**
 * Creates the reader. `run` runs work on one connection to the standby. `identify` resolves with the identity of the primary's
 * database: a standby of another cluster, or a connection to another database of it, serves no reads.
 *
 * Two statements on one connection prove that a read shows no less than the primary did at `since`: the first compares the
 * position that is replayed, and the second starts its snapshot later. A replayed position includes the visibility of all
 * commits before it. The timelines must be equal, because after a failover a standby can have replayed a log that the new
 * primary does not have: `pg_control_checkpoint` returns the timeline of the last restart point, which the standby has
 * replayed. Until the first restart point after a failover, the primary serves all reads.
 *
 * @see https://www.postgresql.org/docs/current/functions-admin.html#FUNCTIONS-RECOVERY-CONTROL
 */
export function createStandby(
  run: <T>(work: (db: Db) => Promise<T>) => Promise<T>,
  identify: () => Promise<DatabaseIdentity>,
): Standby {
  let pausedUntilMs = 0
  return {
    async read(work, since) {
      if (performance.now() < pausedUntilMs) return behind
      const identity = await identify()
      const pause = (): void => {
        pausedUntilMs = performance.now() + pauseMs
      }
      let isSilent = false
      const silence = Promise.withResolvers<typeof behind>()
      const timer = setTimeout(() => {
        isSilent = true
        pause()
        silence.resolve(behind)
      }, answerMs)
      const attempt = run(async (db) => {
        const isShown = await hasReplayed(db, since, identity)
        clearTimeout(timer)
        return isShown && !isSilent ? work(db) : behind
      })
      try {
        return await Promise.race([attempt, silence.promise])
      } catch (error) {
        // A refusal, such as not_found, is final: the standby shows everything up to the position.
        if (isKitError(error) && error.code !== 'service.unavailable') throw error
        // Anything else can be a fault of the standby, such as a conflict with its replay (40001). The primary decides.
        if (isKitError(translateDatabaseError(error))) pause()
        return behind
      } finally {
        clearTimeout(timer)
      }
    },
  }
}

async function hasReplayed(
  db: Db,
  since: ReadPosition,
  { system, database }: DatabaseIdentity,
): Promise<boolean> {
  const [timeline = '', lsn = ''] = since.split(' ')
  const [row] = await db.execute<{ has_replayed: boolean | null }>(sql`
    select pg_is_in_recovery() and timeline_id = ${Number.parseInt(timeline, 16)}::int
      and pg_last_wal_replay_lsn() >= ${lsn}::pg_lsn
      and system_identifier = ${system}::bigint and ${ownDatabase} = ${database} as has_replayed
    from pg_control_checkpoint(), pg_control_system()`)
  return row?.has_replayed === true
}
