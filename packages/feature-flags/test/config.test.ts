import { type Environment, readConfiguration } from '@vertical-kit/core-audit/host'
import { configurationProblems } from '@vertical-kit/core-audit/testing'
import { createFeatureFlags, type FeatureDefinition, readFeatures } from '@vertical-kit/feature-flags'
import { describe, expect, test } from 'vitest'
import { attachments, notes } from './harness.ts'

const definitions = [notes, attachments, { ...notes, code: 'Trade__Returns' }]

const read = (environment: Environment, registered: readonly FeatureDefinition[] = definitions) =>
  readConfiguration(environment, (env) => readFeatures(env, registered))

const problemsOf = (environment: Environment, registered?: readonly FeatureDefinition[]) =>
  configurationProblems(() => read(environment, registered))

describe('readFeatures', () => {
  test.each<[environment: Environment, values: Record<string, boolean>]>([
    [{}, {}],
    [{ FeatureManagement__Notes: 'true' }, { Notes: true }],
    [
      { FeatureManagement__Notes: 'false', FeatureManagement__Attachments: 'True' },
      { Notes: false, Attachments: true },
    ],
    [{ FeatureManagement__Notes: ' TRUE ' }, { Notes: true }],
    [{ FeatureManagement__Notes: undefined }, {}],
    [{ FeatureManagement__Trade__Returns: 'true' }, { Trade__Returns: true }],
    [{ NOTES: 'true', FeatureManagementNotes: 'true' }, {}],
  ])('accepts the environment %j and returns the values %j', (environment, values) => {
    const registration = read(environment)
    expect(Object.fromEntries(registration.values)).toEqual(values)
    expect(createFeatureFlags(registration).features.map(({ code, enabled }) => [code, enabled])).toEqual(
      definitions.map(({ code }) => [code, values[code] ?? false]),
    )
  })
})

const nested = 'a feature is true or false; filters and variants are not supported'

describe('with an invalid environment, readFeatures', () => {
  test.each<[key: string, value: string, message: string]>([
    ['FeatureManagement__Note', 'true', 'unknown feature'],
    ['FeatureManagement__', 'true', 'unknown feature'],
    ['FeatureManagement__notes', 'true', 'wrong casing; the feature is Notes'],
    ['FeatureManagement__trade__returns', 'true', 'wrong casing; the feature is Trade__Returns'],
    ['FEATUREMANAGEMENT__Notes', 'true', 'wrong casing; the section is FeatureManagement'],
    ['featureManagement__Notes', 'false', 'wrong casing; the section is FeatureManagement'],
    ['FeatureManagement__Notes', '1', 'expected true or false'],
    ['FeatureManagement__Notes', 'yes', 'expected true or false'],
    ['FeatureManagement__Notes', '', 'expected true or false'],
    ['FeatureManagement__Notes', '{"EnabledFor":[]}', 'expected true or false'],
    ['FeatureManagement__Notes__EnabledFor__0__Name', 'Percentage', nested],
    ['FeatureManagement__Notes__EnabledFor__0__Parameters__Value', '50', nested],
    ['FeatureManagement__Notes__Variants__0__Name', 'blue', nested],
    ['FeatureManagement__Notes__Enabled', 'true', nested],
  ])('rejects %s=%s', (key, value, message) => {
    expect(problemsOf({ [key]: value })).toEqual([`${key}: ${message}`])
  })

  test('reports all problems together, and the messages contain the keys but no values', () => {
    const problems = problemsOf({
      FeatureManagement__Attachments: 'canary-1',
      FeatureManagement__notes: 'canary-2',
      FeatureManagement__Other: 'canary-3',
      FeatureManagement__Notes__EnabledFor__0__Name: 'canary-4',
    })
    expect(problems).toEqual([
      'FeatureManagement__Attachments: expected true or false',
      'FeatureManagement__notes: wrong casing; the feature is Notes',
      'FeatureManagement__Other: unknown feature',
      `FeatureManagement__Notes__EnabledFor__0__Name: ${nested}`,
    ])
    expect(problems.join()).not.toContain('canary')
  })
})

describe('with invalid definitions, readFeatures', () => {
  const malformed = 'a code contains only ASCII letters, digits, _ and -'

  test.each<[what: string, registered: readonly FeatureDefinition[], problem: string]>([
    ['a duplicate code', [notes, notes], 'FeatureManagement__Notes: registered twice'],
    [
      'two codes that differ only by case',
      [notes, { ...notes, code: 'NOTES' }],
      'FeatureManagement__NOTES: registered twice, also as Notes',
    ],
    [
      'a blank display name',
      [{ ...notes, displayName: ' ' }],
      'FeatureManagement__Notes: the display name is blank',
    ],
    ['a blank group', [{ ...notes, group: '' }], 'FeatureManagement__Notes: the group is blank'],
    ['a malformed code', [notes, { ...notes, code: 'No tes' }], `FeatureManagement__No tes: ${malformed}`],
  ])('reports %s', (_what, registered, problem) => {
    expect(problemsOf({ FeatureManagement__Notes: 'true' }, registered)).toEqual([problem])
  })

  test('reports the problems of the definitions and of the environment together', () => {
    const registered = [notes, { ...notes, group: ' ' }]
    expect(problemsOf({ FeatureManagement__Other: 'true' }, registered)).toEqual([
      'FeatureManagement__Notes: the group is blank',
      'FeatureManagement__Notes: registered twice',
      'FeatureManagement__Other: unknown feature',
    ])
  })
})
