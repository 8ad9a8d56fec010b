import { describe, expect, test } from 'vitest'
import { maxReasonChars, normalizeReason } from '../../src/policy.ts'
import { aCommand } from '../definitions.ts'
import { outcomeOf } from '../outcome.ts'

const asking = (mode: 'None' | 'Confirm' | 'RequireReason') =>
  aCommand({ confirmation: { mode, title: 'T', message: 'M', confirmLabel: 'C' } })
const requiring = asking('RequireReason')
const optional: readonly (readonly [string, ReturnType<typeof aCommand>])[] = [
  ['without a confirmation', aCommand()],
  ['with the mode None', asking('None')],
  ['with the mode Confirm', asking('Confirm')],
]

const normalize = (action: ReturnType<typeof aCommand>, reason: string | null) =>
  outcomeOf(() => normalizeReason(action, reason))

const invalid = { code: 'document_action.reason_invalid', context: { maxChars: 1_000 } }

test('the maximum length of a reason is 1,000 code points', () => {
  expect(maxReasonChars).toBe(1_000)
})

describe('a reason', () => {
  test.each<[what: string, given: string, kept: string]>([
    ['of one character', 'a', 'a'],
    ['with white space around it', '\n  Customer is bankrupt.\t ', 'Customer is bankrupt.'],
    ['of 1,000 code points', 'a'.repeat(1_000), 'a'.repeat(1_000)],
    ['of 1,000 code points outside the BMP', '😀'.repeat(1_000), '😀'.repeat(1_000)],
    ['of 1,000 code points and white space', ` ${'a'.repeat(1_000)} `, 'a'.repeat(1_000)],
    ['with line breaks inside', 'a\r\nb', 'a\r\nb'],
  ])('%s is accepted and trimmed', (_what, given, kept) => {
    for (const [, action] of [['', requiring] as const, ...optional]) {
      expect(normalize(action, given)).toBe(kept)
    }
  })

  test.each<[what: string, given: string]>([
    ['of 1,001 code points', 'a'.repeat(1_001)],
    ['of 1,001 code points outside the BMP', '😀'.repeat(1_001)],
    ['with U+0000', 'a\0b'],
    ['with a lone high surrogate', 'a\ud800'],
    ['with a lone low surrogate', '\udc00a'],
  ])('%s is rejected, even if the action does not require a reason', (_what, given) => {
    for (const [, action] of [['', requiring] as const, ...optional]) {
      expect(normalize(action, given)).toEqual(invalid)
    }
  })
})

describe('an action that requires a reason', () => {
  test('is rejected without a reason', () => {
    expect(normalize(requiring, null)).toBe('document_action.reason_required')
  })

  test.each(['', ' ', '\r\n\t', '\u3000', '\u0085'])('is rejected with the blank reason %j', (blank) => {
    expect(normalize(requiring, blank)).toEqual(invalid)
  })
})

describe.each(optional)('an action %s', (_what, action) => {
  test.each([null, '', ' \n'])('treats the reason %j as absent', (given) => {
    expect(normalize(action, given)).toBeNull()
  })
})
