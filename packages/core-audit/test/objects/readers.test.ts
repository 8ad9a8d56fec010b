import { holds } from '@vertical-kit/core-audit/access'
import type { BusinessObjectReference } from '@vertical-kit/core-audit/contract'
import { createDatabase, type Database, databaseDefaults } from '@vertical-kit/core-audit/database'
import { type BusinessObjects, createBusinessObjects } from '@vertical-kit/core-audit/objects'
import { recordStatements } from '@vertical-kit/core-audit/testing'
import type { FreshDatabase } from '@vertical-kit/dev-services'
import { sql } from 'drizzle-orm/sql'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { newId } from '../../src/new-id.ts'
import { openDatabase } from '../harness.ts'

const view = 'document.trade.sales_invoice.view'
const invoice: BusinessObjectReference = { kind: 'Document', typeCode: 'trade.sales_invoice', id: newId() }

let fresh: FreshDatabase
let pool: Database
let database: Database
const record = recordStatements()
const ids = new Map<string, string>()
beforeAll(async () => {
  fresh = await openDatabase()
  pool = createDatabase({ ...databaseDefaults, url: fresh.url })
  database = record.observe(pool)
  await addRole('clerk', [view, 'system.notes.read'])
  await addRole('former', [view], false)
  await addRole('boss', [])
  await addUser('Carl Clerk', ['clerk'])
  await addUser('Clara Clerk', ['clerk', 'boss'])
  await addUser('McCarl 100%', ['clerk'])
  await addUser('Carla Former', ['former'])
  await addUser('Carlos Gone', ['clerk'], false)
  await addUser('Carlo Outside', [])
  await addUser('Berta Boss', ['boss'])
})
afterAll(async () => {
  await pool.close()
  await fresh.drop()
})

const addRole = (code: string, permissions: readonly string[], isActive = true) =>
  pool.statement((tx) =>
    tx.execute(sql`
      insert into core_audit.roles (id, code, name, permissions, is_active)
      values (${newId()}::uuid, ${code}, ${code}, ${sql.param(permissions)}::text[], ${isActive})`),
  )

async function addUser(name: string, roleCodes: readonly string[], isActive = true): Promise<void> {
  const id = newId()
  ids.set(name, id)
  await pool.transaction(async (tx) => {
    await tx.execute(sql`
      insert into core_audit.users (id, subject, display_name, is_active) values (${id}::uuid, ${name}, ${name}, ${isActive})`)
    await tx.execute(sql`
      insert into core_audit.user_roles (user_id, role_id)
      select ${id}::uuid, id from core_audit.roles where code = any(${sql.param(roleCodes)}::text[])`)
  })
}

/** Documents are readable with the permission to view them. */
const businessObjects: BusinessObjects = createBusinessObjects(
  [
    {
      ...{ kind: 'Document', typeCodes: ['trade.sales_invoice'] },
      isReadable: async (_db, caller) => holds(caller, view),
    },
  ],
  { administratorRoleCodes: ['boss'] },
)

const search = async (text: string, limit = 20): Promise<readonly string[]> => {
  const found = await database.read((db) =>
    businessObjects.searchReaders(db, { reference: invoice, text, limit }),
  )
  return found.map(({ displayName }) => displayName)
}

test('a search returns active users who may read the object: first names that begin with the text, then by name', async () => {
  expect(await search('carl')).toEqual(['Carl Clerk', 'McCarl 100%'])
  expect(await search('CLERK')).toEqual(['Carl Clerk', 'Clara Clerk'])
  expect(await search('')).toEqual(['Berta Boss', 'Carl Clerk', 'Clara Clerk', 'McCarl 100%'])
  expect(await search('', 2)).toEqual(['Berta Boss', 'Carl Clerk'])
  expect(await search('0%')).toEqual(['McCarl 100%'])
  expect(await search('%')).toEqual(['McCarl 100%'])
  expect(await search('_')).toEqual([])
})

test('a search runs one statement, and finds readers behind any number of other users', async () => {
  for (let index = 0; index < 120; index += 1) await addUser(`Aaron Carl ${index}`, [])
  record.reset()
  expect(await search('carl')).toEqual(['Carl Clerk', 'McCarl 100%'])
  expect(record.count).toBe(1)
})

test('the readers among some users have the rights of their assigned, active roles', async () => {
  record.reset()
  const readers = await database.read((db) =>
    businessObjects.readersAmong(db, invoice, [...ids.values(), newId()]),
  )
  expect(record.count).toBe(1)
  expect(readers.map(({ displayName }) => displayName).toSorted()).toEqual([
    ...['Berta Boss', 'Carl Clerk', 'Clara Clerk', 'McCarl 100%'],
  ])
  const [carl] = readers.filter(({ displayName }) => displayName === 'Carl Clerk')
  expect(carl).toMatchObject({
    userId: ids.get('Carl Clerk'),
    isAdministrator: false,
    roles: [{ code: 'clerk' }],
  })
  expect([...(carl?.permissions ?? [])].toSorted()).toEqual([view, 'system.notes.read'])
})

test('nobody reads an unsupported object, and no users need no statement', async () => {
  record.reset()
  const unsupported = { ...invoice, typeCode: 'trade.unknown' }
  expect(
    await database.read((db) => businessObjects.readersAmong(db, unsupported, [...ids.values()])),
  ).toEqual([])
  expect(record.count).toBe(1)
  expect(await database.read((db) => businessObjects.readersAmong(db, invoice, []))).toEqual([])
  expect(record.count).toBe(1)
})
