import { describe, expect, test } from 'vitest'
import { readIdempotencyKey } from '../../src/idempotency/idempotency-key.ts'
import { outcomeOf } from '../outcome.ts'

const read = (header: string | undefined) => outcomeOf(() => readIdempotencyKey(header))

const visible = Array.from({ length: 0x7e - 0x21 + 1 }, (_, index) => String.fromCharCode(0x21 + index)).join(
  '',
)

describe('a bare key', () => {
  test.each<[what: string, header: string, key: string]>([
    ['of one character', 'a', 'a'],
    ['of 200 characters', 'a'.repeat(200), 'a'.repeat(200)],
    ['of every visible character', visible, visible],
    ['a UUID', '01980a4c-7f5e-7c1e-b5a5-5b0f3d9e8a77', '01980a4c-7f5e-7c1e-b5a5-5b0f3d9e8a77'],
    ['white space around it', ' \tabc\t ', 'abc'],
    ['one quote, which opens no string', '"abc', '"abc'],
    ['a backslash', 'a\\b', 'a\\b'],
    ['upper case, which is kept', 'ABC', 'ABC'],
  ])('%s', (_what, header, key) => {
    expect(read(header)).toBe(key)
  })
})

describe('a structured-field string', () => {
  test.each<[what: string, header: string, key: string]>([
    ['is the key inside', '"abc"', 'abc'],
    ['has escaped quotes', String.raw`"a\"b"`, 'a"b'],
    ['has escaped backslashes', String.raw`"a\\b"`, String.raw`a\b`],
    ['has a backslash before a quote', String.raw`"a\\\"b"`, String.raw`a\"b`],
    ['holds 200 characters', `"${'a'.repeat(200)}"`, 'a'.repeat(200)],
    ['counts an escape as one character', `"${'\\"'.repeat(200)}"`, '"'.repeat(200)],
    ['may have white space around it', ' "abc" ', 'abc'],
  ])('%s', (_what, header, key) => {
    expect(read(header)).toBe(key)
  })
})

test.each<[what: string, header: string | undefined]>([
  ['none', undefined],
  ['an empty one', ''],
  ['white space', ' \t '],
])('%s is no key', (_what, header) => {
  expect(read(header)).toBe('document_action.idempotency_key_required')
})

test.each<[what: string, header: string]>([
  ['201 characters', 'a'.repeat(201)],
  ['201 characters in quotes', `"${'a'.repeat(201)}"`],
  ['a space inside', 'a b'],
  ['a space inside of quotes', '"a b"'],
  ['nothing in quotes', '""'],
  ['a tab', 'a\tb'],
  ['a line break', 'a\nb'],
  ['U+0000', 'a\0b'],
  ['DEL', 'a\u007fb'],
  ['a letter outside of ASCII', 'ä'],
  ['an emoji', '😀'],
  ['a no-break space', 'a\u00a0b'],
  // What a server makes of a header that was sent twice.
  ['two keys', 'a, b'],
  ['two keys in quotes', '"a", "b"'],
])('%s is no valid key', (_what, header) => {
  expect(read(header)).toBe('document_action.idempotency_key_invalid')
})
