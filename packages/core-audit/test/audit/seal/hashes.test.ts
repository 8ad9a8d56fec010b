import { createHash } from 'node:crypto'
import { openPostgresClient } from '@vertical-kit/core-audit/database'
import { sql } from 'drizzle-orm/sql'
import { expect, onTestFinished, test } from 'vitest'
import { contentHash } from '../../../src/audit/seal/hashes.ts'
import { openDb } from '../../../src/database/tx.ts'
import { openDatabase, openPool, runSql } from '../../harness.ts'
import { idOf } from './sealed-log.ts'

/** The canonical text of the event below. Stored seals depend on it, so it never changes. */
const canonicalText =
  `["trade", "Document", "trade.sales_invoice", "${idOf(7)}", "documents.posted", 1772582399.000001, null, "", ` +
  `{"b": [1.00, 100, true, null], "text": "a\\"\\\\/\\b\\u0001é😀\\n", "long key": {}}, ` +
  `[{"newValue": null, "oldValue": -0.5, "fieldPath": "x"}]]`

test('the hash of an event depends neither on settings of the session nor on the version of PostgreSQL', async () => {
  const fresh = await openDatabase()
  onTestFinished(() => fresh.drop())
  await runSql(
    fresh.url,
    `insert into core_audit.audit_events (
      id, module, target_kind, target_type_code, target_id, action_code, occurred_at, actor_user_id, correlation_id,
      metadata, changes
    )
    values (
      '${idOf(1)}', 'trade', 'Document', 'trade.sales_invoice', '${idOf(7)}', 'documents.posted',
      '2026-03-03T23:59:59.000001Z', null, '',
      '{"text": "a\\"\\\\/\\b\\u0001é😀\\n", "b": [1.00, 1e2, true, null], "long key": {}}',
      '[{"oldValue": -0.5, "newValue": null, "fieldPath": "x"}]'
    )`,
  )
  const hashWith = async (settings: string): Promise<string | undefined> => {
    const client = openPostgresClient(fresh.url)
    onTestFinished(() => client.end(1))
    await client.sql.unsafe(settings)
    const db = openDb({
      statement: async (text, parameters = []) =>
        [...(await client.sql.unsafe(text, parameters as never))] as never,
      script: () => Promise.resolve(),
    })
    const [row] = await db.execute<{ hash: string }>(sql`
      select encode(${contentHash}, 'hex') as hash from core_audit.audit_events e`)
    return row?.hash
  }
  const expected = createHash('sha256').update(canonicalText).digest('hex')
  for (const settings of [
    'select 1',
    `set TimeZone = 'Asia/Kathmandu'; set DateStyle = 'German, DMY'; set IntervalStyle = 'sql_standard'`,
    `set extra_float_digits = -15; set bytea_output = 'escape'; set lc_numeric = 'C'; set client_encoding = 'LATIN1'`,
  ]) {
    expect({ settings, hash: await hashWith(settings) }).toEqual({ settings, hash: expected })
  }
})

test('null, an empty text and the text null have different hashes', async () => {
  const fresh = await openDatabase()
  onTestFinished(() => fresh.drop())
  const insert = (number: number, columns: string) => `
    insert into core_audit.audit_events
      (id, module, target_kind, target_type_code, target_id, occurred_at, action_code, correlation_id, metadata)
    values ('${idOf(number)}', 'm', 'k', 't', '${idOf(0)}', '2026-01-01Z', ${columns});`
  const rows = [
    `'a', null, null`,
    `'a', '', null`,
    `'a', 'null', null`,
    `'a', null, '{}'`,
    `'a", null', null, null`,
    `'a,', null, null`,
  ]
  await runSql(fresh.url, rows.map((columns, number) => insert(number, columns)).join(''))
  const hashes = await openPool(fresh.url).read((db) =>
    db.execute<{ hash: string }>(sql`
      select distinct encode(${contentHash}, 'hex') as hash from core_audit.audit_events e`),
  )
  expect(hashes).toHaveLength(rows.length)
})
