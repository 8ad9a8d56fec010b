import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Database } from '@vertical-kit/core-audit/database'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { checkExport } from '../../../src/audit/export/check-export.ts'
import { exportPartition } from '../../../src/audit/export/export-partition.ts'
import { openDatabase, openPool, runSql } from '../../harness.ts'
import { runAudit } from '../run-audit.ts'
import { createYears } from '../years.ts'

const year = new Date().getUTCFullYear() - 3
let url: string
let database: Database

beforeEach(async () => {
  const fresh = await openDatabase()
  onTestFinished(() => fresh.drop())
  url = fresh.url
  database = openPool(url)
  await createYears(url, year, year + 3)
})

/** Stores one event for each time. */
const addEvents = (times: readonly string[]) =>
  runSql(
    url,
    `insert into core_audit.audit_events (id, module, target_kind, target_type_code, target_id, action_code, occurred_at)
     select overlay(core_audit.first_event_id('${year}-07-01Z')::text placing lpad(n::text, 12, '0') from 25)::uuid,
       'things', 'Document', 'order', gen_random_uuid(), 'changed', at::timestamptz
     from unnest('{${times.map((time) => `"${time}"`).join()}}'::text[]) with ordinality as t (at, n)`,
  )

async function exported(format: 'ndjson' | 'parquet') {
  const directory = await mkdtemp(join(tmpdir(), 'audit-export-'))
  onTestFinished(() => rm(directory, { recursive: true }))
  const input = { year, directory, format, eventsPerFile: 1_000 }
  const manifest = await exportPartition(database, input)
  expect(await checkExport(directory)).toEqual(manifest)
  return { directory, manifest }
}

async function timesOf(directory: string): Promise<readonly string[]> {
  const text = await readFile(join(directory, `audit-${year}-000001.ndjson`), 'utf8')
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line).occurred_at)
}

test('times of any year are exact in both formats', async () => {
  await addEvents([
    '4714-11-24 00:00:00Z BC',
    '0044-03-15 12:00:00.000001Z BC',
    '0002-12-31 23:59:59.999999Z BC',
    '0001-01-01 00:00:00Z BC',
    '0001-01-01 00:00:00Z',
    '1969-12-31 23:59:59.999999Z',
    '9999-12-31 23:59:59.999999Z',
    '10000-01-01 00:00:00Z',
    '275760-09-12 23:59:59.999999Z',
  ])
  const { directory, manifest } = await exported('ndjson')
  expect(await timesOf(directory)).toEqual([
    '-004713-11-24T00:00:00.000000Z',
    '-000043-03-15T12:00:00.000001Z',
    '-000001-12-31T23:59:59.999999Z',
    '0000-01-01T00:00:00.000000Z',
    '0001-01-01T00:00:00.000000Z',
    '1969-12-31T23:59:59.999999Z',
    '9999-12-31T23:59:59.999999Z',
    '+010000-01-01T00:00:00.000000Z',
    '+275760-09-12T23:59:59.999999Z',
  ])
  const parquet = await exported('parquet')
  expect(parquet.manifest.files[0]?.eventsSha256).toBe(manifest.files[0]?.eventsSha256)
})

test.each([
  ['infinity', 'infinity'],
  ['-infinity', '-infinity'],
  ['294276-12-31 23:59:59.999999Z', '+294276-12-31T23:59:59.999999Z'],
])('NDJSON contains the time %s, and Parquet names its event', async (time, text) => {
  await addEvents(['2020-01-01Z', time])
  const { directory } = await exported('ndjson')
  expect(await timesOf(directory)).toEqual(['2020-01-01T00:00:00.000000Z', text])
  await expect(exported('parquet')).rejects.toMatchObject({
    code: 'audit.time_not_in_parquet',
    detail: expect.stringMatching(
      /^Parquet has no form for the time of the event [0-9a-f-]{23}-000000000002 \(.*\): export the year as NDJSON into a new folder\.$/,
    ),
  })
})

test('a drop tells a time from the one that had the same text', async () => {
  await addEvents(['0044-03-15 12:00:00Z BC', '2020-01-01Z'])
  const { directory } = await exported('ndjson')
  await runSql(
    url,
    `alter table core_audit.audit_events_${year} disable trigger user;
     update core_audit.audit_events_${year} set occurred_at = '0044-03-15 12:00:00Z' where occurred_at < '2000-01-01'`,
  )
  const argv = ['drop', '--year', String(year), '--export', directory]
  expect(await runAudit(url, argv, { AuditLog__RetentionYears: '2' })).toMatchObject({
    exitCode: 1,
    err: [expect.stringContaining('differ from those in the database')],
  })
})
