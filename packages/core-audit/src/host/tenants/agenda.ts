import type { DatabaseConfig } from '../../database/config.ts'
import { createDatabase, type Db } from '../../database/database.ts'
import { type SQL, sql } from '../../database/sql.ts'
import type { Worker } from '../workers.ts'

/** When the workers of a closed tenant have work. It stays in memory while the tenant is closed. */
export interface Agenda {
  /** The milliseconds until a worker has work, as one expression; `undefined` if no worker has a `dueAt`. */
  readonly dueInMs: SQL<number | null> | undefined
  /** The shortest interval of the workers without a `dueAt`: infinite if there are none. */
  readonly intervalMs: number
  /** The longest interval of the workers with a `dueAt`: 0 if there are none. */
  readonly longestMs: number
}

/** Combines the workers of a tenant: one statement asks for all of them. */
export function agendaOf(workers: readonly Pick<Worker, 'dueAt' | 'intervalMs'>[]): Agenda {
  const planned = workers.filter((worker) => worker.dueAt)
  const dueAt = planned.flatMap((worker) => worker.dueAt ?? [])
  const regular = workers.filter((worker) => worker.dueAt === undefined)
  const first = sql`least(${sql.join(dueAt, sql`, `)})`
  return {
    dueInMs:
      dueAt.length === 0
        ? undefined
        : sql<
            number | null
          >`(extract(epoch from ${first}) - extract(epoch from statement_timestamp()))::float8 * 1000`,
    intervalMs: Math.min(...regular.map(({ intervalMs }) => intervalMs)),
    longestMs: Math.max(0, ...planned.map(({ intervalMs }) => intervalMs)),
  }
}

/** Returns the time until a worker has work: infinite if there is none, and 0 or less if it is due. One statement. */
export async function dueInMs(db: Db, agenda: Agenda): Promise<number> {
  if (agenda.dueInMs === undefined) return Number.POSITIVE_INFINITY
  const [row] = await db.execute<{ due_in_ms: number | null }>(sql`select ${agenda.dueInMs} as due_in_ms`)
  return row?.due_in_ms ?? Number.POSITIVE_INFINITY
}

/**
 * The limits of a visit, unless those of the tenant are stricter. The statement reads a few index entries, so a server that
 * needs longer counts as failing, and the turn is free for other tenants.
 */
const limitsOf = ({ statementTimeoutMs }: DatabaseConfig, timeoutMs: number): Partial<DatabaseConfig> => ({
  poolMax: 1,
  connectTimeoutSeconds: 5,
  // 0 means no limit.
  statementTimeoutMs: Math.min(statementTimeoutMs || timeoutMs, timeoutMs),
  answerMarginMs: 1_000,
})

/** Asks a closed tenant like {@link dueInMs}, on a connection that is closed afterwards. */
export async function visit(config: DatabaseConfig, agenda: Agenda, timeoutMs: number): Promise<number> {
  const database = createDatabase({ ...config, ...limitsOf(config, timeoutMs) })
  try {
    return await database.read((db) => dueInMs(db, agenda))
  } finally {
    await database.close()
  }
}
