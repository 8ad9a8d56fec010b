import { readConfiguration } from '@vertical-kit/core-audit/host'
import { configurationProblems } from '@vertical-kit/core-audit/testing'
import { readWorkCenterConfig } from '@vertical-kit/work-center'
import { expect, test } from 'vitest'

const dayMs = 24 * 60 * 60 * 1_000

const read = (environment: Readonly<Record<string, string>>) =>
  readConfiguration(environment, readWorkCenterConfig)

const problemsOf = (environment: Readonly<Record<string, string>>) =>
  configurationProblems(() => read(environment))

test('an empty environment results in the default configuration', () => {
  expect(read({})).toEqual({
    terminalTaskRetentionMs: 180 * dayMs,
    notificationRetentionMs: 30 * dayMs,
  })
})

test.each([
  ['WorkCenter__TerminalTaskRetention', '00:00:01', { terminalTaskRetentionMs: 1_000 }],
  ['WorkCenter__NotificationRetention', '00:00:01', { notificationRetentionMs: 1_000 }],
])('%s accepts %s', (key, value, expected) => {
  expect(read({ [key]: value })).toMatchObject(expected)
})

test.each([
  ['WorkCenter__TerminalTaskRetention', '00:00:00'],
  ['WorkCenter__NotificationRetention', 'canary'],
])('%s rejects the value %s, and the error does not contain this value', (key, value) => {
  const problems = problemsOf({ [key]: value })
  expect(problems).toEqual([expect.stringMatching(new RegExp(`^${key}: expected`))])
  expect(problems.join()).not.toContain('canary')
})
