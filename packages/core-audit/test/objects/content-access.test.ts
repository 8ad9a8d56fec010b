import { CoreError, newId } from '@vertical-kit/core-audit'
import type { BusinessObjectReference } from '@vertical-kit/core-audit/contract'
import { createDatabase, type Database, databaseDefaults } from '@vertical-kit/core-audit/database'
import { contentAccess, createBusinessObjects } from '@vertical-kit/core-audit/objects'
import { testCaller } from '@vertical-kit/core-audit/testing'
import type { FreshDatabase } from '@vertical-kit/dev-services'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openDatabase } from '../harness.ts'

const permission = 'system.shelves.read'
const typeCode = 'trade.item'
const readable: BusinessObjectReference = { kind: 'CatalogItem', typeCode, id: newId() }
const hidden: BusinessObjectReference = { kind: 'CatalogItem', typeCode, id: newId() }
const unsupported: BusinessObjectReference = { kind: 'Document', typeCode: 'trade.unknown', id: newId() }

const access = contentAccess({
  businessObjects: createBusinessObjects([
    {
      kind: 'CatalogItem',
      typeCodes: [typeCode],
      isReadable: async (_db, _caller, { id }) => id === readable.id,
    },
  ]),
  notFound: () => new Error('no such shelf'),
})

const clerk = testCaller([permission])
const stranger = testCaller()

let fresh: FreshDatabase
let database: Database
beforeAll(async () => {
  fresh = await openDatabase()
  database = createDatabase({ ...databaseDefaults, url: fresh.url })
})
afterAll(async () => {
  await database.close()
  await fresh.drop()
})

/** Returns `passes` if the check resolves, otherwise the code or message of the error. */
const outcomeOf = (check: Promise<unknown>): Promise<string> =>
  check.then(
    () => 'passes',
    (error: Error) => (error instanceof CoreError ? error.code : error.message),
  )

test.each([
  ['a clerk can use a readable object', clerk, readable, 'passes'],
  ['a clerk cannot use a hidden object', clerk, hidden, 'business_object.not_found'],
  ['a clerk cannot use an unknown type', clerk, unsupported, 'business_object.unsupported'],
  ['the permission is checked before the object', stranger, unsupported, 'permission.denied'],
  ['the system is not checked', 'system', unsupported, 'passes'],
] as const)('requireTarget follows a rule: %s', async (_rule, as, target, outcome) => {
  const check = database.read((db) => access.requireTarget(db, as, { permission, target }))
  expect(await outcomeOf(check)).toBe(outcome)
})

test.each([
  ['accepts content of a readable object', { target: readable }, 'passes'],
  ['rejects content of a hidden object', { target: hidden }, 'no such shelf'],
  ['rejects content that does not exist', undefined, 'no such shelf'],
])('requireVisible %s', async (_what, content, outcome) => {
  expect(await outcomeOf(database.read((db) => access.requireVisible(db, clerk, content)))).toBe(outcome)
})

describe('the check of authorizing()', () => {
  const inTransaction = (as: Parameters<typeof access.authorizing>[0], target: BusinessObjectReference) =>
    outcomeOf(database.transaction((tx) => access.authorizing(as, permission)(tx, target)))

  test.each([
    ['accepts a clerk with a readable object', clerk, readable, 'passes'],
    ['rejects a hidden object like missing content', clerk, hidden, 'no such shelf'],
    ['accepts the system', 'system', hidden, 'passes'],
    ['accepts a loaded caller with the permission', async () => clerk, readable, 'passes'],
    ['rejects a loaded caller without the permission', async () => stranger, readable, 'permission.denied'],
  ] as const)('%s', async (_rule, as, target, outcome) => {
    expect(await inTransaction(as, target)).toBe(outcome)
  })

  test('rejects a caller without the permission before the lock', () => {
    expect(() => access.authorizing(stranger, permission)).toThrow(
      expect.objectContaining({ code: 'permission.denied' }),
    )
  })
})
