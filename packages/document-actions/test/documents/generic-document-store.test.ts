import { newId } from '@vertical-kit/core-audit'
import { type DocumentStore, genericDocumentStore } from '@vertical-kit/document-actions'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Bench, failureOf, openBench } from '../bench.ts'

const store = genericDocumentStore

let bench: Bench
beforeAll(async () => {
  bench = await openBench()
})
afterAll(() => bench.close())

const find = (...[reference]: [Parameters<DocumentStore['find']>[1]]) =>
  bench.database.read((db) => store.find(db, reference))
const lock = (...[reference]: [Parameters<DocumentStore['lock']>[1]]) =>
  bench.database.transaction((tx) => store.lock(tx, reference))
const save = (...[update]: [Parameters<DocumentStore['save']>[1]]) =>
  bench.database.statement((tx) => store.save(tx, update))

describe.each([
  ['find', find],
  ['lock', lock],
])('%s', (_name, ask) => {
  test('returns the complete document', async () => {
    const made = await bench.addDocument('shop.invoice', { amount: '12.00', lines: [{ n: 1 }], none: null })
    expect(await ask(made)).toEqual(made)
  })

  test('returns undefined for unknown ids and ids of another type', async () => {
    const { id } = await bench.addDocument('shop.invoice')
    expect(await ask({ typeCode: 'shop.order', id })).toBeUndefined()
    expect(await ask({ typeCode: 'shop.invoice', id: newId() })).toBeUndefined()
  })

  test('returns undefined for malformed ids', async () => {
    expect(await ask({ typeCode: 'shop.invoice', id: 'not-a-uuid' })).toBeUndefined()
    expect(await ask({ typeCode: 'shop.invoice', id: '' })).toBeUndefined()
  })
})

test('`save` writes status, version and fields, and returns the updated document', async () => {
  const made = await bench.addDocument('shop.invoice', { amount: '12.00', customerId: 'c' })
  const saved = await save({ ...made, status: 'Posted', version: 2, fields: { amount: '13.00' } })
  expect(saved).toEqual({
    ...made,
    status: 'Posted',
    version: 2,
    payload: { fields: { amount: '13.00' } },
    updatedAtUtc: expect.any(String),
  })
  expect(Date.parse(saved.updatedAtUtc)).toBeGreaterThanOrEqual(Date.parse(made.updatedAtUtc))
  expect(await find(made)).toEqual(saved)
})

test('`save` changes only the given document', async () => {
  const [one, other] = [await bench.addDocument(), await bench.addDocument()]
  await save({ ...one, status: 'Posted', version: 2, fields: {} })
  expect(await find(other)).toEqual(other)
})

test('saving a deleted document throws an Error and not a refusal', async () => {
  const made = await bench.addDocument()
  const gone = { ...made, id: newId(), fields: {} }
  expect(await failureOf(save(gone))).toEqual(new Error('The update of a locked document returned no row'))
})

test.each<[string, unknown]>([
  ['text of any script', 'Größe 😀 \u2028'],
  ['a quote and a backslash', `'"\\`],
  ['numbers', [0, -1.5, 1e21]],
  ['null', null],
  ['a property called __proto__', JSON.parse('{"__proto__": {"isAdministrator": true}}')],
])('a field with %s is stored unchanged', async (_what, value) => {
  const made = await bench.addDocument('shop.invoice', { value })
  expect((await find(made))?.payload.fields).toStrictEqual({ value })
})
