import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { Database } from '@vertical-kit/core-audit/database'
import { sql } from 'drizzle-orm/sql'
import { expect, onTestFinished } from 'vitest'
import type { Assignment } from './dying-host.ts'

const script = fileURLToPath(new URL('./dying-host.ts', import.meta.url))

/** Runs a host until it kills itself, then waits until PostgreSQL has ended its sessions. */
export async function runDyingHost(database: Database, assignment: Assignment): Promise<void> {
  const child = spawn(
    process.execPath,
    ['--conditions=@vertical-kit/source', script, JSON.stringify(assignment)],
    { stdio: ['ignore', 'ignore', 'inherit'] },
  )
  onTestFinished(() => void child.kill('SIGKILL'))
  expect(await once(child, 'exit')).toEqual([null, 'SIGKILL'])
  while ((await sessionCount(database, assignment.applicationName)) > 0);
}

async function sessionCount(database: Database, applicationName: string): Promise<number> {
  const [row] = await database.read((db) =>
    db.execute<{ sessions: number }>(sql`
      select count(*)::int as sessions
      from pg_catalog.pg_stat_activity
      where datname = current_database() and application_name = ${applicationName}`),
  )
  return row?.sessions ?? 0
}
