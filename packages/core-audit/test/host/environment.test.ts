import { type Environment, type EnvironmentReader, readConfiguration } from '@vertical-kit/core-audit/host'
import { configurationProblems } from '@vertical-kit/core-audit/testing'
import { describe, expect, test } from 'vitest'

const problemsOf = (environment: Environment, read: (env: EnvironmentReader) => unknown) =>
  configurationProblems(() => readConfiguration(environment, read))

const limits = { default: 5, min: 1, max: 100 }

describe('a whole number', () => {
  test.each([
    ['is its default when absent', undefined, 5],
    ['is its default when blank', '  ', 5],
    ['accepts its lower bound', '1', 1],
    ['accepts its upper bound', '100', 100],
    ['ignores surrounding white space', ' 7\n', 7],
  ])('%s', (_case, raw, expected) => {
    expect(readConfiguration({ Shop__Size: raw }, (env) => env.integer('Shop__Size', limits))).toBe(expected)
  })

  test.each(['0', '101', '-1', '1.5', '1e1', '0x10', '１', '1 0', 'seven', '99999999999999999999', '+1'])(
    'rejects %j',
    (raw) => {
      expect(problemsOf({ Shop__Size: raw }, (env) => env.integer('Shop__Size', limits))).toEqual([
        'Shop__Size: expected a whole number from 1 to 100',
      ])
    },
  )
})

describe('a boolean', () => {
  test.each([
    [undefined, false],
    ['true', true],
    ['TRUE', true],
    [' False ', false],
  ])('reads %j as %j', (raw, expected) => {
    const read = (env: EnvironmentReader) => env.boolean('Shop__IsOpen', { default: false })
    expect(readConfiguration({ Shop__IsOpen: raw }, read)).toBe(expected)
  })

  test.each(['1', 'yes', 'on', 'truee', '{"enabled":true}'])('rejects %j', (raw) => {
    const read = (env: EnvironmentReader) => env.boolean('Shop__IsOpen', { default: false })
    expect(problemsOf({ Shop__IsOpen: raw }, read)).toEqual(['Shop__IsOpen: expected true or false'])
  })
})

describe('a duration', () => {
  const bounds = { default: 60_000, min: 30_000, max: 900_000 }
  const read = (env: EnvironmentReader) => env.durationMs('Shop__Lifetime', bounds)

  test.each([
    [undefined, 60_000],
    ['00:00:30', 30_000],
    ['00:15:00', 900_000],
  ])('reads %j as %j ms', (raw, expected) => {
    expect(readConfiguration({ Shop__Lifetime: raw }, read)).toBe(expected)
  })

  test.each(['00:00:29', '00:15:01', '1.00:00:00', '30', '00:60:00', '-00:00:30'])('rejects %j', (raw) => {
    expect(problemsOf({ Shop__Lifetime: raw }, read)).toEqual([
      'Shop__Lifetime: expected a duration [d.]hh:mm:ss from 00:00:30 to 00:15:00',
    ])
  })
})

describe('text', () => {
  const zip = { pattern: /^\d{4}$/, expected: 'four digits' }

  test('ignores surrounding white space and falls back to its default', () => {
    const read = (env: EnvironmentReader) => env.string('Shop__Zip', { ...zip, default: '0000' })
    expect(readConfiguration({ Shop__Zip: ' 1010 ' }, read)).toBe('1010')
    expect(readConfiguration({}, read)).toBe('0000')
  })

  test('reports text that does not match the pattern', () => {
    expect(problemsOf({ Shop__Zip: 'x' }, (env) => env.string('Shop__Zip', zip))).toEqual([
      'Shop__Zip: expected four digits',
    ])
  })

  test.each([undefined, '', ' \t'])('reports a required key if its value is %j', (raw) => {
    expect(problemsOf({ Shop__Zip: raw }, (env) => env.required('Shop__Zip', zip))).toEqual([
      'Shop__Zip: is required',
    ])
  })
})

test('reports all problems together, each on its own line', () => {
  const environment = { Shop__Size: 'big', Shop__IsOpen: 'maybe', Shop__Colour: 'blue' }
  const read = () =>
    readConfiguration(environment, (env) => {
      env.required('Shop__Name')
      env.integer('Shop__Size', limits)
      env.boolean('Shop__IsOpen', { default: true })
      env.problem('Shop__Size, Shop__Name', 'do not go together')
    })
  expect(read).toThrow(
    [
      'The configuration has 5 problem(s):',
      'Shop__Name: is required',
      'Shop__Size: expected a whole number from 1 to 100',
      'Shop__IsOpen: expected true or false',
      'Shop__Size, Shop__Name: do not go together',
      'Shop__Colour: unknown key',
    ].join('\n'),
  )
})

test('problems never contain a value', () => {
  const canary = 'c4n4ry-s3cr3t'
  const environment = Object.fromEntries(
    ['A', 'B', 'C', 'D', 'E'].map((name) => [`Shop__${name}`, canary] as const),
  )
  const problems = problemsOf(environment, (env) => {
    env.integer('Shop__A', limits)
    env.boolean('Shop__B', { default: true })
    env.durationMs('Shop__C', limits)
    env.required('Shop__D', { pattern: /^x$/, expected: 'an x' })
    env.string('Shop__D', { pattern: /^x$/ })
  })
  expect(problems).toHaveLength(6)
  expect(problems.join()).not.toContain(canary)
})

test('options are frozen after reading', () => {
  const flags = new Map([['Notes', true]])
  const config = readConfiguration({}, (env) => ({
    shop: { size: env.integer('Shop__Size', limits), tags: ['a'] },
    flags,
  }))
  for (const part of [config, config.shop, config.shop.tags]) expect(Object.isFrozen(part)).toBe(true)
  expect(config.flags).toBe(flags)
})

test('an error caused by a missing value does not hide the missing key', () => {
  expect(problemsOf({}, (env) => new URL(env.required('Shop__Address')))).toEqual([
    'Shop__Address: is required',
  ])
})

test('an error that occurs with valid values is not reported as a configuration problem', () => {
  const broken = () => {
    throw new RangeError('a bug')
  }
  expect(() => readConfiguration({}, broken)).toThrow(RangeError)
})

describe('an unknown key', () => {
  const read = (env: EnvironmentReader) => env.integer('Shop__MaxSize', limits)

  test.each([
    ['in a known section is a problem', 'Shop__MaxSise', ['Shop__MaxSise: unknown key']],
    ['that extends a known key is a problem', 'Shop__MaxSize__Big', ['Shop__MaxSize__Big: unknown key']],
    [
      'in another case is a problem with a suggestion',
      'SHOP__MAXSIZE',
      ['SHOP__MAXSIZE: unknown key; did you mean Shop__MaxSize?'],
    ],
    ['in an unknown section is ignored', 'Other__MaxSize', []],
    ['without a section is ignored', 'SHOP_MAXSIZE', []],
  ])('%s', (_case, key, problems) => {
    expect(problemsOf({ [key]: '7' }, read)).toEqual(problems)
  })

  test('is accepted if allow() names it', () => {
    const allowing = (env: EnvironmentReader) => {
      env.allow('Shop__Later')
      return read(env)
    }
    expect(readConfiguration({ Shop__Later: 'x', Shop__MaxSize: '9' }, allowing)).toBe(9)
  })
})

test('below() returns keys in upper and lower case and marks them as known', () => {
  const environment = { Flags__A: 'true', flags__b: 'x', Flags__: '', Flag__C: 'no', Flags__Gone: undefined }
  const found = readConfiguration(environment, (env) => env.below('Flags__'))
  expect(found).toEqual([
    ['Flags__A', 'true'],
    ['flags__b', 'x'],
    ['Flags__', ''],
  ])
})
