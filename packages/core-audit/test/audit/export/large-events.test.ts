import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { newId } from '@vertical-kit/core-audit'
import type { Database } from '@vertical-kit/core-audit/database'
import { asyncBufferFromFile, parquetMetadataAsync } from 'hyparquet'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { checkExport } from '../../../src/audit/export/check-export.ts'
import { exportPartition } from '../../../src/audit/export/export-partition.ts'
import { openDatabase, openPool, runSql } from '../../harness.ts'
import { createYears } from '../years.ts'

const thisYear = new Date().getUTCFullYear()
const year = thisYear - 3
const eventCount = 24
const eventChars = 1_048_576

let database: Database
let directory: string
/** The characters of the changes that each read of events has returned. */
let readChars: number[]

beforeEach(async () => {
  const fresh = await openDatabase()
  directory = await mkdtemp(join(tmpdir(), 'audit-export-'))
  onTestFinished(async () => {
    await rm(directory, { recursive: true })
    await fresh.drop()
  })
  await createYears(fresh.url, year, thisYear)
  // Random digits, which PostgreSQL does not compress.
  await runSql(
    fresh.url,
    `insert into core_audit.audit_events (id, module, target_kind, target_type_code, target_id, action_code, changes)
     select core_audit.first_event_id(make_timestamptz(${year}, 6, 1, 12, 0, n, 'UTC')),
       'things', 'Document', 'order', '${newId()}', 'changed',
       jsonb_build_array((select string_agg(md5(n || '-' || part), '') from generate_series(1, ${eventChars / 32}) part))
     from generate_series(1, ${eventCount}) n`,
  )
  const pool = openPool(fresh.url)
  readChars = []
  database = {
    ...pool,
    async read(work, since) {
      const result = await pool.read(work, since)
      const rows = Array.isArray(result) ? (result as { changes?: string }[]) : []
      if (rows[0]?.changes !== undefined) {
        readChars.push(rows.reduce((sum, { changes = '' }) => sum + changes.length, 0))
      }
      return result
    },
  }
})

test.each(['ndjson', 'parquet'] as const)(
  '%s: large events are read and written in small parts',
  async (format) => {
    const manifest = await exportPartition(database, { year, directory, format, eventsPerFile: 100 })
    expect(manifest).toMatchObject({ eventCount, isComplete: true })
    expect(await checkExport(directory)).toEqual(manifest)
    expect(Math.max(...readChars)).toBeLessThan(3 * eventChars)
    if (format === 'ndjson') return
    const file = await asyncBufferFromFile(join(directory, manifest.files[0]?.name ?? ''))
    const groups = (await parquetMetadataAsync(file)).row_groups.map(({ num_rows }) => Number(num_rows))
    expect(groups.length).toBeGreaterThan(1)
    expect(Math.max(...groups) * eventChars).toBeLessThan(20_000_000)
  },
)
