import { isKitError, type SQL, sql } from '@vertical-kit/core-audit'
import { readCursor } from '@vertical-kit/core-audit/http'
import * as v from 'valibot'
import { WorkCenterError } from '../errors.ts'

/**
 * The snapshot of a statement: `xmin`, `xmax` and the transactions between them that were still running. A standby does not know
 * the latter, so there the snapshot ends at `xmin`: an item that has just arrived then counts as later.
 */
export const currentSnapshot: SQL<string> = sql<string>`(
  select case
    when pg_is_in_recovery() then concat(pg_snapshot_xmin(s), ':', pg_snapshot_xmin(s), ':')
    else s::text
  end
  from pg_current_snapshot() s
)`

/** The snapshot of a page without items: no transaction had ended. */
export const emptySnapshot = '0:0:'

/** The texts of {@link currentSnapshot}, with at most 19 digits for each transaction, which every `xid8` can store. */
const Snapshot = v.tuple([v.pipe(v.string(), v.regex(/^\d{1,19}:\d{1,19}:(\d{1,19}(,\d{1,19})*)?$/))])

/**
 * Returns the snapshot of a page of this list.
 * @throws {WorkCenterError} work_center.cursor_invalid for any other text, also for one of another list or user
 */
export function readSnapshot(list: string, through: string): string {
  const [snapshot] = readPosition(list, through, Snapshot)
  return snapshot
}

/**
 * Returns the condition that entry `e` had arrived when the snapshot was taken: its transaction had committed. A transaction that
 * is ahead of the current snapshot is of another server, from which the table was restored.
 */
export function hadArrived(snapshot: string): SQL {
  const [xmin, xmax, running = ''] = snapshot.split(':')
  return sql`(
  e.arrived_in is null
  or e.arrived_in < ${xmin}::xid8
  or e.arrived_in < ${xmax}::xid8 and not (e.arrived_in::text = any(${sql.param(running.split(','))}::text[]))
  or e.arrived_in >= pg_snapshot_xmax(pg_current_snapshot())
)`
}

/** Reads a cursor. @throws {WorkCenterError} work_center.cursor_invalid */
export function readPosition<Schema extends v.GenericSchema>(
  list: string,
  cursor: string,
  schema: Schema,
): v.InferOutput<Schema> {
  try {
    return readCursor(list, cursor, schema)
  } catch (cause) {
    if (!isKitError(cause)) throw cause
    throw new WorkCenterError('work_center.cursor_invalid', { cause })
  }
}
