import type { ExtractTablesWithRelations } from 'drizzle-orm'
import { drizzle as overNodePostgres } from 'drizzle-orm/node-postgres'
import type { PgDatabase, PgQueryResultHKT, PgTransaction } from 'drizzle-orm/pg-core'
import { drizzle as overPostgresJs } from 'drizzle-orm/postgres-js'
import pg from 'pg'
import postgres from 'postgres'
import { onTestFinished } from 'vitest'

/** An application that uses the kit, with its own pool and Drizzle database, for one test. */
export interface Application {
  readonly db: PgDatabase<PgQueryResultHKT>
  /** Runs `work` in a transaction of the application. */
  transaction<T>(work: (tx: ApplicationTx) => Promise<T>): Promise<T>
  /** The statements that the connections of the application received, in order. */
  readonly statements: readonly string[]
}

/** The type of a Drizzle database without a schema for relational queries. */
type NoSchema = Record<string, never>
export type ApplicationTx = PgTransaction<PgQueryResultHKT, NoSchema, ExtractTablesWithRelations<NoSchema>>

export interface ApplicationOptions {
  readonly poolMax?: number
  readonly timeZone?: string
}

/** A custom parser of the application. Its results differ from the results of all our parsers. */
const parse = (text: unknown): string => `parsed by the application: ${String(text)}`

/** The supported Drizzle drivers. Their settings differ from ours as much as possible. */
export const applications = {
  'postgres.js'(url: string, { poolMax = 5, timeZone = 'UTC' }: ApplicationOptions = {}): Application {
    const statements: string[] = []
    const client = postgres(url, {
      max: poolMax,
      onnotice: () => {},
      fetch_types: false,
      types: { custom: { to: 20, from: [16, 20, 23, 1700], serialize: String, parse } },
      connection: { TimeZone: timeZone },
      // Ignore empty statements, because they execute nothing.
      debug: (_connection, text) => text !== '' && statements.push(text),
    })
    onTestFinished(() => client.end({ timeout: 1 }))
    const db = overPostgresJs(client, { casing: 'camelCase' })
    return { db, statements, transaction: (work) => db.transaction(work) }
  },
  'node-postgres'(url: string, { poolMax = 5, timeZone = 'UTC' }: ApplicationOptions = {}): Application {
    const statements: string[] = []
    const options = `-c TimeZone=${timeZone}`
    const types = { getTypeParser: () => parse }
    const pool = new pg.Pool({ connectionString: url, max: poolMax, options, types })
    // The pool handles errors only of idle connections, but the server can also end a connection that is in use.
    pool.on('error', () => {})
    pool.on('connect', (client) => {
      client.on('error', () => {})
      record(client, statements)
    })
    onTestFinished(() => pool.end())
    const db = overNodePostgres(pool, { casing: 'camelCase' })
    return { db, statements, transaction: (work) => db.transaction(work) }
  },
} as const

export type DriverName = keyof typeof applications
export const driverNames = Object.keys(applications) as readonly DriverName[]

/** Wraps the `query` method of the client to record statements, like a tracing library does. */
function record(client: pg.PoolClient, statements: string[]): void {
  const query: unknown = client.query
  if (typeof query !== 'function') throw new TypeError('The client has no method `query`')
  Reflect.set(client, 'query', (...call: readonly unknown[]): unknown => {
    const [config] = call
    statements.push(typeof config === 'string' ? config : (config as { readonly text: string }).text)
    return Reflect.apply(query, client, call)
  })
}
