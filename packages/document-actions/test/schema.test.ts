import { brokenConstraint, newId } from '@vertical-kit/core-audit'
import { type SQL, sql } from 'drizzle-orm/sql'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Bench, failureOf, openBench } from './bench.ts'

let bench: Bench
beforeAll(async () => {
  bench = await openBench()
})
afterAll(() => bench.close())

type Columns = Readonly<Record<string, string | number | Uint8Array | null>>

/** Inserts a row directly, without the commands. */
function insert(table: string, columns: Columns): Promise<unknown> {
  const names = Object.keys(columns).map((name) => sql.identifier(name))
  const values = Object.values(columns).map((value): SQL => sql`${value}`)
  return failureOf(
    bench.database.statement((tx) =>
      tx.execute(sql`
        insert into document_actions.${sql.identifier(table)} (${sql.join(names, sql`, `)})
        values (${sql.join(values, sql`, `)})`),
    ),
  )
}

const tables: Readonly<Record<string, () => Columns>> = {
  documents: () => ({ id: newId(), type_code: 'shop.order', number: newId(), display: 'An order' }),
  derivations: () => ({
    execution_id: newId(),
    action_code: 'shop.derive',
    source_type_code: 'shop.order',
    source_id: newId(),
    created_type_code: 'shop.invoice',
    created_id: newId(),
  }),
  executions: () => ({
    id: newId(),
    actor_user_id: newId(),
    idempotency_key: 'a',
    fingerprint: new Uint8Array(32),
    document_type: 'shop.order',
    document_id: newId(),
    action_code: 'post',
    result: '{}',
  }),
}
const validOf = (table: string): Columns => tables[table]?.() ?? {}

describe.each(Object.keys(tables))('%s', (table) => {
  test('accept a valid row', async () => {
    expect(await insert(table, validOf(table))).toBe('kept')
  })

  test.each(Object.keys(validOf(table)))('require a value of %s', async (column) => {
    // 23502 is the code of not_null_violation.
    expect(await insert(table, { ...validOf(table), [column]: null })).toMatchObject({ code: '23502' })
  })

  test('require unique ids', async () => {
    const [id, one, other] = [newId(), validOf(table), validOf(table)]
    const [key = ''] = Object.keys(one)
    expect(await insert(table, { ...one, [key]: id })).toBe('kept')
    expect(brokenConstraint(await insert(table, { ...other, [key]: id }))).toBe(`${table}_pkey`)
  })
})

test.each<[table: string, what: string, columns: Columns, constraint: string]>([
  ['documents', 'no type', { type_code: '' }, 'documents_type_code_check'],
  ['documents', 'no number', { number: '' }, 'documents_number_check'],
  ['documents', 'an unknown status', { status: 'Deleted' }, 'documents_status_check'],
  ['documents', 'a status in lower case', { status: 'draft' }, 'documents_status_check'],
  ['documents', 'version 0', { version: 0 }, 'documents_version_check'],
  ['documents', 'a payload without fields', { payload: '{}' }, 'documents_payload_check'],
  ['documents', 'a list as fields', { payload: '{"fields": []}' }, 'documents_payload_check'],
  ['documents', 'null fields', { payload: '{"fields": null}' }, 'documents_payload_check'],
  ['documents', 'a payload that is a list', { payload: '["fields"]' }, 'documents_payload_check'],
  ['derivations', 'no action', { action_code: '' }, 'derivations_names_check'],
  ['derivations', 'no source type', { source_type_code: '' }, 'derivations_names_check'],
  ['derivations', 'no created type', { created_type_code: '' }, 'derivations_names_check'],
  ['executions', 'an empty key', { idempotency_key: '' }, 'executions_idempotency_key_check'],
  ['executions', 'a key of 201', { idempotency_key: 'a'.repeat(201) }, 'executions_idempotency_key_check'],
  ['executions', 'a key with a space', { idempotency_key: 'a b' }, 'executions_idempotency_key_check'],
  ['executions', 'a key with a line break', { idempotency_key: 'a\n' }, 'executions_idempotency_key_check'],
  ['executions', 'a non-ASCII key', { idempotency_key: 'ä' }, 'executions_idempotency_key_check'],
  ['executions', 'a 31-byte hash', { fingerprint: new Uint8Array(31) }, 'executions_fingerprint_check'],
  ['executions', 'a 33-byte hash', { fingerprint: new Uint8Array(33) }, 'executions_fingerprint_check'],
  ['executions', 'no type', { document_type: '' }, 'executions_names_check'],
  ['executions', 'no action', { action_code: '' }, 'executions_names_check'],
])('%s reject a row with %s', async (table, _what, columns, constraint) => {
  expect(brokenConstraint(await insert(table, { ...validOf(table), ...columns }))).toBe(constraint)
})

test.each<[table: string, shared: readonly string[], constraint: string]>([
  ['documents', ['type_code', 'number'], 'documents_number_key'],
  ['derivations', ['created_type_code', 'created_id'], 'derivations_created_key'],
  ['executions', ['actor_user_id', 'idempotency_key'], 'executions_actor_key'],
])('%s reject a second row with equal %j, but accept a partly equal row', async (table, shared, key) => {
  const first = validOf(table)
  expect(await insert(table, first)).toBe('kept')
  const sharing = (names: readonly string[]): Columns => ({
    ...validOf(table),
    ...Object.fromEntries(names.map((name) => [name, first[name] ?? null])),
  })
  expect(brokenConstraint(await insert(table, sharing(shared)))).toBe(key)
  expect(await insert(table, { ...sharing(shared.slice(1)), [shared[0] ?? '']: newId() })).toBe('kept')
})

test('status, version, fields and timestamps have defaults', async () => {
  const { id, ...rest } = validOf('documents')
  await insert('documents', { id: id ?? '', ...rest })
  const [row] = await bench.database.read((db) =>
    db.execute(sql`
      select status, version, payload, created_at <= clock_timestamp() and updated_at >= created_at as has_times
      from document_actions.documents
      where id = ${id}::uuid`),
  )
  expect(row).toEqual({ status: 'Draft', version: 1, payload: { fields: {} }, has_times: true })
})
