import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type PostgresOptions, type PostgresServer, startPostgres } from '@vertical-kit/dev-services'
import postgres, { type Row } from 'postgres'
import { onTestFinished } from 'vitest'

/** True if the tests run as root. PostgreSQL then runs under another account. */
export const isRoot = process.getuid?.() === 0

/** Runs one statement on a new connection. */
export async function ask(url: string, statement: string): Promise<Row[]> {
  const sql = postgres(url, { max: 1, onnotice: () => {} })
  try {
    return [...(await sql.unsafe(statement))]
  } finally {
    await sql.end()
  }
}

/** Settings for a server that a test kills. By default, a killed server leaves shared memory that only its next start removes. */
export const crashSettings = { dynamic_shared_memory_type: 'mmap' }

/** Starts a server and stops it after the test. */
export async function startForTest(options: PostgresOptions = {}): Promise<PostgresServer> {
  const server = await startPostgres(options)
  onTestFinished(() => server.stop('immediate'))
  return server
}

/** Creates a folder and removes it after the test. Call it before starting servers that use the folder. */
export async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'dev-services-test-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}

/** Returns the path of the cluster of a running server. */
export async function dataPathOf(adminUrl: string): Promise<string> {
  const [row] = await ask(adminUrl, `select current_setting('data_directory') as path`)
  return String(row?.['path'])
}

/** Returns the pid of the main process of the server that uses the cluster. */
export function serverPid(dataPath: string): number {
  return Number(readFileSync(join(dataPath, 'postmaster.pid'), 'utf8').split('\n')[0])
}
