import { access, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { configurationProblems } from '@vertical-kit/core-audit/testing'
import { expect, onTestFinished, test } from 'vitest'
import { demoEnvironment, embeddedParts } from '../src/demo-environment.ts'
import { readDemoSettings } from '../src/demo-settings.ts'
import { dataFolder, externalStore, runDemo } from './demo-process.ts'

const problemsOf = (environment: Record<string, string>, argv: readonly string[] = []) =>
  configurationProblems(() => readDemoSettings(environment, argv))

test('a demo with an invalid configuration prints one line per problem on stderr, exits with code 78 and starts no service', async () => {
  const folder = await dataFolder()
  onTestFinished(folder.remove)
  const data = join(folder.path, 'data')
  const run = runDemo(
    {
      DEMO_DATA_DIR: data,
      PORT: 'http',
      IDENTITY_PORT: '65536',
      DATABASE_URL: 'mysql://root:canary-password@db/app',
      Oidc__Issuer: 'canary-issuer',
      Attachments__Storage__InternalEndpoint: 'https://canary-user:canary-key@store',
      Attachments__Storage__SecretKey: 'canary-secret',
      Attachments__MaxSizeByte: '10',
      Attachments__DownloadLifetime: '3 minutes',
      Notes__MaxTextLength: '0',
      RateLimit__WritesPerUser: '100',
      TRUSTED_PROXIES: 'proxy.local',
      DocumentActions__ExecutionRetention: '90 days',
      WorkCenter__OutboxPollInterval: '2 seconds',
      WorkCenter__OutboxBatchSize: '0',
      WorkCenter__OutboxMaxAttempts: '101',
      WorkCenter__NotificationRetention: '30 days',
      WorkCenter__TaskRetention: '180.00:00:00',
      WorkCenter__AllowedOrigins: 'https://pages.example/canary-path',
      WorkCenter__RealtimeDatabaseUrl: 'canary-host',
      FeatureManagement__attachments: 'true',
      FeatureManagement__Notes: 'yes',
      FeatureManagement__Chat: 'true',
    },
    ['--reset', '--fast'],
  )
  expect(await run.ended).toBe(78)
  expect(run.stdout()).toBe('')
  const lines = run.stderr().trimEnd().split('\n')
  expect(lines.map((line) => line.slice(0, line.indexOf(': '))).toSorted()).toEqual(
    [
      '--fast',
      '--reset',
      'Attachments__DownloadLifetime',
      'Attachments__MaxSizeByte',
      'Attachments__Storage__AccessKey',
      'Attachments__Storage__InternalEndpoint',
      'Attachments__Storage__PublicEndpoint',
      'DATABASE_URL',
      'DocumentActions__ExecutionRetention',
      'FeatureManagement__Chat',
      'FeatureManagement__Notes',
      'FeatureManagement__attachments',
      'IDENTITY_PORT',
      'Notes__MaxTextLength',
      'RateLimit__WritesPerUser',
      'TRUSTED_PROXIES',
      'Oidc__Audience',
      'Oidc__Issuer',
      'PORT',
      'WorkCenter__AllowedOrigins',
      'WorkCenter__NotificationRetention',
      'WorkCenter__OutboxBatchSize',
      'WorkCenter__OutboxMaxAttempts',
      'WorkCenter__OutboxPollInterval',
      'WorkCenter__RealtimeDatabaseUrl',
      'WorkCenter__TaskRetention',
    ].toSorted(),
  )
  expect(run.stderr()).not.toContain('canary')
  await expect(access(data)).rejects.toThrow()
})

test('a demo whose data folder cannot be created prints one line with the key and exits with code 1', async () => {
  const run = runDemo({ DEMO_DATA_DIR: '/proc/folder/demo' })
  expect(await run.ended).toBe(1)
  expect(run.stderr()).toBe('DEMO_DATA_DIR: this folder cannot be used (ENOENT). Change DEMO_DATA_DIR.\n')
})

test('a demo whose data folder is a file prints one line with the key and exits with code 1', async () => {
  const folder = await dataFolder()
  onTestFinished(folder.remove)
  const file = join(folder.path, 'file')
  await writeFile(file, '')
  const run = runDemo({ DEMO_DATA_DIR: file })
  expect(await run.ended).toBe(1)
  expect(run.stderr()).toBe('DEMO_DATA_DIR: this folder cannot be used (EEXIST). Change DEMO_DATA_DIR.\n')
})

const storage = (name: string) => `Attachments__Storage__${name}`

test.each([
  ['an invalid bucket name', { [storage('Bucket')]: '-x-' }, [storage('Bucket')]],
  [
    'a store with an HTTP address while insecure HTTP is not allowed',
    { [storage('AllowInsecureHttp')]: 'false' },
    [storage('InternalEndpoint'), storage('PublicEndpoint')],
  ],
  [
    'a stale age that is shorter than the upload lifetime',
    { Attachments__PendingStaleAge: '00:10:00' },
    ['Attachments__PendingStaleAge'],
  ],
  [
    'an external store without credentials and without a public address',
    { [storage('InternalEndpoint')]: 'https://store.example' },
    [storage('PublicEndpoint'), storage('AccessKey'), storage('SecretKey')],
  ],
  [
    'an external store on this machine with an HTTP address while insecure HTTP is not allowed',
    {
      [storage('InternalEndpoint')]: 'http://127.0.0.1:8082',
      [storage('PublicEndpoint')]: 'http://127.0.0.1:8082',
      [storage('AccessKey')]: 'theirs',
      [storage('SecretKey')]: 'their-secret',
    },
    [storage('InternalEndpoint'), storage('PublicEndpoint')],
  ],
  [
    'a blank value of a key that an external store requires',
    { ...externalStore('http://127.0.0.1:8082'), [storage('SecretKey')]: ' ' },
    [storage('SecretKey')],
  ],
  ['an external issuer without an audience', { Oidc__Issuer: 'https://issuer.example' }, ['Oidc__Audience']],
  ['an unknown log level', { LOG_LEVEL: 'loud' }, ['LOG_LEVEL']],
  [
    'a retention of the audit log in another form',
    { AuditLog__RetentionYears: '10 years' },
    ['AuditLog__RetentionYears'],
  ],
  ['a pool without connections', { DATABASE_POOL_MAX: '0' }, ['DATABASE_POOL_MAX']],
])('%s prevents the start of a demo', (_, environment, keys) => {
  expect(problemsOf(environment).map((problem) => problem.slice(0, problem.indexOf(': ')))).toEqual(keys)
})

test('a demo ignores the storage keys while attachments are off', () => {
  const environment = { FeatureManagement__Attachments: 'false', Attachments__Storage__Bucket: '-x-' }
  expect(problemsOf(environment)).toEqual([])
  expect(readDemoSettings(environment, []).host.attachments.storage).toBeNull()
})

test('a demo with an empty environment uses the default ports and enables both features', () => {
  const settings = readDemoSettings({}, [])
  expect(settings).toMatchObject({
    identityPort: 8081,
    objectStorePort: 8082,
    startsEmpty: false,
    embedded: { database: true, objectStore: true, identityProvider: true },
    host: {
      server: { host: '127.0.0.1', port: 8080 },
      oidc: {
        audience: 'vertical-kit',
        rolesClaim: 'roles',
        administratorRole: 'platform-admin',
        roleMap: new Map(),
      },
      outbox: { pollIntervalMs: 2_000, batchSize: 25, maxAttempts: 8, retentionMs: 30 * 86_400_000 },
      workCenter: {
        terminalTaskRetentionMs: 180 * 86_400_000,
        notificationRetentionMs: 30 * 86_400_000,
      },
      realtime: { allowedOrigins: [], databaseUrl: null, maxConnectionsPerUser: 20, checkIntervalMs: 5_000 },
      attachments: {
        storage: { bucket: 'vertical-kit-attachments', accessKey: 'demo', secretKey: 'demo-secret-key' },
      },
    },
  })
  expect([...settings.host.features.values]).toEqual([
    ['Attachments', true],
    ['Notes', true],
  ])
  expect(settings.dataDirectory).toMatch(/\/\.demo$/)
})

test('while attachments are off, an external store requires no credentials', () => {
  const environment = {
    FeatureManagement__Attachments: 'false',
    [storage('InternalEndpoint')]: 'https://store.example',
  }
  expect(problemsOf(environment)).toEqual([])
})

test('a demo with external services uses only configured values and no defaults for embedded services', () => {
  const given = {
    Oidc__Issuer: 'https://issuer.example',
    Oidc__Audience: 'api',
    [storage('InternalEndpoint')]: 'https://store.example',
    [storage('PublicEndpoint')]: 'https://files.example',
    [storage('AccessKey')]: 'theirs',
    [storage('SecretKey')]: 'their-secret',
  }
  expect(readDemoSettings(given, []).host).toMatchObject({
    oidc: { issuer: 'https://issuer.example', audience: 'api' },
    attachments: {
      storage: {
        internalEndpoint: 'https://store.example',
        publicEndpoint: 'https://files.example',
        accessKey: 'theirs',
        secretKey: 'their-secret',
      },
    },
  })
})

test('a demo keeps configured values and treats blank values like missing values', () => {
  const addresses = {
    databaseUrl: 'postgres://own/db',
    objectStore: 'http://own',
    issuer: 'http://own-issuer',
    mail: 'smtp://127.0.0.1:2525',
  }
  const environment = demoEnvironment(
    { DATABASE_URL: ' ', Attachments__Storage__PublicEndpoint: 'http://theirs', Oidc__Audience: 'api' },
    addresses,
  )
  expect(environment).toMatchObject({
    DATABASE_URL: addresses.databaseUrl,
    Oidc__Issuer: addresses.issuer,
    Oidc__Audience: 'api',
    Attachments__Storage__InternalEndpoint: addresses.objectStore,
    Attachments__Storage__PublicEndpoint: 'http://theirs',
    Attachments__Storage__AccessKey: 'demo',
    Mail__Host: '127.0.0.1',
    Mail__Port: '2525',
  })
  expect(embeddedParts({ DATABASE_URL: ' ', Oidc__Issuer: 'http://theirs' })).toEqual({
    database: true,
    objectStore: true,
    identityProvider: false,
    mail: true,
  })
})

test('a demo accepts --reset with and without a preceding separator --', () => {
  expect(readDemoSettings({}, ['--reset']).startsEmpty).toBe(true)
  expect(readDemoSettings({}, ['--', '--reset']).startsEmpty).toBe(true)
})
