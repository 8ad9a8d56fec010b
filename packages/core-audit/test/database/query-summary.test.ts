import { expect, test } from 'vitest'
import { querySummary } from '../../src/database/query-summary.ts'

test.each([
  ['select 1', 'SELECT', 'SELECT'],
  ['begin', 'BEGIN', 'BEGIN'],
  ["select set_config('lock_timeout', $1, false)", 'SELECT', 'SELECT'],
  [
    'select id from notes.notes n join core_audit.users u on u.id = n.id',
    'SELECT',
    'SELECT notes.notes core_audit.users',
  ],
  ['select id from "notes"."notes" for update', 'SELECT', 'SELECT notes.notes'],
  [
    'with note as (insert into notes.notes (id) values ($1) returning id) insert into core_audit.audit_events (id) select id from note',
    'INSERT',
    'INSERT notes.notes INSERT core_audit.audit_events',
  ],
  ['insert into a.b (c) values ($1) on conflict (c) do update set c = excluded.c', 'INSERT', 'INSERT a.b'],
  ['update only a.b set c = (select c from a.d)', 'UPDATE', 'UPDATE a.b SELECT a.d'],
  ['delete from a.b using a.c where a.b.d = a.c.d', 'DELETE', 'DELETE a.b a.c'],
  ['select value from pg_catalog.unnest($1::text[]) value', 'SELECT', 'SELECT'],
  ['  -- from secret.comment\n/* from secret.block */ select id from a.b', 'SELECT', 'SELECT a.b'],
  [`select 'it''s from secret.text', $tag$ from secret.dollar $tag$ from a.b`, 'SELECT', 'SELECT a.b'],
  ['select id from a.b union select id from a.b', 'SELECT', 'SELECT a.b'],
])('the summary of %j contains operations and tables', (statement, operation, text) => {
  expect(querySummary(statement)).toEqual({ operation, text })
})

test('a summary has at most 255 characters and ends with a complete name', () => {
  const tables = Array.from({ length: 40 }, (_, index) => `schema.table_${index}`)
  const { text } = querySummary(`select from ${tables.join(' join ')}`)
  expect(text.length).toBeLessThanOrEqual(255)
  expect(tables).toContain(text.split(' ').at(-1))
})
