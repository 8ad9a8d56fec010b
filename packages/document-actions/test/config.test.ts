import { type Environment, readConfiguration } from '@vertical-kit/core-audit/host'
import { configurationProblems } from '@vertical-kit/core-audit/testing'
import { type DocumentActionsConfig, readDocumentActionsConfig } from '@vertical-kit/document-actions'
import { expect, test } from 'vitest'
import { dayMs } from './harness.ts'

const read = (environment: Environment): DocumentActionsConfig =>
  readConfiguration(environment, readDocumentActionsConfig)

const problemsOf = (environment: Environment) => configurationProblems(() => read(environment))

test('the default retention of executions is 90 days', () => {
  expect(read({})).toEqual({ executionRetentionMs: 90 * dayMs })
})

test.each([
  ['00:00:01', 1_000],
  ['7.00:00:00', 7 * dayMs],
  ['3650.00:00:00', 3_650 * dayMs],
])('DocumentActions__ExecutionRetention accepts %j', (value, executionRetentionMs) => {
  expect(read({ DocumentActions__ExecutionRetention: value })).toEqual({ executionRetentionMs })
})

test.each(['00:00:00', '3650.00:00:01', '-01:00:00', '90', '90d', 'canary'])(
  'DocumentActions__ExecutionRetention rejects %j without repeating the value',
  (value) => {
    const problems = problemsOf({ DocumentActions__ExecutionRetention: value })
    expect(problems).toHaveLength(1)
    expect(problems[0]).toMatch(/^DocumentActions__ExecutionRetention: expected a duration/)
    expect(problems[0]).not.toContain(`"${value}"`)
  },
)

test('an unknown key of the section is reported with the most similar known key', () => {
  expect(problemsOf({ DOCUMENTACTIONS__EXECUTIONRETENTION: '1.00:00:00' })).toEqual([
    'DOCUMENTACTIONS__EXECUTIONRETENTION: unknown key; did you mean DocumentActions__ExecutionRetention?',
  ])
})
