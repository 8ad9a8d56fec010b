import { brokenConstraint, newId } from '@vertical-kit/core-audit'
import { sql } from 'drizzle-orm/sql'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Bench, openBench } from './commands/bench.ts'
import { hello } from './harness.ts'

let bench: Bench

beforeAll(async () => {
  bench = await openBench()
})
afterAll(() => bench.close())

const moment = '2026-01-01T00:00:00Z'
const valid = {
  target_kind: 'Document',
  target_type_code: 'trade.sales_invoice',
  file_name: hello.fileName,
  content_type: hello.contentType,
  size_bytes: hello.sizeBytes,
  status: 'pending',
}
type Column =
  | keyof typeof valid
  | 'target_id'
  | 'created_by_user_id'
  | 'completed_at'
  | 'deleted_at'
  | 'seal_lease_id'
  | 'seal_lease_until'
  | 'sha256'
  | 'part_size_bytes'
  | 'multipart_upload_id'
  | 'scan_due_at'
type Columns = { readonly [Name in Column]?: string | number | null }

/** Inserts a row directly, so that only the database validates it. */
function insert(columns: Columns): Promise<unknown> {
  const row: Columns = { target_id: newId(), created_by_user_id: newId(), ...valid, ...columns }
  return bench.database.statement((tx) =>
    tx.execute(sql`
      insert into attachments.attachments (
        id, target_kind, target_type_code, target_id, file_name, content_type, size_bytes, status,
        created_by_user_id, completed_at, deleted_at, seal_lease_id, seal_lease_until, sha256,
        part_size_bytes, multipart_upload_id, scan_due_at
      )
      values (
        ${newId()}::uuid, ${row.target_kind}, ${row.target_type_code}, ${row.target_id}::uuid, ${row.file_name},
        ${row.content_type}, ${row.size_bytes}::bigint, ${row.status}, ${row.created_by_user_id}::uuid,
        ${row.completed_at ?? null}::timestamptz, ${row.deleted_at ?? null}::timestamptz,
        ${row.seal_lease_id ?? null}::uuid, ${row.seal_lease_until ?? null}::timestamptz, ${row.sha256 ?? null}::text,
        ${row.part_size_bytes ?? null}::integer, ${row.multipart_upload_id ?? null},
        ${row.scan_due_at ?? null}::timestamptz
      )`),
  )
}

const failureOf = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => 'stored',
    (error: unknown) => error,
  )

test.each<Column>([
  'target_kind',
  'target_type_code',
  'target_id',
  'file_name',
  'content_type',
  'size_bytes',
  'status',
  'created_by_user_id',
])('the database rejects an attachment without %s', async (column) => {
  const notNullViolation = '23502'
  expect(await failureOf(insert({ [column]: null }))).toMatchObject({
    code: notNullViolation,
    column_name: column,
  })
})

test.each<[what: string, columns: Columns, constraint: string]>([
  ['an unknown kind', { target_kind: 'Table' }, 'attachments_target_check'],
  ['a kind in another case', { target_kind: 'document' }, 'attachments_target_check'],
  ['an empty kind', { target_kind: '' }, 'attachments_target_check'],
  ['an empty type code', { target_type_code: '' }, 'attachments_target_check'],
  ['an empty file name', { file_name: '' }, 'attachments_file_name_check'],
  ['a file name of 256 code points', { file_name: '😀'.repeat(256) }, 'attachments_file_name_check'],
  ['a slash in the file name', { file_name: 'a/b' }, 'attachments_file_name_check'],
  ['a backslash in the file name', { file_name: 'a\\b' }, 'attachments_file_name_check'],
  ['two dots as the file name', { file_name: '..' }, 'attachments_file_name_check'],
  ['a content type without a subtype', { content_type: 'text' }, 'attachments_content_type_check'],
  ['a long content type', { content_type: `a/${'b'.repeat(199)}` }, 'attachments_content_type_check'],
  ['a negative size', { size_bytes: -1 }, 'attachments_size_bytes_check'],
  ['a size of 5 GiB plus one byte', { size_bytes: 5 * 1024 ** 3 + 1 }, 'attachments_size_bytes_check'],
  ['a short hash', { sha256: Buffer.alloc(31).toString('base64') }, 'attachments_sha256_check'],
  ['a hash in hexadecimal', { sha256: Buffer.alloc(32).toString('hex') }, 'attachments_sha256_check'],
  ['parts without bytes', { part_size_bytes: 0 }, 'attachments_multipart_check'],
  ['an upload in parts without their size', { multipart_upload_id: 'u' }, 'attachments_multipart_check'],
  ['a lease id but no lease end', { seal_lease_id: newId() }, 'attachments_seal_check'],
  ['a lease end but no lease id', { seal_lease_until: moment }, 'attachments_seal_check'],
])('the database rejects an attachment with %s', async (_what, columns, constraint) => {
  expect(brokenConstraint(await failureOf(insert(columns)))).toBe(constraint)
})

test.each<[what: string, columns: Columns]>([
  ['a file name of 255 code points', { file_name: '😀'.repeat(255) }],
  ['a size of 5 GiB', { size_bytes: 5 * 1024 ** 3 }],
  ['a size of 0 bytes', { size_bytes: 0 }],
  ['parts', { part_size_bytes: 5_242_880 }],
  ['an upload in parts', { part_size_bytes: 5_242_880, multipart_upload_id: 'u' }],
  ['a hash', { sha256: Buffer.alloc(32).toString('base64') }],
])('the database accepts an attachment with %s', async (_what, columns) => {
  expect(await failureOf(insert(columns))).toBe('stored')
})

test('the database rejects an unknown status', async () => {
  const constraint = brokenConstraint(await failureOf(insert({ status: 'lost' })))
  expect(constraint).toBe('attachments_status_check')
})

describe('a row with a combination of status, timestamps, lease and scan', () => {
  const completed = 'attachments_completed_check'
  const deleted = 'attachments_deleted_check'
  const seal = 'attachments_seal_check'
  const scan = 'attachments_scan_check'
  /** The constraints that each combination violates. For a valid combination, the list is empty. */
  const combinations: readonly [status: string, marks: string, broken: readonly string[]][] = [
    ['pending', '', []],
    ['pending', 'sealing', []],
    ['pending', 'deleted', [deleted]],
    ['pending', 'deleted sealing', [deleted]],
    ['pending', 'completed', [completed]],
    ['pending', 'completed sealing', [completed]],
    ['pending', 'completed deleted', [completed, deleted]],
    ['pending', 'completed deleted sealing', [completed, deleted]],
    ['ready', '', [completed]],
    ['ready', 'sealing', [completed, seal]],
    ['ready', 'deleted', [completed, deleted]],
    ['ready', 'deleted sealing', [completed, deleted, seal]],
    ['ready', 'completed', []],
    ['ready', 'completed sealing', [seal]],
    ['ready', 'completed deleted', [deleted]],
    ['ready', 'completed deleted sealing', [deleted, seal]],
    ['deleted', '', [deleted]],
    ['deleted', 'sealing', [deleted, seal]],
    ['deleted', 'deleted', []],
    ['deleted', 'deleted sealing', [seal]],
    ['deleted', 'completed', [deleted]],
    ['deleted', 'completed sealing', [deleted, seal]],
    ['deleted', 'completed deleted', []],
    ['deleted', 'completed deleted sealing', [seal]],
    ['deleted', 'deleted due', [scan]],
    ['pending', 'due', [scan]],
    ['ready', 'completed due', [scan]],
    ['scanning', 'due', []],
    ['scanning', '', [scan]],
    ['scanning', 'due sealing', [seal]],
    ['scanning', 'due deleted', [deleted]],
    ['scanning', 'due completed', [completed]],
    ['quarantined', 'deleted', []],
    ['quarantined', '', [deleted]],
    ['quarantined', 'deleted due', [scan]],
    ['quarantined', 'deleted completed', [completed]],
    ['quarantined', 'deleted sealing', [seal]],
  ]

  test.each(combinations)(
    'status “%s” and the marks “%s” violate the constraints %j',
    async (status, marks, broken) => {
      const failure = await failureOf(
        insert({
          status,
          completed_at: marks.includes('completed') ? moment : null,
          deleted_at: marks.includes('deleted') ? moment : null,
          seal_lease_id: marks.includes('sealing') ? newId() : null,
          seal_lease_until: marks.includes('sealing') ? moment : null,
          scan_due_at: marks.includes('due') ? moment : null,
        }),
      )
      if (broken.length === 0) expect(failure).toBe('stored')
      // If a row violates several constraints, PostgreSQL reports only one of them, and the choice is unspecified.
      else expect(broken).toContain(brokenConstraint(failure))
    },
  )
})
