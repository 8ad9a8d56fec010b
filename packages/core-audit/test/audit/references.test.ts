import { newId } from '@vertical-kit/core-audit'
import { createBusinessObjects } from '@vertical-kit/core-audit/objects'
import type { TestRequest } from '@vertical-kit/core-audit/testing'
import { sql } from 'drizzle-orm/sql'
import { beforeAll, describe, expect, test } from 'vitest'
import { referenceIds } from '../../src/audit/reference-ids.ts'
import { event } from './events.ts'
import {
  customerType,
  type NamedHost,
  openNamedHost,
  orderOf,
  orderType,
  pageAt,
  readsAll,
} from './named-host.ts'

let host: NamedHost
let reader: TestRequest
beforeAll(async () => {
  host = await openNamedHost()
  reader = await host.as({ subject: 'reader', permissions: readsAll })
  return () => host.close()
})

const timeline = (request: TestRequest, { kind, typeCode, id }: ReturnType<typeof orderOf>) =>
  pageAt(request, '/api/audit/events', { kind, typeCode, objectId: id })

const changed = (fieldPath: string, newValue: unknown, oldValue: unknown = null) => ({
  fieldPath,
  oldValue,
  newValue,
})

async function addOrder() {
  const [first, second] = [
    await host.addObject(customerType, 'Adler & Co'),
    await host.addObject(customerType, 'Blum'),
  ]
  const order = orderOf(await host.addObject(orderType, 'Order 1'))
  return { order, first, second }
}

const nameOf = (display: string, typeCode: string, id: string) => ({
  [id]: { display, target: { code: typeCode, parameters: { id } } },
})

describe('the references of a page', () => {
  test('contain the object, the objects at registered paths, and users', async () => {
    const { order, first, second } = await addOrder()
    const userId = await host.userId('reader')
    await host.record(
      event({ target: order, changes: [changed('fields.customerId', first, second)] }),
      event({
        target: order,
        actorUserId: userId,
        metadata: { approverId: userId, other: first },
        changes: [changed('fields.lines', [{ customerId: first.toUpperCase() }, { itemId: newId() }])],
      }),
    )
    const page = await timeline(reader, order)
    expect(page.items).toHaveLength(2)
    expect(page.references).toEqual({
      ...nameOf('Order 1', orderType, order.id),
      ...nameOf('Adler & Co', customerType, first),
      ...nameOf('Blum', customerType, second),
      [userId]: { display: 'reader', target: null },
    })
  })

  test('contain the users and roles that the module of an event finds in it', async () => {
    const { order } = await addOrder()
    await host.as({ subject: 'colleague', permissions: [] })
    const userId = await host.userId('colleague')
    const [role] = await host.database.read((db) =>
      db.execute<{ id: string; name: string }>(sql`select id, name from core_audit.roles limit 1`),
    )
    const metadata = { userId, roleId: role?.id }
    await host.record(
      event({ target: order, module: 'people', metadata }),
      event({ target: order, metadata }),
    )
    const page = await timeline(reader, order)
    expect(page.references).toEqual({
      ...nameOf('Order 1', orderType, order.id),
      [userId]: { display: 'colleague', target: null },
      [role?.id ?? '']: { display: role?.name, target: null },
    })
  })

  test('omit objects that are hidden, missing or of a type that the reader may not view', async () => {
    const { order, first } = await addOrder()
    const secret = await host.addObject(customerType, 'Secret customer')
    await host.record(
      event({
        target: order,
        changes: [first, secret, newId(), order.id, 'text', 7].map((value) =>
          changed('fields.customerId', value),
        ),
      }),
    )
    expect(Object.keys((await timeline(reader, order)).references).toSorted()).toEqual(
      [order.id, first].toSorted(),
    )
    const clerk = await host.as({
      subject: 'clerk',
      permissions: readsAll.filter((permission) => !permission.includes('customer')),
    })
    expect(Object.keys((await timeline(clerk, order)).references)).toEqual([order.id])
  })

  test('need at most one statement for each kind and one for users, however many ids', async () => {
    const countFor = async (count: number) => {
      const { order, first } = await addOrder()
      const customers = Array.from({ length: count }, () => ({ customerId: newId() }))
      await host.record(
        ...Array.from({ length: count }, () =>
          event({
            target: order,
            metadata: { approverId: newId() },
            changes: [changed('fields.lines', [...customers, { customerId: first }])],
          }),
        ),
      )
      host.statements.reset()
      expect((await timeline(reader, order)).references[first]).toBeDefined()
      return host.statements.count
    }
    // The partitions are read once an hour.
    await countFor(1)
    // The object, the events, customers, orders and users.
    expect(await countFor(1)).toBe(5)
    expect(await countFor(40)).toBe(5)
  })
})

test('ids are found at a path through lists and objects, and nowhere else', () => {
  const id = newId()
  const found = referenceIds(
    {
      changes: [
        changed('a', [[{ b: id }], { b: null }, { c: id }, { b: 'x' }]),
        changed('a.b', id),
        changed('b', id),
        changed('toString', id),
      ],
      metadata: { a: { b: id } },
    },
    { 'a.b': 'type', 'metadata.a.b': 'other' },
  )
  expect(found.map(({ typeCode }) => typeCode)).toEqual(['type', 'type', 'other'])
})

test('references that name an unknown type are rejected', () => {
  const types = (references: Record<string, Record<string, string>>) => () =>
    createBusinessObjects([
      { kind: 'Document', typeCodes: ['a.b'], isReadable: async () => true, references },
    ])
  expect(types({ 'a.b': { 'fields.x': 'a.c' } })).toThrow('references of a.b: a.c is not registered')
  expect(types({ 'a.c': { 'fields.x': 'a.b' } })).toThrow('references of a.c: a.c is not registered')
  expect(types({ 'a.b': { 'fields.x': 'a.b', 'fields.y': 'user' } })).not.toThrow()
})
