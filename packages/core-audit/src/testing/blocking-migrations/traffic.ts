import { openPostgresClient } from '../../database/client.ts'
import { databaseErrorCode } from '../../database/database-errors.ts'
import type { IndexChange } from '../../database/index-change.ts'

/** A reader or a writer that a migration blocks. */
export interface BlockedStatement {
  readonly table: string
  readonly by: 'readers' | 'writers'
}

/** Readers and writers of tables, and questions to the server about the sessions that they compete with. */
export interface Traffic {
  /** Returns all tables of the database, with their schemas, except the ledger of migrations. */
  tables(): Promise<readonly string[]>
  /** Returns the table of a new index or of an index to drop; `undefined` if it does not exist. */
  tableOf(change: IndexChange): Promise<string | undefined>
  /**
   * Sends one statement of a reader and one of a writer to each table, and returns the blocked ones. They ask for their
   * locks with `nowait`, so a blocked statement fails immediately and nothing depends on time.
   */
  send(tables: readonly string[]): Promise<readonly BlockedStatement[]>
  /** Returns whether the session waits for one of the other sessions. */
  waitsFor(pid: number, otherPids: readonly number[]): Promise<boolean>
  end(): Promise<void>
}

/** Opens a connection of its own for the traffic. */
export function openTraffic(databaseUrl: string): Traffic {
  // Some migrations lock an index but not its table. `nowait` does not apply to indexes, so such a wait ends here.
  const { sql, end } = openPostgresClient(databaseUrl, { connection: { lock_timeout: 200 } })

  /** Returns whether a statement is blocked. A text with several statements runs in one transaction. */
  const isBlocked = async (text: string): Promise<boolean> => {
    try {
      await sql.unsafe(text)
      return false
    } catch (error) {
      if (databaseErrorCode(error) !== '55P03') throw error
      return true
    }
  }
  return {
    async tables() {
      const rows = await sql<{ name: string }[]>`
        select format('%I.%I', nspname, relname) as name
        from pg_class
        join pg_namespace on pg_namespace.oid = relnamespace
        where relkind in ('r', 'p') and nspname !~ '^pg_' and nspname <> 'information_schema'
          and (nspname, relname) <> ('core_audit', 'migrations')
        order by 1`
      return rows.map(({ name }) => name)
    },
    async tableOf({ index, table }) {
      const [row] = await sql<{ name: string }[]>`
        select format('%I.%I', nspname, relname) as name
        from pg_class
        join pg_namespace on pg_namespace.oid = relnamespace
        where pg_class.oid = coalesce(
          to_regclass(${table}),
          (select indrelid from pg_index where indexrelid = to_regclass(${index}))
        )`
      return row?.name
    },
    async send(tables) {
      const blocked: BlockedStatement[] = []
      for (const table of tables) {
        const read = `lock table ${table} in access share mode nowait; select from ${table} limit 1`
        const write = `lock table ${table} in row exclusive mode nowait; delete from ${table} where false`
        if (await isBlocked(read)) blocked.push({ table, by: 'readers' })
        if (await isBlocked(write)) blocked.push({ table, by: 'writers' })
      }
      return blocked
    },
    async waitsFor(pid, otherPids) {
      const [row] = await sql<{ waits: boolean }[]>`
        select pg_blocking_pids(${pid}::int) && ${otherPids}::int[] as waits`
      return row?.waits === true
    },
    end: () => end(5),
  }
}
