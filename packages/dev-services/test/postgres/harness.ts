import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type PostgresOptions, type PostgresServer, startPostgres } from '@vertical-kit/dev-services'
import postgres, { type Row } from 'postgres'
import { onTestFinished } from 'vitest'

/** Whether PostgreSQL runs under another account than the tests. */
export const isRoot = process.getuid?.() === 0

/** Runs one statement on a connection of its own. */
export async function ask(url: string, statement: string): Promise<Row[]> {
  const sql = postgres(url, { max: 1, onnotice: () => {} })
  try {
    return [...(await sql.unsafe(statement))]
  } finally {
    await sql.end()
  }
}

/** A server that ends with the test. */
export async function startForTest(options: PostgresOptions = {}): Promise<PostgresServer> {
  const server = await startPostgres(options)
  onTestFinished(() => server.stop('immediate'))
  return server
}

/** A folder that is removed after the test; ask for it before the servers that use it. */
export async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'dev-services-test-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}
