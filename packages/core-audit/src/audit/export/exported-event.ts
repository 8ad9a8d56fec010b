import type { Db } from '../../database/database.ts'
import { type SQL, sql } from '../../database/sql.ts'

/** An event as it is exported. Each value is text in a form that does not depend on settings of a session. */
export interface ExportedEvent {
  readonly id: string
  readonly target_id: string
  readonly actor_user_id: string | null
  /**
   * ISO 8601 in UTC, with microseconds. A year before 0 or after 9999 has a sign and six digits, and the year before 1 is 0, as
   * for a `Date`. Also `infinity` and `-infinity`.
   */
  readonly occurred_at: string
  readonly module: string
  readonly target_kind: string
  readonly target_type_code: string
  readonly action_code: string
  readonly correlation_id: string | null
  /** JSON, as PostgreSQL writes it: numbers keep all their digits. */
  readonly metadata: string | null
  /** JSON, as PostgreSQL writes it. */
  readonly changes: string
}

/** The columns in the order of the exported lines. */
export const exportedColumns = [
  ...['id', 'target_id', 'actor_user_id', 'occurred_at', 'module', 'target_kind', 'target_type_code'],
  ...['action_code', 'correlation_id', 'metadata', 'changes'],
] as readonly (keyof ExportedEvent)[]

const json: ReadonlySet<string> = new Set(['metadata', 'changes'])

/**
 * Returns the line of an event in an NDJSON file, without the line break. The hash of these lines identifies the events of
 * a file, in each format.
 */
export function lineOf(event: ExportedEvent): string {
  const parts = exportedColumns.map((column) => {
    // A reader of Parquet can omit a null.
    const value = event[column] ?? null
    return `"${column}":${json.has(column) ? value : JSON.stringify(value)}`
  })
  return `{${parts.join(',')}}`
}

/** A part of the events: after one id, up to and with another one. */
export interface EventSpan {
  /** The table or partition, as SQL. */
  readonly table: SQL
  /** The bounds of the partition, for a read through the table. */
  readonly firstId: string | null
  readonly endId: string
  readonly afterId: string | null
  readonly throughId: string | null
}

/** Large enough that round trips do not matter; about 1 MB of text. */
const batchSize = 2_000

/**
 * The size of the JSON from which a batch ends early; 2,000 usual events have less. It is the stored size, because PostgreSQL
 * reads it without the JSON. The text is larger if it was compressed: usually up to ten times, at most 87 times (pglz).
 */
const batchStoredBytes = 1_048_576

/** `to_char` shows an infinite time as null, and omits whether a year was before our era. */
const occurredAt = sql`
  case when isfinite(occurred_at)
    then to_char(year, case when year between 0 and 9999 then 'FM0000' else 'FMSG000000' end)
      || to_char(utc, '-MM-DD"T"HH24:MI:SS.US"Z"')
    else occurred_at::text
  end`

/**
 * Reads events in the order of their ids, in batches, so memory does not grow with their number, and hardly with their size.
 * Uses the primary key.
 */
export async function* readEvents(
  read: <T>(work: (db: Db) => Promise<T>) => Promise<T>,
  { table, firstId, endId, afterId, throughId }: EventSpan,
): AsyncGenerator<ExportedEvent> {
  for (let after = afterId; ; ) {
    // The bounds of the partition are literals, so that no other partition is locked.
    const rows = await read((db) =>
      db.execute<ExportedEvent & Record<string, unknown>>(sql`
        select id, target_id, actor_user_id, ${occurredAt} as occurred_at,
          module, target_kind, target_type_code, action_code, correlation_id,
          metadata::text as metadata, changes::text as changes
        from (
          select *,
            sum(coalesce(pg_column_size(metadata), 0) + pg_column_size(changes))
              over (order by id rows between unbounded preceding and 1 preceding) as bytes_before
          from ${table}
          where ${sql.raw(`id < '${endId}'`)}
            ${firstId === null ? sql`` : sql.raw(`and id >= '${firstId}'`)}
            ${after === null ? sql`` : sql`and id > ${after}::uuid`}
            ${throughId === null ? sql`` : sql`and id <= ${throughId}::uuid`}
          order by id
          limit ${batchSize}
        ) e
        cross join lateral (select occurred_at at time zone 'UTC' as utc) u
        -- PostgreSQL has no year 0: -1 is before 1.
        cross join lateral (select extract(year from utc) + case when utc < '0001-01-01' then 1 else 0 end as year) y
        where bytes_before is null or bytes_before < ${batchStoredBytes}
        order by id`),
    )
    if (rows.length === 0) return
    yield* rows
    after = rows.at(-1)?.id ?? null
  }
}
