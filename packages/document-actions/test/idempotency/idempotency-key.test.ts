import { describe, expect, test } from 'vitest'
import { readIdempotencyKey } from '../../src/idempotency/idempotency-key.ts'
import { outcomeOf } from '../outcome.ts'

const read = (header: string | undefined) => outcomeOf(() => readIdempotencyKey(header))

const visible = Array.from({ length: 0x7e - 0x21 + 1 }, (_, index) => String.fromCharCode(0x21 + index)).join(
  '',
)

describe('a bare key', () => {
  test.each<[what: string, header: string, key: string]>([
    ['can have one character', 'a', 'a'],
    ['can have 200 characters', 'a'.repeat(200), 'a'.repeat(200)],
    ['can contain every visible character', visible, visible],
    ['can be a UUID', '01980a4c-7f5e-7c1e-b5a5-5b0f3d9e8a77', '01980a4c-7f5e-7c1e-b5a5-5b0f3d9e8a77'],
    ['is read without surrounding white space', ' \tabc\t ', 'abc'],
    ['can start with an unpaired quote', '"abc', '"abc'],
    ['can contain a backslash', 'a\\b', 'a\\b'],
    ['keeps upper case', 'ABC', 'ABC'],
  ])('%s', (_what, header, key) => {
    expect(read(header)).toBe(key)
  })
})

describe('a structured-field string', () => {
  test.each<[what: string, header: string, key: string]>([
    ['contains the key', '"abc"', 'abc'],
    ['can contain escaped quotes', String.raw`"a\"b"`, 'a"b'],
    ['can contain escaped backslashes', String.raw`"a\\b"`, String.raw`a\b`],
    ['can contain a backslash before a quote', String.raw`"a\\\"b"`, String.raw`a\"b`],
    ['can contain 200 characters', `"${'a'.repeat(200)}"`, 'a'.repeat(200)],
    ['counts an escape as one character', `"${'\\"'.repeat(200)}"`, '"'.repeat(200)],
    ['is read without surrounding white space', ' "abc" ', 'abc'],
  ])('%s', (_what, header, key) => {
    expect(read(header)).toBe(key)
  })
})

test.each<[what: string, header: string | undefined]>([
  ['no header', undefined],
  ['an empty header', ''],
  ['a header of white space', ' \t '],
])('%s counts as a missing key', (_what, header) => {
  expect(read(header)).toBe('document_action.idempotency_key_required')
})

test.each<[what: string, header: string]>([
  ['201 characters', 'a'.repeat(201)],
  ['201 characters in quotes', `"${'a'.repeat(201)}"`],
  ['a space inside', 'a b'],
  ['a space inside quotes', '"a b"'],
  ['empty quotes', '""'],
  ['a tab', 'a\tb'],
  ['a line break', 'a\nb'],
  ['U+0000', 'a\0b'],
  ['DEL', 'a\u007fb'],
  ['a non-ASCII letter', 'ä'],
  ['an emoji', '😀'],
  ['a no-break space', 'a\u00a0b'],
  // Servers join repeated headers with a comma.
  ['two keys', 'a, b'],
  ['two keys in quotes', '"a", "b"'],
])('a header with %s is rejected as invalid', (_what, header) => {
  expect(read(header)).toBe('document_action.idempotency_key_invalid')
})
