import { checkModules, type KitModule, releaseTrain } from '@vertical-kit/core-audit'
import { expect, test } from 'vitest'
import packageJson from '../package.json' with { type: 'json' }

const module = (name: string, overrides: Partial<KitModule> = {}): KitModule => ({
  name,
  version: releaseTrain,
  permissions: [],
  ...overrides,
})

const granting = (...permissions: readonly string[]): Partial<KitModule> => ({
  permissions: permissions.map((permission) => ({ permission, displayName: '', group: '', description: '' })),
})

test('the release of the modules is the release of the package', () => {
  expect(packageJson.version).toBe(releaseTrain)
})

test('modules of one release with names and permissions of their own fit together', () => {
  const modules = [module('a', granting('system.a.read')), module('b', granting('system.b.read'))]
  expect(() => checkModules(modules)).not.toThrow()
})

test('everything that does not fit is told at once', () => {
  const modules = [
    module('a', { version: '1.3.1', ...granting('system.a.read', 'system.a.read') }),
    module('b', { version: '2.0.1', ...granting('system.a.read', 'system.b.read') }),
    module('b', granting('system.b.read')),
    module('b'),
  ]
  expect(() => checkModules(modules)).toThrow(
    new TypeError(
      [
        'These modules do not fit together:',
        'a is 1.3.1; update all packages to 2.0.0 together',
        'b is 2.0.1; update all packages to 2.0.0 together',
        'b is registered twice',
        'system.a.read is registered twice',
        'system.b.read is registered twice',
      ].join('\n'),
    ),
  )
})
