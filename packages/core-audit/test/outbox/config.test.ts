import { ConfigurationError, readConfiguration } from '@vertical-kit/core-audit/host'
import { outboxDefaults, readOutboxConfig } from '@vertical-kit/core-audit/outbox'
import { expect, test } from 'vitest'
import { checkConsumerConfig, checkRetentionConfig } from '../../src/outbox/config.ts'
import { createOutboxConsumer } from '../../src/outbox/consumer.ts'
import { createOutboxRetention } from '../../src/outbox/retention.ts'

const config = { pollIntervalMs: 2_000, batchSize: 25, maxAttempts: 8 }

test('the default lease is one minute', () => {
  expect(checkConsumerConfig(config)).toEqual({ ...config, leaseMs: 60_000 })
})

test('by default, the retention worker reads 500 events in each transaction and runs every hour', () => {
  expect(checkRetentionConfig({ retentionMs: 1 })).toEqual({
    retentionMs: 1,
    batchSize: 500,
    intervalMs: 3_600_000,
  })
})

test.each([
  ['pollIntervalMs', 0],
  ['batchSize', 0],
  ['batchSize', 1_001],
  ['batchSize', 2.5],
  ['maxAttempts', 0],
  ['leaseMs', Number.NaN],
])('a consumer rejects the option %s with the value %d, and the error names the option', (name, value) => {
  const options = { database: {} as never, name: 'mail', healthName: 'mail', handle: async () => {} }
  const make = () => createOutboxConsumer({ ...options, config: { ...config, [name]: value } })
  expect(make).toThrow(new RegExp(`^${name}: expected a whole number`))
})

test.each([
  ['retentionMs', 0],
  ['batchSize', 0],
  ['intervalMs', -1],
])(
  'the retention worker rejects the option %s with the value %d, and the error names the option',
  (name, value) => {
    const make = () =>
      createOutboxRetention({ database: {} as never, config: { retentionMs: 1, [name]: value } })
    expect(make).toThrow(new RegExp(`^${name}: expected a whole number`))
  },
)

const read = (environment: Readonly<Record<string, string>>) =>
  readConfiguration(environment, readOutboxConfig)

test('an empty environment selects the defaults', () => {
  expect(read({})).toEqual(outboxDefaults)
  expect(outboxDefaults).toEqual({ ...config, retentionMs: 30 * 86_400_000 })
})

test.each([
  ['WorkCenter__OutboxPollInterval', '00:00:01', { pollIntervalMs: 1_000 }],
  ['WorkCenter__OutboxPollInterval', '01:00:00', { pollIntervalMs: 3_600_000 }],
  ['WorkCenter__OutboxBatchSize', '1', { batchSize: 1 }],
  ['WorkCenter__OutboxBatchSize', '1000', { batchSize: 1_000 }],
  ['WorkCenter__OutboxMaxAttempts', '1', { maxAttempts: 1 }],
  ['WorkCenter__OutboxMaxAttempts', '100', { maxAttempts: 100 }],
  ['WorkCenter__OutboxRetention', '3650.00:00:00', { retentionMs: 3_650 * 86_400_000 }],
])('%s accepts %s', (key, value, expected) => {
  expect(read({ [key]: value })).toMatchObject(expected)
})

test.each([
  ['WorkCenter__OutboxPollInterval', '00:00:00'],
  ['WorkCenter__OutboxPollInterval', '01:00:01'],
  ['WorkCenter__OutboxBatchSize', '0'],
  ['WorkCenter__OutboxBatchSize', '1001'],
  ['WorkCenter__OutboxMaxAttempts', '0'],
  ['WorkCenter__OutboxMaxAttempts', '101'],
  ['WorkCenter__OutboxRetention', '3650.00:00:01'],
])('%s rejects %s', (key, value) => {
  expect(() => read({ [key]: value })).toThrow(ConfigurationError)
})
