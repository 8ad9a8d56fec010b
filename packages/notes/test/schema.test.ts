import { brokenConstraint, newId } from '@vertical-kit/core-audit'
import { sql } from 'drizzle-orm/sql'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Bench, openBench } from './bench.ts'

let bench: Bench
beforeAll(async () => {
  bench = await openBench()
})
afterAll(() => bench.close())

const valid = { target_kind: 'Document', target_type_code: 'trade.sales_invoice', text: 'Text', version: 1 }
type Columns = { [Column in keyof typeof valid | 'target_id']?: string | number | null }

/** Inserts a row directly, so that only the database validates it. */
function insert(columns: Columns): Promise<unknown> {
  const author = newId()
  const row = { target_id: newId(), ...valid, ...columns }
  return bench.database.statement((tx) =>
    tx.execute(sql`
      insert into notes.notes (
        id, target_kind, target_type_code, target_id, text, version, created_by_user_id, updated_by_user_id
      )
      values (
        ${newId()}::uuid, ${row.target_kind}, ${row.target_type_code}, ${row.target_id}::uuid, ${row.text},
        ${row.version}, ${author}::uuid, ${author}::uuid
      )`),
  )
}

const failureOf = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => 'stored',
    (error: unknown) => error,
  )

test.each<[what: string, columns: Columns]>([
  ['a kind', { target_kind: null }],
  ['a type code', { target_type_code: null }],
  ['a target id', { target_id: null }],
  ['a text', { text: null }],
  ['a version', { version: null }],
])('the database rejects a note without %s', async (_what, columns) => {
  // 23502 is the code of not_null_violation.
  expect(await failureOf(insert(columns))).toMatchObject({ code: '23502' })
})

test.each<[what: string, columns: Columns, constraint: string]>([
  ['an unknown kind', { target_kind: 'Table' }, 'notes_target_check'],
  ['an empty kind', { target_kind: '' }, 'notes_target_check'],
  ['an empty type code', { target_type_code: '' }, 'notes_target_check'],
  ['an empty text', { text: '' }, 'notes_text_check'],
  ['a text of 100,001 code points', { text: '😀'.repeat(100_001) }, 'notes_text_check'],
  ['version 0', { version: 0 }, 'notes_version_check'],
])('the database rejects a note with %s', async (_what, columns, constraint) => {
  expect(brokenConstraint(await failureOf(insert(columns)))).toBe(constraint)
})

test('the database accepts a text of 100,000 code points', async () => {
  expect(await failureOf(insert({ text: '😀'.repeat(100_000) }))).toBe('stored')
})
