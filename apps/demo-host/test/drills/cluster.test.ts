import { chmod } from 'node:fs/promises'
import { join } from 'node:path'
import { createDatabase, type Database, databaseDefaults } from '@vertical-kit/core-audit/database'
import { sql } from 'drizzle-orm/sql'
import { expect, onTestFinished, test } from 'vitest'
import { findOptionalPrograms } from '../../../../vitest.optional-programs.ts'
import { dataFolder } from '../demo-process.ts'
import { startCluster } from './cluster.ts'

const { missing, isRequired } = findOptionalPrograms().patroni

test.skipIf(missing.length > 0 && !isRequired)(
  'after a crash of the primary, a pool writes to the promoted standby, which has every acknowledged row',
  async () => {
    const folder = await dataFolder()
    onTestFinished(() => folder.remove())
    await chmod(folder.path, 0o755)
    const cluster = await startCluster(join(folder.path, 'cluster'))
    onTestFinished(() => cluster.stop())
    const { DATABASE_URL: url = '', DATABASE_READ_URL: readUrl = '' } = cluster.environment
    const database = createDatabase({
      ...databaseDefaults,
      ...{ url, readUrl, pooler: 'transaction', preparedStatements: false },
    })
    onTestFinished(() => database.close())
    await database.statement((tx) => tx.execute(sql`create table public.rows (id integer primary key)`))

    const acknowledged: number[] = []
    const stop = new AbortController()
    const writing = write(database, { acknowledged, signal: stop.signal })
    await cluster.healthy()
    await cluster.failPrimary('crash')
    const count = acknowledged.length
    await expect.poll(() => acknowledged.length, { timeout: 15_000 }).toBeGreaterThan(count)
    stop.abort()
    await writing
    const rows = await database.read((db) => db.execute<{ id: number }>(sql`select id from public.rows`))
    const stored = new Set(rows.map(({ id }) => id))
    expect(acknowledged.filter((id) => !stored.has(id))).toEqual([])
  },
)

/** Writes rows until the signal is aborted. A refusal must be 503, and its outcome is unknown. */
async function write(
  database: Database,
  { acknowledged, signal }: { readonly acknowledged: number[]; readonly signal: AbortSignal },
): Promise<void> {
  for (let id = 1; !signal.aborted; id += 1) {
    await database
      .statement((tx) => tx.execute(sql`insert into public.rows (id) values (${id})`))
      .then(
        () => acknowledged.push(id),
        (error: unknown) => expect(error).toMatchObject({ code: 'service.unavailable' }),
      )
  }
}
