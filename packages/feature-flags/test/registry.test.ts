import { createFeatureFlags, type FeatureRegistration } from '@vertical-kit/feature-flags'
import { describe, expect, test } from 'vitest'
import { attachments, notes } from './harness.ts'

const off = new Map<string, boolean>()

/** What a registration is refused with, line by line, without the heading. */
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

const malformed = 'a code is made of ASCII letters, digits, _ and -'

describe('a registration is refused', () => {
  test.each<[what: string, registration: FeatureRegistration, problem: string]>([
    ['a code twice', { definitions: [notes, notes], values: off }, 'Notes: registered twice'],
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
      'a value of an unknown code',
      { definitions: [notes], values: new Map([['Attachments', true]]) },
      'Attachments: unknown feature',
    ],
    [
      'a value of a code in another casing',
      { definitions: [notes], values: new Map([['notes', false]]) },
      'notes: wrong casing; the feature is Notes',
    ],
  ])('for %s', (_what, registration, problem) => {
    expect(problemsOf(registration)).toEqual([problem])
  })

  test.each(['No tes', 'Notes.v2', 'Nötes', 'Notes:v2', 'Notes\n', ' Notes', '٣'])(
    'for the malformed code %j',
    (code) => {
      expect(problemsOf({ definitions: [{ ...notes, code }], values: off })).toEqual(
        `${code}: ${malformed}`.split('\n'),
      )
    },
  )

  test('with everything that is wrong, at once', () => {
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
  'the code %j can be registered and switched',
  (code) => {
    const definitions = [{ ...notes, code }]
    expect(createFeatureFlags({ definitions, values: off }).isEnabled(code)).toBe(false)
    expect(createFeatureFlags({ definitions, values: new Map([[code, true]]) }).isEnabled(code)).toBe(true)
  },
)

describe('a later registration', () => {
  const values = new Map([['Notes', true]])
  const flags = createFeatureFlags({ definitions: [notes, attachments], values })

  test('changes nothing when it says the same, in any order', () => {
    flags.registerAgain({ definitions: [{ ...attachments }, { ...notes }], values: new Map(values) })
    expect(flags.features.map(({ code, enabled }) => [code, enabled])).toEqual([
      ['Notes', true],
      ['Attachments', false],
    ])
  })

  test('may say a part of the first', () => {
    flags.registerAgain({ definitions: [notes], values })
    expect(flags.features).toHaveLength(2)
  })

  test.each<[what: string, registration: FeatureRegistration, problem: string]>([
    [
      'another feature',
      { definitions: [notes, { ...notes, code: 'Returns' }], values },
      'Returns: was not registered at first',
    ],
    ['a feature that was on and now is off', { definitions: [notes], values: off }, 'Notes: is on already'],
    [
      'a feature that was off and now is on',
      { definitions: [attachments], values: new Map([['Attachments', true]]) },
      'Attachments: is off already',
    ],
    [
      'another display name',
      { definitions: [{ ...notes, displayName: 'Remarks' }], values },
      'Notes: has another display name or group already',
    ],
    [
      'another group',
      { definitions: [{ ...notes, group: 'Content' }], values },
      'Notes: has another display name or group already',
    ],
  ])('is refused for %s', (_what, registration, problem) => {
    expect(() => flags.registerAgain(registration)).toThrow(
      new TypeError(`Features are registered once, at the start:\n${problem}`),
    )
    expect(flags.features.map(({ code }) => code)).toEqual(['Notes', 'Attachments'])
    expect([flags.isEnabled('Notes'), flags.isEnabled('Attachments')]).toEqual([true, false])
  })

  test('is refused for what a first one would be refused for', () => {
    expect(() => flags.registerAgain({ definitions: [notes, notes], values })).toThrow(TypeError)
  })
})
