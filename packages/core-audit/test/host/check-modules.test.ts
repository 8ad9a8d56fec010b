import { CoreError, defineErrors, type KitModule, refusal } from '@vertical-kit/core-audit'
import { checkModules } from '@vertical-kit/core-audit/host'
import packageJson from '@vertical-kit/core-audit/package.json' with { type: 'json' }
import { sql } from 'drizzle-orm/sql'
import { describe, expect, test } from 'vitest'

const module = (name: string, overrides: Partial<KitModule> = {}): KitModule => ({
  name,
  version: packageJson.version,
  ...overrides,
})

const granting = (...permissions: readonly string[]): Partial<KitModule> => ({
  permissions: permissions.map((permission) => ({ permission, displayName: '', group: '', description: '' })),
})

test('modules of one release with distinct names and permissions fit together', () => {
  const modules = [module('a', granting('system.a.read')), module('b', granting('system.b.read'))]
  expect(() => checkModules(modules)).not.toThrow()
})

test('one error names every problem of a set of modules', () => {
  const modules = [
    module('a', { version: '1.3.1', ...granting('system.a.read', 'system.a.read') }),
    module('b', { version: '1.4.0', ...granting('system.a.read', 'system.b.read') }),
    module('b', granting('system.b.read')),
    module('b'),
  ]
  expect(() => checkModules(modules)).toThrow(
    new TypeError(
      [
        'These modules do not fit together:',
        `a is 1.3.1 and @vertical-kit/core-audit is ${packageJson.version}; install one release of all packages`,
        `b is 1.4.0 and @vertical-kit/core-audit is ${packageJson.version}; install one release of all packages`,
        'b is registered twice',
        'system.a.read is registered twice: by a and a and b',
        'system.b.read is registered twice: by b and b',
      ].join('\n'),
    ),
  )
})

test('an entry of /health belongs to one module, and those of the host to none', () => {
  const health = (...names: readonly string[]): Partial<KitModule> => ({
    health: names.map((name) => ({ name, check: async () => ({ status: 'Healthy' }) })),
  })
  expect(() => checkModules([module('a', health('stock')), module('b', health('prices'))])).not.toThrow()
  const modules = [module('a', health('stock', 'database')), module('b', health('stock', 'clock'))]
  expect(() => checkModules(modules)).toThrow(
    new TypeError(
      [
        'These modules do not fit together:',
        'the health entry database is registered twice: by the host and a',
        'the health entry clock is registered twice: by the host and b',
        'the health entry stock is registered twice: by a and b',
      ].join('\n'),
    ),
  )
})

test('an error code belongs to one table, which several modules can list', () => {
  const full = { 'shelves.full': refusal(409, 'The shelf is full.') }
  const [one, other] = [defineErrors('OneError', full), defineErrors('OtherError', { ...full })]
  expect(() =>
    checkModules([module('a', { errors: [one, CoreError] }), module('b', { errors: [one] })]),
  ).not.toThrow()
  const own = defineErrors('OwnError', { 'request.invalid': refusal(400, 'No.') })
  expect(() => checkModules([module('a', { errors: [one] }), module('b', { errors: [other, own] })])).toThrow(
    new TypeError(
      [
        'These modules do not fit together:',
        'the error code request.invalid is registered twice: by the kernel and b',
        'the error code shelves.full is registered twice: by a and b',
      ].join('\n'),
    ),
  )
})

describe('a contribution without a gatherer', () => {
  const contributing: readonly [string, Partial<KitModule>, KitModule['gathers'], string][] = [
    [
      'permissions',
      granting('system.a.read'),
      { contribution: 'permissions', modules: [] },
      'a has permissions; pass the module to createIdentity',
    ],
    [
      'audit events',
      { auditSource: { module: 'a', isVisibleTo: () => true } },
      undefined,
      'a has audit events; pass the module to auditTimeline',
    ],
    [
      'a count',
      { counter: { content: 'notes', isEnabled: true, readPermission: '', count: () => sql`0` } },
      undefined,
      'a has a count; pass the module to contentSummary',
    ],
  ]

  test.each(contributing)('is reported (%s)', (_what, contribution, gathers, problem) => {
    const gatherer = module('gatherer', gathers === undefined ? {} : { gathers })
    expect(() => checkModules([gatherer, module('a', contribution)])).toThrow(problem)
  })

  test.each(contributing)('is accepted when a module gathers it (%s)', (what, contribution) => {
    const a = module('a', contribution)
    const kinds = { permissions: 'permissions', 'audit events': 'auditSource', 'a count': 'counter' } as const
    const gathers = { contribution: kinds[what as keyof typeof kinds], modules: [a] }
    expect(() => checkModules([module('gatherer', { gathers }), a])).not.toThrow()
  })

  test('is accepted if it is a permission and no identity module is used', () => {
    expect(() => checkModules([module('a', granting('system.a.read'))])).not.toThrow()
  })
})
