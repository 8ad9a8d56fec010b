import { createFeatureFlags, type FeatureRegistration } from '@vertical-kit/feature-flags'
import { describe, expect, test } from 'vitest'
import { attachments, notes } from './harness.ts'

const off = new Map<string, boolean>()

/** Registers the features. Returns the lines of the error message without its heading, or an empty list. */
function problemsOf(registration: FeatureRegistration): readonly string[] {
  try {
    createFeatureFlags(registration)
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    const [heading, ...problems] = error.message.split('\n')
    expect(heading).toBe('The features cannot be registered:')
    return problems
  }
  return []
}

const malformed = 'a code contains only ASCII letters, digits, _ and -'

describe('createFeatureFlags', () => {
  test.each<[what: string, registration: FeatureRegistration, problem: string]>([
    ['a duplicate code', { definitions: [notes, notes], values: off }, 'Notes: registered twice'],
    [
      'two codes that differ only by case',
      { definitions: [notes, { ...notes, code: 'NOTES' }], values: off },
      'NOTES: registered twice, also as Notes',
    ],
    [
      'a blank display name',
      { definitions: [{ ...notes, displayName: ' \t' }], values: off },
      'Notes: the display name is blank',
    ],
    ['a blank group', { definitions: [{ ...notes, group: '' }], values: off }, 'Notes: the group is blank'],
    ['an empty code', { definitions: [{ ...notes, code: '' }], values: off }, `: ${malformed}`],
    [
      'a value for an unknown code',
      { definitions: [notes], values: new Map([['Attachments', true]]) },
      'Attachments: unknown feature',
    ],
    [
      'a value for a code in wrong casing',
      { definitions: [notes], values: new Map([['notes', false]]) },
      'notes: wrong casing; the feature is Notes',
    ],
  ])('rejects %s', (_what, registration, problem) => {
    expect(problemsOf(registration)).toEqual([problem])
  })

  test.each(['No tes', 'Notes.v2', 'Nötes', 'Notes:v2', 'Notes\n', ' Notes', '٣'])(
    'rejects the malformed code %j',
    (code) => {
      expect(problemsOf({ definitions: [{ ...notes, code }], values: off })).toEqual(
        `${code}: ${malformed}`.split('\n'),
      )
    },
  )

  test('reports all problems of a registration together', () => {
    const definitions = [notes, { code: 'notes', displayName: '', group: ' ' }]
    expect(
      problemsOf({
        definitions,
        values: new Map([
          ['Other', true],
          ['NOTES', true],
        ]),
      }),
    ).toEqual([
      'notes: the display name is blank',
      'notes: the group is blank',
      'notes: registered twice, also as Notes',
      'Other: unknown feature',
      'NOTES: wrong casing; the feature is Notes',
    ])
  })
})

test.each(['A', '0', '_', '-', 'trade_returns-2', 'A__B', '__proto__', 'constructor'])(
  'the code %j can be registered and turned on',
  (code) => {
    const definitions = [{ ...notes, code }]
    expect(createFeatureFlags({ definitions, values: off }).isEnabled(code)).toBe(false)
    expect(createFeatureFlags({ definitions, values: new Map([[code, true]]) }).isEnabled(code)).toBe(true)
  },
)

describe('a later registration', () => {
  const values = new Map([['Notes', true]])
  const flags = createFeatureFlags({ definitions: [notes, attachments], values })

  test('is accepted if it contains the same features in a different order', () => {
    flags.registerAgain({ definitions: [{ ...attachments }, { ...notes }], values: new Map(values) })
    expect(flags.features.map(({ code, enabled }) => [code, enabled])).toEqual([
      ['Notes', true],
      ['Attachments', false],
    ])
  })

  test('is accepted if it contains only some features of the first registration', () => {
    flags.registerAgain({ definitions: [notes], values })
    expect(flags.features).toHaveLength(2)
  })

  test.each<[what: string, registration: FeatureRegistration, problem: string]>([
    [
      'contains a new feature',
      { definitions: [notes, { ...notes, code: 'Returns' }], values },
      'Returns: the first registration does not contain it',
    ],
    ['turns a feature off that was on', { definitions: [notes], values: off }, 'Notes: is already on'],
    [
      'turns a feature on that was off',
      { definitions: [attachments], values: new Map([['Attachments', true]]) },
      'Attachments: is already off',
    ],
    [
      'changes the display name of a feature',
      { definitions: [{ ...notes, displayName: 'Remarks' }], values },
      'Notes: is already registered with another display name or group',
    ],
    [
      'changes the group of a feature',
      { definitions: [{ ...notes, group: 'Content' }], values },
      'Notes: is already registered with another display name or group',
    ],
  ])('is rejected if it %s', (_what, registration, problem) => {
    expect(() => flags.registerAgain(registration)).toThrow(
      new TypeError(`A later registration cannot change features:\n${problem}`),
    )
    expect(flags.features.map(({ code }) => code)).toEqual(['Notes', 'Attachments'])
    expect([flags.isEnabled('Notes'), flags.isEnabled('Attachments')]).toEqual([true, false])
  })

  test('is rejected if it contains duplicate definitions', () => {
    expect(() => flags.registerAgain({ definitions: [notes, notes], values })).toThrow(TypeError)
  })
})
