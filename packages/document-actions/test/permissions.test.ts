import { expect, test } from 'vitest'
import { createTypeRegistry } from '../src/actions/registry.ts'
import { documentActionsPermissions } from '../src/permissions.ts'
import { aCommand, aType, make } from './definitions.ts'
import { shopTargets, shopTypes } from './shop.ts'

const permissionsOf = (types = shopTypes()) =>
  documentActionsPermissions(createTypeRegistry({ types, navigationTargets: shopTargets }))

test('every action except a derivation has a permission, and no view permission is included', () => {
  expect(permissionsOf().map(({ permission }) => permission)).toEqual([
    'document.shop.order.post',
    'document.shop.order.unpost',
    'document.shop.order.mark_for_deletion',
    'document.shop.invoice.post',
    'document.shop.invoice.unpost',
    'document.shop.invoice.repost',
    'document.shop.invoice.write_off',
    'document.shop.invoice.rename',
    'document.shop.invoice.open_customer',
    'document.shop.invoice.mark_for_deletion',
  ])
})

test('a permission has the label of its action and the plural of its type', () => {
  expect(permissionsOf()[0]).toEqual({
    permission: 'document.shop.order.post',
    displayName: 'Post: orders',
    group: 'Document actions',
    description: 'Writes the document to the books.',
  })
})

test('a shared permission has the label of its first action', () => {
  const actions = [
    aCommand({ code: 'shop.second', label: 'Second', order: 2 }),
    aCommand({ code: 'shop.first', label: 'First', order: 1 }),
    ...make.lifecycle({ mark_for_deletion: {}, unmark_for_deletion: {} }),
  ]
  expect(permissionsOf([aType(actions)]).map(({ displayName }) => displayName)).toEqual([
    'First: things',
    'Mark for deletion: things',
  ])
})

test.each(['Navigation', 'View'] as const)(
  'a %s with the view permission registers none',
  (executionKind) => {
    const open = make.navigation({
      ...{
        code: 'shop.open',
        label: 'Open',
        description: 'Opens it.',
        icon: 'open',
        kind: 'Secondary',
        order: 2,
      },
      ...{ permission: 'view', executionKind, targetCode: 'shop.customer', parametersOf: () => ({}) },
    })
    expect(permissionsOf([aType([aCommand(), open])]).map(({ permission }) => permission)).toEqual([
      'document.shop.thing.do',
    ])
  },
)

test('types without actions have no permissions', () => {
  expect(permissionsOf([aType()])).toEqual([])
})
