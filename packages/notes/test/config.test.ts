import { type Environment, readConfiguration } from '@vertical-kit/core-audit/host'
import { configurationProblems } from '@vertical-kit/core-audit/testing'
import { type NotesConfig, readNotesConfig } from '@vertical-kit/notes'
import { expect, test } from 'vitest'

const read = (environment: Environment): NotesConfig => readConfiguration(environment, readNotesConfig)

const problemsOf = (environment: Environment) => configurationProblems(() => read(environment))

test('the default of Notes__MaxTextLength is 10,000 code points', () => {
  expect(read({})).toEqual({ maxTextChars: 10_000 })
})

test.each([
  ['1', 1],
  ['100000', 100_000],
  [' 250 ', 250],
])('Notes__MaxTextLength accepts %j', (value, maxTextChars) => {
  expect(read({ Notes__MaxTextLength: value })).toEqual({ maxTextChars })
})

test.each(['0', '100001', '-1', '1.5', '1e4', '10_000', 'canary'])(
  'Notes__MaxTextLength rejects %j, and the message does not contain the value',
  (value) => {
    expect(problemsOf({ Notes__MaxTextLength: value })).toEqual([
      'Notes__MaxTextLength: expected a whole number from 1 to 100000',
    ])
  },
)

test('unknown keys that start with Notes__ are reported, and the message suggests the correct casing', () => {
  expect(problemsOf({ Notes__MaxTextLenght: '5', NOTES__MAXTEXTLENGTH: '5', NotesElsewhere: '5' })).toEqual([
    'Notes__MaxTextLenght: unknown key',
    'NOTES__MAXTEXTLENGTH: unknown key; did you mean Notes__MaxTextLength?',
  ])
})
