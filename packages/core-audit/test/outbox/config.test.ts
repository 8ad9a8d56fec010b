import { createOutboxConsumer, createOutboxRetention } from '@vertical-kit/core-audit'
import { expect, test } from 'vitest'
import { checkConsumerConfig, checkRetentionConfig } from '../../src/outbox/config.ts'

const config = { pollIntervalMs: 2_000, batchSize: 25, maxAttempts: 8 }

test('a lease holds for a minute when nothing is said', () => {
  expect(checkConsumerConfig(config)).toEqual({ ...config, leaseMs: 60_000 })
})

test('retention looks at 500 events a transaction, every hour, when nothing is said', () => {
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
])('a consumer refuses %s %d, and names it', (name, value) => {
  const options = { database: {} as never, name: 'mail', healthName: 'mail', handle: async () => {} }
  const make = () => createOutboxConsumer({ ...options, config: { ...config, [name]: value } })
  expect(make).toThrow(new RegExp(`^${name}: expected a whole number`))
})

test.each([
  ['retentionMs', 0],
  ['batchSize', 0],
  ['intervalMs', -1],
])('retention refuses %s %d, and names it', (name, value) => {
  const make = () =>
    createOutboxRetention({ database: {} as never, config: { retentionMs: 1, [name]: value } })
  expect(make).toThrow(new RegExp(`^${name}: expected a whole number`))
})
