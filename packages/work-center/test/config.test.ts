import { ConfigurationError, readConfiguration } from '@vertical-kit/core-audit'
import { readWorkCenterConfig } from '@vertical-kit/work-center'
import { expect, test } from 'vitest'

const dayMs = 24 * 60 * 60 * 1_000

const read = (environment: Readonly<Record<string, string>>) =>
  readConfiguration(environment, readWorkCenterConfig)

function problemsOf(environment: Readonly<Record<string, string>>): readonly string[] {
  try {
    read(environment)
    return []
  } catch (error) {
    if (error instanceof ConfigurationError) return error.problems
    throw error
  }
}

test('without a word everything has its standard', () => {
  expect(read({})).toEqual({
    outboxPollIntervalMs: 2_000,
    outboxBatchSize: 25,
    outboxMaxAttempts: 8,
    terminalTaskRetentionMs: 180 * dayMs,
    notificationRetentionMs: 30 * dayMs,
    outboxRetentionMs: 30 * dayMs,
  })
})

test.each([
  ['WorkCenter__OutboxPollInterval', '00:00:01', { outboxPollIntervalMs: 1_000 }],
  ['WorkCenter__OutboxPollInterval', '01:00:00', { outboxPollIntervalMs: dayMs / 24 }],
  ['WorkCenter__OutboxBatchSize', '1', { outboxBatchSize: 1 }],
  ['WorkCenter__OutboxBatchSize', '1000', { outboxBatchSize: 1_000 }],
  ['WorkCenter__OutboxMaxAttempts', '1', { outboxMaxAttempts: 1 }],
  ['WorkCenter__OutboxMaxAttempts', '100', { outboxMaxAttempts: 100 }],
  ['WorkCenter__TerminalTaskRetention', '00:00:01', { terminalTaskRetentionMs: 1_000 }],
  ['WorkCenter__NotificationRetention', '00:00:01', { notificationRetentionMs: 1_000 }],
  ['WorkCenter__OutboxRetention', '3650.00:00:00', { outboxRetentionMs: 3_650 * dayMs }],
])('%s takes %s', (key, value, expected) => {
  expect(read({ [key]: value })).toMatchObject(expected)
})

test.each([
  ['WorkCenter__OutboxPollInterval', '00:00:00'],
  ['WorkCenter__OutboxPollInterval', '01:00:01'],
  ['WorkCenter__OutboxBatchSize', '0'],
  ['WorkCenter__OutboxBatchSize', '1001'],
  ['WorkCenter__OutboxMaxAttempts', '0'],
  ['WorkCenter__OutboxMaxAttempts', '101'],
  ['WorkCenter__TerminalTaskRetention', '00:00:00'],
  ['WorkCenter__NotificationRetention', 'canary'],
  ['WorkCenter__OutboxRetention', '3650.00:00:01'],
])('%s refuses %s, and does not repeat it', (key, value) => {
  const problems = problemsOf({ [key]: value })
  expect(problems).toEqual([expect.stringMatching(new RegExp(`^${key}: expected`))])
  expect(problems.join()).not.toContain('canary')
})
