import type { DocumentType } from '@vertical-kit/document-actions'
import { describe, expect, test } from 'vitest'
import { createTypeRegistry } from '../../src/actions/registry.ts'
import { aCommand, aType, make } from '../definitions.ts'

const register = (types: readonly DocumentType[], navigationTargets: readonly string[] = ['shop.customer']) =>
  createTypeRegistry({ types, navigationTargets })

/** Returns the lines of the error that the types cause. */
function problemsOf(...types: readonly DocumentType[]): readonly string[] {
  try {
    register(types)
  } catch (error) {
    expect(error).toBeInstanceOf(TypeError)
    const [title, ...lines] = (error as TypeError).message.split('\n')
    expect(title).toBe('The document types are invalid:')
    return lines
  }
  return []
}

const words = { label: 'Go', description: 'Goes.', icon: 'go', kind: 'Secondary', order: 2 } as const
const leading = (more: object = {}) =>
  make.navigation({
    ...words,
    code: 'shop.go',
    permission: 'go',
    targetCode: 'shop.customer',
    parametersOf: () => ({}),
    ...more,
  })
const deriving = (more: object = {}) =>
  make.derivation({
    ...words,
    code: 'shop.derive',
    targetTypeCode: 'shop.thing',
    derive: () => Promise.reject(new Error('never')),
    ...more,
  })

test('a type contains its actions by code, in display order', () => {
  const actions = [
    aCommand({ code: 'shop.c', order: 30 }),
    aCommand({ code: 'shop.a', order: 0 }),
    aCommand({ code: 'shop.b', order: 7 }),
  ]
  const type = register([aType(actions)]).get('shop.thing')
  expect([...(type?.actions.keys() ?? [])]).toEqual(['shop.a', 'shop.b', 'shop.c'])
  expect(type?.actions.get('shop.c')?.definition).toBe(actions[0])
})

test('an action needs a permission of its type; a derivation needs the create permission of its target', () => {
  const types = [
    aType([aCommand(), leading(), deriving({ targetTypeCode: 'shop.other', order: 3 })]),
    aType([], { typeCode: 'shop.other' }),
  ]
  const type = register(types).get('shop.thing')
  expect(type?.viewPermission).toBe('document.shop.thing.view')
  expect([...(type?.actions.values() ?? [])].map(({ permission }) => permission)).toEqual([
    'document.shop.thing.do',
    'document.shop.thing.go',
    'document.shop.other.create',
  ])
})

test('only general journal entries have a kind other than Document', () => {
  const types = register([aType(), aType([], { typeCode: 'general_journal_entry' })])
  expect([...types.values()].map(({ kind }) => kind)).toEqual(['Document', 'GeneralJournalEntry'])
})

test('an action of the kind View opens a page like a navigation', () => {
  expect(problemsOf(aType([leading({ executionKind: 'View' })]))).toEqual([])
})

test('orders can be 0, and types can share orders and action codes', () => {
  const actions = [aCommand({ order: 0 }), ...make.lifecycle({ post: {} })]
  expect(problemsOf(aType(actions), aType(actions, { typeCode: 'shop.other' }))).toEqual([])
})

describe('the registry rejects', () => {
  test.each<[what: string, types: readonly DocumentType[], problem: string]>([
    ['a duplicate type', [aType(), aType()], 'shop.thing is registered twice'],
    ['a type code in upper case', [aType([], { typeCode: 'Shop.Thing' })], 'Shop.Thing is not a type code'],
    ['an empty code segment', [aType([], { typeCode: 'shop..thing' })], 'shop..thing is not a type code'],
    ['a type without a code', [aType([], { typeCode: '' })], ' is not a type code'],
    ['a type code with a slash', [aType([], { typeCode: 'shop/thing' })], 'shop/thing is not a type code'],
    [
      'two actions with one code',
      [aType([aCommand(), aCommand({ order: 2 })])],
      'shop.thing: duplicate action shop.do',
    ],
    [
      'two actions with one order',
      [aType([aCommand(), aCommand({ code: 'shop.other' })])],
      'shop.thing: duplicate order 1',
    ],
  ])('%s', (_what, types, problem) => {
    expect(problemsOf(...types)).toEqual([problem])
  })

  test.each<[what: string, action: ReturnType<typeof aCommand>, problem: string]>([
    [
      'a code with a hyphen',
      aCommand({ code: 'shop-do' }),
      'shop-do: the code must be lower-case words separated by dots',
    ],
    ['a blank label', aCommand({ label: ' \n' }), 'shop.do: the label is blank'],
    ['a negative order', aCommand({ order: -1 }), 'shop.do: the order -1 is not an integer >= 0'],
    ['a fractional order', aCommand({ order: 1.5 }), 'shop.do: the order 1.5 is not an integer >= 0'],
    ['a NaN order', aCommand({ order: Number.NaN }), 'shop.do: the order NaN is not an integer >= 0'],
    ['an unknown kind', aCommand({ kind: 'Tertiary' as never }), 'shop.do: unknown kind Tertiary'],
    [
      'an unknown confirmation mode',
      aCommand({ confirmation: { mode: 'Ask' as never, title: '', message: '', confirmLabel: '' } }),
      'shop.do: unknown confirmation mode Ask',
    ],
    [
      'a command without a handler',
      aCommand({ handle: undefined as never }),
      'shop.do: the function handle is missing',
    ],
    [
      'a permission of two segments',
      aCommand({ permission: 'thing.do' }),
      "shop.do: the permission 'thing.do' must be one segment",
    ],
    ['an empty permission', aCommand({ permission: '' }), "shop.do: the permission '' must be one segment"],
    [
      'a derivation without a function',
      deriving({ derive: undefined }),
      'shop.derive: the function derive is missing',
    ],
    [
      'a derivation of an unregistered type',
      deriving({ targetTypeCode: 'shop.ghost' }),
      'shop.derive: the target shop.ghost is not a registered type',
    ],
    [
      'a navigation to an unregistered page',
      leading({ targetCode: 'shop.ghost' }),
      'shop.go: the target shop.ghost is not a registered page',
    ],
    [
      'a navigation without parameters',
      leading({ parametersOf: undefined }),
      'shop.go: the function parametersOf is missing',
    ],
    [
      'a navigation with a wildcard permission',
      leading({ permission: '*' }),
      "shop.go: the permission '*' must be one segment",
    ],
    [
      'a command with the view permission',
      aCommand({ permission: 'view' }),
      "shop.do: the permission 'view' belongs to your vertical; choose another",
    ],
    [
      'a command with the create permission',
      aCommand({ permission: 'create' }),
      "shop.do: the permission 'create' belongs to your vertical; choose another",
    ],
    [
      'a navigation with the create permission',
      leading({ permission: 'create' }),
      "shop.go: the permission 'create' belongs to your vertical; choose another",
    ],
    [
      'an unknown execution kind',
      { ...aCommand(), executionKind: 'Magic' } as never,
      'shop.do: unknown execution kind Magic',
    ],
    [
      'a lifecycle step that is a derivation',
      deriving({ code: 'post' }),
      'post: a lifecycle step must be a Command',
    ],
  ])('%s', (_what, action, problem) => {
    expect(problemsOf(aType([action]))).toEqual([`shop.thing: ${problem}`])
  })

  test('invalid types with one error that lists all problems', () => {
    const broken = aCommand({ label: '', order: -1, permission: 'Do', handle: undefined as never })
    const twice = { typeCode: 'Shop' }
    expect(problemsOf(aType([broken, broken], twice), aType([], twice))).toEqual([
      'Shop is registered twice',
      'Shop is not a type code',
      'Shop is not a type code',
      'Shop: duplicate action shop.do',
      'Shop: duplicate order -1',
      ...[1, 2].flatMap(() => [
        'Shop: shop.do: the label is blank',
        'Shop: shop.do: the order -1 is not an integer >= 0',
        'Shop: shop.do: the function handle is missing',
        "Shop: shop.do: the permission 'Do' must be one segment",
      ]),
    ])
  })
})
