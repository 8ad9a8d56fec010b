import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { Database } from '@vertical-kit/core-audit/database'
import { sql } from 'drizzle-orm/sql'
import { expect, onTestFinished, test } from 'vitest'
import { openDatabase, openPool } from '../../harness.ts'
import { runAudit } from '../run-audit.ts'
import { addEvents, idOf, seal, storedSeals } from './sealed-log.ts'

const script = fileURLToPath(new URL('./dying-sealer.ts', import.meta.url))

/** Resolves after the server has rolled back the transaction of the dead process. */
async function untilGone(database: Database): Promise<void> {
  for (;;) {
    const [row] = await database.read((db) =>
      db.execute<{ count: number }>(sql`
        select count(*)::int from pg_catalog.pg_stat_activity
        where datname = current_database() and pid <> pg_backend_pid() and state <> 'idle'`),
    )
    if (row?.count === 0) return
  }
}

// The worker reads with 10 statements before it writes a seal with number 11, and commits before number 12.
test.each([
  ['before it writes a seal', 11, 'before', [0]],
  ['while it writes a seal', 11, 'during', [0, 1]],
  ['after the commit of a seal', 12, 'before', [1]],
] as const)(
  'a host that is killed %s leaves a chain that the next host continues',
  async (_when, statement, how, counts) => {
    const fresh = await openDatabase()
    onTestFinished(() => fresh.drop())
    const database = openPool(fresh.url)
    await addEvents(database, 1, 3)
    const command = ['--conditions=@vertical-kit/source', script, fresh.url, String(statement), how]
    const child = spawn(process.execPath, command, { stdio: ['ignore', 'ignore', 'inherit'] })
    onTestFinished(() => void child.kill('SIGKILL'))
    expect(await once(child, 'exit')).toEqual([null, 'SIGKILL'])
    await untilGone(database)
    expect(counts).toContain((await storedSeals(database)).length)

    await addEvents(database, 4, 4)
    await seal(database)
    expect((await storedSeals(database)).at(-1)).toMatchObject({ last_event_id: idOf(4) })
    expect((await runAudit(fresh.url, ['verify'])).exitCode).toBe(0)
  },
)
