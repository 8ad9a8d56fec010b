import { readAttachmentsConfig } from '@vertical-kit/attachments'
import { readConfiguration } from '@vertical-kit/core-audit/host'
import { configurationProblems } from '@vertical-kit/core-audit/testing'
import { expect, test } from 'vitest'

const required = {
  Attachments__Storage__InternalEndpoint: 'https://store.internal:9000',
  Attachments__Storage__PublicEndpoint: 'https://files.example.com',
  Attachments__Storage__AccessKey: 'an-access-key',
  Attachments__Storage__SecretKey: 'a-secret-canary',
}

const read = (environment: Record<string, string>, isEnabled = true) =>
  readConfiguration(environment, (env) => readAttachmentsConfig(env, { isEnabled }))

const readEnabled = (environment: Record<string, string>) => read({ ...required, ...environment })

test('endpoints and credentials are the only required settings; all others have defaults', () => {
  expect(read(required)).toEqual({
    maxSizeBytes: 52_428_800,
    maxActivePerObject: 100,
    maxPendingPerUser: null,
    uploadLifetimeMs: 600_000,
    downloadLifetimeMs: 180_000,
    pendingStaleAgeMs: 86_400_000,
    clamd: null,
    scanTimeoutMs: 300_000,
    expirationBatchSize: 25,
    isUploadExpirationEnabled: false,
    storage: {
      internalEndpoint: 'https://store.internal:9000',
      publicEndpoint: 'https://files.example.com',
      region: 'us-east-1',
      bucket: 'vertical-kit-attachments',
      accessKey: 'an-access-key',
      secretKey: 'a-secret-canary',
      requestTimeoutMs: 30_000,
      storesAuditAnchors: false,
    },
  })
})

test.each([
  ['MaxSizeBytes', ['1', '5368709120'], ['0', '5368709121', '-1', '1.5', 'x']],
  ['MaxActivePerObject', ['1', '1000'], ['0', '1001']],
  ['MaxPendingPerUser', ['0', '10000'], ['-1', '10001']],
  ['UploadLifetime', ['00:01:00', '01:00:00'], ['00:00:59', '01:00:01', '10', '1h']],
  ['DownloadLifetime', ['00:00:30', '00:15:00'], ['00:00:29', '00:15:01']],
  ['PendingStaleAge', ['00:15:00', '7.00:00:00'], ['00:14:59', '7.00:00:01']],
  ['ExpirationBatchSize', ['1', '100'], ['0', '101']],
  ['ScanTimeout', ['00:00:10', '01:00:00'], ['00:00:09', '01:00:01']],
  [
    'Clamd',
    ['', 'clamav:3310', '127.0.0.1:1', '[::1]:65535', '/run/clamav/clamd.ctl'],
    ['clamav', 'clamav:', 'clamav:0', 'clamav:65536', 'tcp://clamav:3310', 'run/clamd.ctl'],
  ],
  ['UploadExpirationEnabled', ['true', 'False'], ['1', 'yes']],
  ['Storage__RequestTimeoutSeconds', ['1', '120'], ['0', '121']],
  ['Storage__Region', ['eu-central-1', 'default', 'zone_1'], ['a/b', 'a b']],
  [
    'Storage__Bucket',
    ['abc', 'a-1', 'b'.repeat(63)],
    ['ab', 'b'.repeat(64), 'Abc', 'a.b', '-ab', 'ab-', 'a_b'],
  ],
  ['Storage__AllowInsecureHttp', ['true', 'false'], ['1']],
  ['Storage__AuditAnchors', ['true', 'False'], ['1']],
] as const)('Attachments__%s accepts documented values and rejects all others', (name, good, bad) => {
  const key = `Attachments__${name}`
  for (const value of good) expect(configurationProblems(() => readEnabled({ [key]: value }))).toEqual([])
  for (const value of bad) {
    expect(configurationProblems(() => readEnabled({ [key]: value }))).toEqual([
      expect.stringMatching(`^${key}: expected`),
    ])
  }
})

test.each([
  ['clamav:3310', { host: 'clamav', port: 3310 }],
  ['[::1]:3310', { host: '::1', port: 3310 }],
  ['/run/clamav/clamd.ctl', { path: '/run/clamav/clamd.ctl' }],
])('the address of ClamAV %s is %j', (value, clamd) => {
  expect(readEnabled({ Attachments__Clamd: value })).toMatchObject({ clamd })
})

test('PendingStaleAge must be at least five minutes longer than UploadLifetime', () => {
  const age = (value: string) => ({
    Attachments__UploadLifetime: '01:00:00',
    Attachments__PendingStaleAge: value,
  })
  expect(readEnabled(age('01:05:00'))).toMatchObject({ pendingStaleAgeMs: 3_900_000 })
  expect(configurationProblems(() => readEnabled(age('01:04:59')))).toEqual([
    'Attachments__PendingStaleAge: expected a duration [d.]hh:mm:ss from 01:05:00 to 7.00:00:00',
  ])
})

test.each([
  ['https://store.example.com', 'https://store.example.com'],
  ['https://Store.Example.com:8443/', 'https://store.example.com:8443'],
  ['https://10.0.0.1:9000', 'https://10.0.0.1:9000'],
  ['https://[::1]:9000', 'https://[::1]:9000'],
])('the endpoint %s is read as %s', (value, origin) => {
  const { storage } = readEnabled({ Attachments__Storage__PublicEndpoint: value })
  expect(storage?.publicEndpoint).toBe(origin)
})

test.each([
  'http://store.example.com',
  'store.example.com',
  '//store.example.com',
  'https://store.example.com/prefix',
  'https://store.example.com//',
  'https://user@store.example.com',
  'https://user:password@store.example.com',
  'https://store.example.com?',
  'https://store.example.com?x=1',
  'https://store.example.com#',
  'https://store.example.com\\prefix',
  'https://store.example.com:99999',
  'https://',
  'ftp://store.example.com',
])('neither the internal nor the public endpoint can be %s', (value) => {
  for (const key of ['Attachments__Storage__InternalEndpoint', 'Attachments__Storage__PublicEndpoint']) {
    expect(configurationProblems(() => readEnabled({ [key]: value }))).toEqual([
      `${key}: expected an https address without path, user, query or fragment`,
    ])
  }
})

test('an http endpoint is accepted only if AllowInsecureHttp is true', () => {
  const http = { Attachments__Storage__InternalEndpoint: 'http://127.0.0.1:9000' }
  expect(configurationProblems(() => readEnabled(http))).toHaveLength(1)
  const { storage } = readEnabled({ ...http, Attachments__Storage__AllowInsecureHttp: 'true' })
  expect(storage?.internalEndpoint).toBe('http://127.0.0.1:9000')
})

test('if AllowInsecureHttp is invalid, http endpoints are not reported as further problems', () => {
  const wrong = { Attachments__Storage__AllowInsecureHttp: 'yes' }
  const endpoint = 'Attachments__Storage__InternalEndpoint'
  const problem = 'Attachments__Storage__AllowInsecureHttp: expected true or false'
  expect(configurationProblems(() => readEnabled({ ...wrong, [endpoint]: 'http://127.0.0.1:9000' }))).toEqual(
    [problem],
  )
  expect(
    configurationProblems(() => readEnabled({ ...wrong, [endpoint]: 'http://127.0.0.1:9000/prefix' })),
  ).toEqual([problem, expect.stringMatching(`^${endpoint}: expected`)])
})

test('one error lists every missing key', () => {
  expect(configurationProblems(() => read({}))).toEqual([
    'Attachments__Storage__InternalEndpoint: is required',
    'Attachments__Storage__PublicEndpoint: is required',
    'Attachments__Storage__AccessKey: is required',
    'Attachments__Storage__SecretKey: is required',
  ])
})

test('the reported problems contain no configured value', () => {
  const problems = configurationProblems(() =>
    readEnabled({
      Attachments__Storage__PublicEndpoint: 'https://canary:canary@canary',
      Attachments__Storage__Bucket: 'CANARY',
      Attachments__Storage__SecretKey: ' ',
      Attachments__Storage__Region: 'canary/canary',
      Attachments__MaxSizeBytes: 'canary',
    }),
  )
  expect(problems).toHaveLength(5)
  expect(problems.join('\n')).not.toMatch(/canary/i)
})

test('while the feature is off, storage keys are ignored, but other keys are still validated', () => {
  const environment = {
    Attachments__Storage__InternalEndpoint: 'nonsense',
    Attachments__Storage__Bucket: '!',
  }
  expect(read(environment, false).storage).toBeNull()
  expect(read({}, false).storage).toBeNull()
  expect(
    configurationProblems(() => read({ ...environment, Attachments__MaxSizeBytes: '0' }, false)),
  ).toHaveLength(1)
})

test('anchors of the audit log cannot be stored while the feature is off', () => {
  const key = 'Attachments__Storage__AuditAnchors'
  expect(configurationProblems(() => read({ [key]: 'true' }, false))).toEqual([
    `${key}: stores no anchors without FeatureManagement__Attachments=true`,
  ])
  expect(read({ [key]: 'false' }, false).storage).toBeNull()
})

test.each([true, false])('misspelt keys are reported if isEnabled is %s', (isEnabled) => {
  const environment = { ...required, Attachments__MaxSizeByte: '1', Attachments__Storage__Buckets: 'x' }
  expect(configurationProblems(() => read(environment, isEnabled))).toEqual([
    'Attachments__MaxSizeByte: unknown key',
    'Attachments__Storage__Buckets: unknown key',
  ])
})
