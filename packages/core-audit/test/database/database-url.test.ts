import { randomUUID } from 'node:crypto'
import { readDatabaseConfig } from '@vertical-kit/core-audit/database'
import { readConfiguration } from '@vertical-kit/core-audit/host'
import { configurationProblems } from '@vertical-kit/core-audit/testing'
import { describe, expect, test } from 'vitest'
import { databaseUrlProblems, parseDatabaseUrl } from '../../src/database/database-url.ts'

const standard = {
  hosts: ['db'],
  ports: [5432],
  socketPath: null,
  user: undefined,
  password: undefined,
  database: 'shop',
  tls: 'disable',
  rootCertificate: null,
  target: 'any',
}
const socket = { hosts: [], ports: [5432], socketPath: '/run/postgresql/.s.PGSQL.5432' }

test.each([
  ['postgres://db/shop', {}],
  ['postgresql://db/shop', {}],
  ['postgres://db', { database: undefined }],
  ['postgres://db:6000/shop', { ports: [6000] }],
  ['postgres://app:p%40ss%3A%2F@db/shop', { user: 'app', password: 'p@ss:/' }],
  ['postgres://app:a:b+c@db/shop', { user: 'app', password: 'a:b+c' }],
  ['postgres://app@db/shop', { user: 'app' }],
  ['postgres://[::1]:6000/shop', { hosts: ['::1'], ports: [6000] }],
  ['postgres://a,b:6000/shop', { hosts: ['a', 'b'], ports: [5432, 6000] }],
  ['postgres:///shop?host=a,b:6000&port=7000', { hosts: ['a', 'b'], ports: [7000, 6000] }],
  ['postgres:///shop?host=/run/postgresql', socket],
  ['postgres:///shop?host=%2Frun%2Fpostgresql', socket],
  ['postgres://app:pw@/shop?host=/run/postgresql', { ...socket, user: 'app', password: 'pw' }],
  ['postgres://%2Frun%2Fpostgresql/shop', socket],
  [
    'postgres://%2Frun%2Fpostgresql:6000/shop',
    { ...socket, ports: [6000], socketPath: '/run/postgresql/.s.PGSQL.6000' },
  ],
  ['postgres://db/shop?sslmode=disable', {}],
  ['postgres://db/shop?sslmode=prefer', { tls: 'prefer' }],
  ['postgres://db/shop?sslmode=require', { tls: 'require' }],
  [
    'postgres://db/shop?sslmode=verify-ca&sslrootcert=/ca.pem',
    { tls: 'verify-ca', rootCertificate: '/ca.pem' },
  ],
  ['postgres://db/shop?sslmode=verify-full', { tls: 'verify-full' }],
  ['postgres://db/shop?sslrootcert=system', { tls: 'verify-full' }],
  ['postgres://db/shop?target_session_attrs=any', {}],
  ['postgres://db/shop?target_session_attrs=primary', { target: 'primary' }],
  ['postgres://db/shop?target_session_attrs=read-write', { target: 'primary' }],
  ['postgres://db/shop?channel_binding=prefer', {}],
  ['postgres://db/shop?channel_binding=disable', {}],
])('%s is parsed', (url, parts) => {
  expect(parseDatabaseUrl(url)).toEqual({ ...standard, ...parts })
})

describe('a part that cannot be used is refused by its name:', () => {
  const canary = randomUUID()
  const shape = 'expected a postgres:// address'
  const noHost = `${shape} with a host: a name, an IP address or the folder of a socket`
  test.each([
    ['', 'is required'],
    [`mysql://${canary}`, shape],
    [`postgres://app:${canary}@host@db/shop`, shape],
    [`postgres://app:%zz${canary}@db/shop`, shape],
    // The protocol ends texts with NUL, so the user could contain further settings of the session.
    [`postgres://app%00options%00${canary}@db/shop`, shape],
    [`postgres:///${canary}`, noHost],
    [`postgres://db:port/${canary}`, noHost],
    [`postgres://db:65536/${canary}`, noHost],
    [`postgres://a,,b/${canary}`, noHost],
    [`postgres://db/${canary}?host=db`, 'host: name the hosts only once'],
    [`postgres:///${canary}?host=/run,db`, 'host: a Unix socket must be the only host'],
    [
      `postgres://db/shop?sslmode=${canary}`,
      'sslmode: expected disable, prefer, require, verify-ca or verify-full',
    ],
    [
      'postgres://db/shop?sslmode=allow',
      'sslmode: expected disable, prefer, require, verify-ca or verify-full',
    ],
    ['postgres:///shop?host=/run&sslmode=require', 'sslmode: a Unix socket has no TLS; remove it'],
    [`postgres://db/shop?sslmode=verify-full&sslrootcert=/${canary}`, 'sslrootcert: the file cannot be read'],
    ...['require', 'prefer', 'disable'].map((mode) => [
      `postgres://db/shop?sslmode=${mode}&sslrootcert=${import.meta.filename}`,
      'sslrootcert: has an effect only with sslmode=verify-full or, for a file, sslmode=verify-ca',
    ]),
    [
      'postgres://db/shop?sslmode=verify-ca&sslrootcert=system',
      'sslrootcert: has an effect only with sslmode=verify-full or, for a file, sslmode=verify-ca',
    ],
    [
      'postgres://db/shop?channel_binding=require',
      'channel_binding: is not supported; remove it and use sslmode=verify-full, which authenticates the server',
    ],
    ...['standby', 'read-only', 'prefer-standby', canary].map((target) => [
      `postgres://db/shop?target_session_attrs=${target}`,
      'target_session_attrs: expected any, primary or read-write, because the host writes',
    ]),
    [
      `postgres://db/shop?password=${canary}`,
      'password: write the password before the host, or set DATABASE_PASSWORD_FILE',
    ],
    [`postgres://db/shop?search_path=${canary}`, 'search_path: is not supported; remove it'],
    [`postgres://db/shop?statement_timeout=${canary}`, 'statement_timeout: is not supported; remove it'],
    [
      `postgres://db/shop?sslcert=${canary}`,
      'sslcert: client certificates are not supported; use a password',
    ],
    [`postgres://db/shop?${canary}=1`, 'contains an unknown parameter; remove it'],
    ['postgres://db/shop?constructor=1', 'constructor: is not supported; remove it'],
    ['postgres://db/shop?sslmode=require&sslmode=disable', 'sslmode: is given twice'],
  ])('%s', (url = '', problem) => {
    const problems = databaseUrlProblems(url)
    expect(problems).toEqual([problem])
    expect(problems.join()).not.toContain(canary)
  })
})

test('the configuration names the key with each problem', () => {
  const environment = {
    DATABASE_URL: 'postgres://a/b?channel_binding=require&options=x',
    DATABASE_POOLER: 'session',
    DATABASE_DIRECT_URL: 'postgres:///b',
  }
  expect(configurationProblems(() => readConfiguration(environment, readDatabaseConfig))).toEqual([
    expect.stringMatching(/^DATABASE_URL: channel_binding: is not supported/),
    'DATABASE_URL: options: the host sets its own limits and search path',
    expect.stringMatching(/^DATABASE_DIRECT_URL: expected a postgres:\/\/ address with a host/),
  ])
})
