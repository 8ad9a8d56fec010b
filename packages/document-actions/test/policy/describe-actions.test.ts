import { testCaller } from '@vertical-kit/core-audit/testing'
import type { DocumentState } from '@vertical-kit/document-actions'
import * as v from 'valibot'
import { expect, test } from 'vitest'
import { createTypeRegistry, type RegisteredType } from '../../src/actions/registry.ts'
import { describeActions } from '../../src/policy.ts'
import { aCommand, aDocument, aType, make } from '../definitions.ts'

function registered(...actions: readonly ReturnType<typeof aCommand>[]): RegisteredType {
  const type = createTypeRegistry({ types: [aType(actions)], navigationTargets: ['shop.customer'] }).get(
    'shop.thing',
  )
  if (type === undefined) throw new Error('not registered')
  return type
}

const doer = testCaller(['document.shop.thing.do'])

test('a description contains exactly the public properties of the action', () => {
  const confirmation = { mode: 'Confirm', title: 'T', message: 'M', confirmLabel: 'C' } as const
  const type = registered(aCommand({ confirmation }))
  expect(describeActions(type, doer, aDocument(), undefined)).toEqual([
    {
      code: 'shop.do',
      label: 'Do',
      description: 'Does it.',
      icon: 'do',
      kind: 'Primary',
      executionKind: 'Command',
      order: 1,
      confirmation,
      target: null,
      isAllowed: true,
      disabledReasons: [],
    },
  ])
})

test('an action without a confirmation has a null confirmation', () => {
  expect(describeActions(registered(aCommand()), doer, aDocument(), undefined)).toMatchObject([
    { confirmation: null },
  ])
})

test('callers without the permission do not see the action', () => {
  const type = registered(aCommand(), aCommand({ code: 'shop.other', permission: 'other', order: 2 }))
  const codes = (...permissions: readonly string[]) =>
    describeActions(type, testCaller(permissions), aDocument(), undefined).map(({ code }) => code)
  expect(codes()).toEqual([])
  expect(codes('document.shop.thing.other')).toEqual(['shop.other'])
  expect(codes('document.shop.other.other', 'document.shop.thing')).toEqual([])
})

test('an administrator sees all actions', () => {
  const type = registered(aCommand(), aCommand({ code: 'shop.other', permission: 'other', order: 2 }))
  const administrator = testCaller([], { isAdministrator: true })
  expect(describeActions(type, administrator, aDocument(), undefined)).toHaveLength(2)
})

test('the list is sorted by the order of the actions', () => {
  const type = registered(
    aCommand({ code: 'shop.last', order: 900 }),
    aCommand({ code: 'shop.first', order: 0 }),
    aCommand({ code: 'shop.middle', order: 20 }),
  )
  const orders = describeActions(type, doer, aDocument(), undefined).map(({ order }) => order)
  expect(orders).toEqual([0, 20, 900])
})

test('an unavailable action is listed with all reasons', () => {
  const reasons = [
    { code: 'shop.one', message: 'One.', remedy: { actionCode: 'shop.other', message: 'Do the other.' } },
    { code: 'shop.two', message: 'Two.' },
  ]
  const type = registered(aCommand({ disabledReasons: () => reasons }))
  expect(describeActions(type, doer, aDocument(), undefined)).toMatchObject([
    { isAllowed: false, disabledReasons: [reasons[0], { ...reasons[1], remedy: null }] },
  ])
})

test('an action with a payload has its JSON Schema, and other actions have none', () => {
  const payload = v.strictObject({
    title: v.pipe(v.string(), v.minLength(1)),
    tags: v.optional(v.array(v.string())),
  })
  const type = registered(
    aCommand({
      payload: v.pipe(
        payload,
        v.check((value) => value.title !== '?', 'expected a title'),
      ),
    }),
    aCommand({ code: 'shop.other', order: 2 }),
  )
  const [first, second] = describeActions(type, doer, aDocument(), undefined)
  expect(first?.payloadSchema).toEqual({
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    properties: {
      title: { type: 'string', minLength: 1 },
      tags: { type: 'array', items: { type: 'string' } },
    },
    required: ['title'],
    additionalProperties: false,
  })
  expect(second).not.toHaveProperty('payloadSchema')
})

test('reasons depend on the facts and the document', () => {
  const seen: unknown[] = []
  const type = registered(
    aCommand({
      disabledReasons(facts, document) {
        seen.push(facts, document)
        return []
      },
    }),
  )
  const document = aDocument()
  describeActions(type, doer, document, 'facts')
  expect(seen).toEqual(['facts', document])
})

test('a navigation has a target with parameters from the document and the facts', () => {
  const type = registered(
    make.navigation({
      code: 'shop.open',
      label: 'Open',
      description: 'Opens it.',
      icon: 'open',
      kind: 'Secondary',
      order: 1,
      permission: 'do',
      targetCode: 'shop.customer',
      parametersOf: (document: DocumentState, facts) => ({ number: document.number, facts: String(facts) }),
    }),
  )
  expect(describeActions(type, doer, aDocument({ number: '7' }), 'fact')).toMatchObject([
    {
      executionKind: 'Navigation',
      target: { code: 'shop.customer', parameters: { number: '7', facts: 'fact' } },
    },
  ])
})
