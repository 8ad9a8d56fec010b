import { brokenConstraint, newId } from '@vertical-kit/core-audit'
import {
  type CreateDocument,
  createDocument,
  type DocumentFields,
  genericDocumentStore,
} from '@vertical-kit/document-actions'
import * as v from 'valibot'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Bench, failureOf, openBench } from '../bench.ts'

let bench: Bench
beforeAll(async () => {
  bench = await openBench()
})
afterAll(() => bench.close())

const order: DocumentFields = { typeCode: 'shop.order', fields: v.looseObject({}) }
const invoice: DocumentFields = { ...order, typeCode: 'shop.invoice' }

const create = (more: Partial<CreateDocument> = {}) =>
  bench.database.statement((tx) =>
    createDocument(tx, {
      id: newId(),
      type: order,
      number: newId(),
      display: 'Order 1',
      fields: { amount: '1.00' },
      ...more,
    }),
  )

test('a new document is stored as a draft with version 1', async () => {
  const id = newId()
  const made = await create({ id, number: 'O-1' })
  expect(made).toEqual({
    id,
    typeCode: 'shop.order',
    number: 'O-1',
    display: 'Order 1',
    status: 'Draft',
    version: 1,
    payload: { fields: { amount: '1.00' } },
    createdAtUtc: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    updatedAtUtc: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
  })
  expect(await bench.database.read((db) => genericDocumentStore.find(db, made))).toEqual(made)
})

test('a number is unique within its type', async () => {
  await create({ number: 'O-7' })
  expect(brokenConstraint(await failureOf(create({ number: 'O-7' })))).toBe('documents_number_key')
  expect(await create({ number: 'O-7', type: invoice })).toMatchObject({ number: 'O-7' })
})

test('an id is unique across all types', async () => {
  const { id } = await create()
  expect(brokenConstraint(await failureOf(create({ id, type: invoice })))).toBe('documents_pkey')
})
