import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { PostgresServer } from '@vertical-kit/dev-services'
import postgres from 'postgres'
import { startOwnPostgres } from './vitest.own-postgres.ts'

/** A primary and its streaming standby, with the same databases and passwords. */
export interface StandbyPair {
  readonly primary: PostgresServer
  readonly standby: PostgresServer
  /** Stops the replay on the standby. Returns a function that resumes it; repeated calls are allowed. */
  pauseReplay(): Promise<() => Promise<void>>
  stop(): Promise<void>
}

/** Starts two real servers, the primary with `settings`. `prepare` fills the primary before it is restarted and copied. */
export async function startStandbyPair(
  prepare: (primary: PostgresServer) => Promise<void>,
  settings: Readonly<Record<string, string>> = {},
): Promise<StandbyPair> {
  const primary = await startOwnPostgres({ settings })
  const folder = await mkdtemp(join(dirname(primary.directory), 'standby-'))
  const removeCopy = () => rm(folder, { recursive: true, force: true })
  try {
    await prepare(primary)
    await primary.restart({
      whileDown: () => cp(primary.directory, folder, { recursive: true, preserveTimestamps: true }),
    })
    await writeFile(join(folder, 'data', 'standby.signal'), '')
    const { hostname, port, username, password } = new URL(primary.adminUrl)
    const standby = await startOwnPostgres({
      directory: folder,
      settings: {
        fsync: 'off',
        primary_conninfo: `host=${hostname} port=${port} user=${username} password=${password}`,
      },
    })
    return {
      primary,
      standby,
      pauseReplay: () => pauseReplay(standby.adminUrl),
      async stop() {
        await standby.stop('immediate')
        await primary.stop('immediate')
        await removeCopy()
      },
    }
  } catch (error) {
    await primary.stop('immediate')
    await removeCopy()
    throw error
  }
}

async function pauseReplay(standbyUrl: string): Promise<() => Promise<void>> {
  const sql = postgres(standbyUrl, { max: 1, fetch_types: false })
  await sql`select pg_wal_replay_pause()`
  for (;;) {
    const [row] = await sql`select pg_get_wal_replay_pause_state() as state`
    if (row?.['state'] === 'paused') break
  }
  let resumed: Promise<void> | undefined
  return () => (resumed ??= sql`select pg_wal_replay_resume()`.then(() => sql.end()))
}
