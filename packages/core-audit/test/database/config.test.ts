import { databaseDefaults, readDatabaseConfig } from '@vertical-kit/core-audit/database'
import { readConfiguration } from '@vertical-kit/core-audit/host'
import { expect, test } from 'vitest'

const url = 'postgres://app:secret@db.internal/app'

test('only DATABASE_URL is required', () => {
  expect(readConfiguration({ DATABASE_URL: url }, readDatabaseConfig)).toEqual({
    ...databaseDefaults,
    url,
    directUrl: url,
  })
})

test.each(['postgresql://host/db', 'postgres://u:p@a:5433,b:5434/db', 'postgres://u:p%40ss@[::1]:5432/db'])(
  'DATABASE_URL accepts %s',
  (address) => {
    expect(readConfiguration({ DATABASE_URL: address }, readDatabaseConfig).url).toBe(address)
  },
)

const withHost = ' with a host: a name, an IP address or the folder of a socket'

test.each([
  ['postgres://u:x@host:notaport/db', withHost],
  ['postgres://u:s3%ZZcret@host/db', ''],
  ['postgres://', withHost],
  ['postgres:///db', withHost],
])('DATABASE_URL rejects %s, and the error does not contain this value', (address, more) => {
  expect(() => readConfiguration({ DATABASE_URL: address }, readDatabaseConfig)).toThrow(
    expect.objectContaining({ problems: [`DATABASE_URL: expected a postgres:// address${more}`] }),
  )
})

test.each([1, 500])('the pool size can be %d', (poolMax) => {
  const environment = { DATABASE_URL: url, DATABASE_POOL_MAX: String(poolMax) }
  expect(readConfiguration(environment, readDatabaseConfig).poolMax).toBe(poolMax)
})

test.each([
  ['session', {}, true],
  ['transaction', {}, false],
  ['transaction', { DATABASE_PREPARED_STATEMENTS: 'true' }, true],
] as const)(
  'with a pooler in %s mode and %j, prepared statements are %s',
  (pooler, keys, preparedStatements) => {
    const direct = { DATABASE_DIRECT_URL: 'postgres://app@direct/app' }
    const environment = { DATABASE_URL: url, DATABASE_POOLER: pooler, ...direct, ...keys }
    expect(readConfiguration(environment, readDatabaseConfig)).toMatchObject({
      ...{ url, pooler, preparedStatements },
      directUrl: 'postgres://app@direct/app',
    })
  },
)

test('without a pooler, the direct address is optional', () => {
  const directUrl = 'postgres://owner@direct/app'
  const environment = { DATABASE_URL: url, DATABASE_DIRECT_URL: directUrl }
  expect(readConfiguration(environment, readDatabaseConfig)).toMatchObject({ url, directUrl })
})

test('DATABASE_READ_URL is optional', () => {
  const environment = { DATABASE_URL: url, DATABASE_READ_URL: 'postgres://app@standby/app' }
  expect(readConfiguration(environment, readDatabaseConfig)).toMatchObject({
    ...{ url, directUrl: url },
    readUrl: 'postgres://app@standby/app',
  })
})

test.each([
  ['a missing address', {}, 'DATABASE_URL: is required'],
  [
    'an address with another scheme',
    { DATABASE_URL: 'mysql://secret' },
    'DATABASE_URL: expected a postgres:// address',
  ],
  [
    'a standby with another scheme',
    { DATABASE_URL: url, DATABASE_READ_URL: 'mysql://secret' },
    'DATABASE_READ_URL: expected a postgres:// address',
  ],
  [
    'a pool size of 0',
    { DATABASE_URL: url, DATABASE_POOL_MAX: '0' },
    'DATABASE_POOL_MAX: expected a whole number from 1 to 500',
  ],
  [
    'a pool size of 501',
    { DATABASE_URL: url, DATABASE_POOL_MAX: '501' },
    'DATABASE_POOL_MAX: expected a whole number from 1 to 500',
  ],
  [
    'an unknown pooler',
    { DATABASE_URL: url, DATABASE_POOLER: 'statement' },
    'DATABASE_POOLER: expected none, session or transaction',
  ],
  [
    'a pooler without the direct address',
    { DATABASE_URL: url, DATABASE_POOLER: 'session' },
    'DATABASE_DIRECT_URL: is required',
  ],
])('%s is reported as a problem', (_case, environment, problem) => {
  expect(() => readConfiguration(environment, readDatabaseConfig)).toThrow(
    expect.objectContaining({ problems: [problem] }),
  )
})
