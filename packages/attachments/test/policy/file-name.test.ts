import { isKitError } from '@vertical-kit/core-audit'
import { codePointCount } from '@vertical-kit/core-audit/contract'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { normalizeFileName } from '../../src/policy.ts'

test.each([
  ['report.pdf', 'report.pdf'],
  ['/home/user/report.pdf', 'report.pdf'],
  ['C:\\fakepath\\report.pdf', 'report.pdf'],
  ['mixed\\path/report.pdf', 'report.pdf'],
  ['mixed/path\\report.pdf', 'report.pdf'],
  ['../../etc/passwd', 'passwd'],
  ['  spaced out .txt  ', 'spaced out .txt'],
  ['\u00a0\u2003\u3000wide.txt\u2028', 'wide.txt'],
  ['.gitignore', '.gitignore'],
  ['...', '...'],
  ['a\u0000b\u0007c\u007f\u0085d.txt', 'abcd.txt'],
  ['line\r\nbreak.txt', 'linebreak.txt'],
  ['"quoted"; filename=x.txt', '"quoted"; filename=x.txt'],
  ['cafe\u0301.txt', 'caf\u00e9.txt'],
  ['\u212bngstro\u0308m', '\u00c5ngstr\u00f6m'],
  ['photo\u202egnp.exe', 'photognp.exe'],
  ['\u2066isolated\u2069.txt', 'isolated.txt'],
  ['zero\u200bwidth\ufeff.txt', 'zerowidth.txt'],
  ['soft\u00adhyphen.txt', 'softhyphen.txt'],
  ['tag\u{e0001}\u{e0061}.txt', 'tag.txt'],
  ['👩\u200d💻.txt', '👩💻.txt'],
  ['می\u200cخواهم.txt', 'میخواهم.txt'],
  ['e\u200d\u0301.txt', '\u00e9.txt'],
  ['❤\ufe0f.txt', '❤\ufe0f.txt'],
  ['日本語.txt', '日本語.txt'],
])('the file name %j is normalised to %j', (raw, expected) => {
  expect(normalizeFileName(raw)).toBe(expected)
})

test.each([
  ['an empty text', ''],
  ['only white space', ' \t\u2003\n'],
  ['only format characters', '\u202e\u200b\ufeff'],
  ['a path without a name', 'folder/'],
  ['a single dot', '.'],
  ['two dots after a path', 'a/..'],
  ['a single dot between format characters', '\u200b.\u200b'],
  ['a name with an unpaired high surrogate', 'a\ud800.txt'],
  ['a name with an unpaired low surrogate', 'a\udc00.txt'],
  ['a path with an unpaired surrogate', '\ud800/a.txt'],
  ['256 code points', 'a'.repeat(256)],
  ['256 code points outside the BMP', '😀'.repeat(256)],
])('%s is rejected as a file name', (_what, raw) => {
  expect(() => normalizeFileName(raw)).toThrow(
    expect.objectContaining({ code: 'attachments.file_name_invalid' }),
  )
})

test.each([
  ['255 code points', 'a'.repeat(255)],
  ['255 code points outside the BMP', '😀'.repeat(255)],
  ['a name with 255 code points in NFC', 'e\u0301'.repeat(255)],
  ['a name with 255 code points and 300 format characters', `${'\u200b'.repeat(300)}${'a'.repeat(255)}`],
])('%s is accepted as a file name', (_what, raw) => {
  expect(codePointCount(normalizeFileName(raw))).toBe(255)
})

/** Texts with separators, combining marks, control characters, format characters and white space in any place. */
const trickyText = fc
  .array(
    fc.oneof(
      fc.string({ unit: 'binary', maxLength: 4 }),
      fc.constantFrom(
        '/',
        '\\',
        '.',
        ' ',
        '\u0301',
        '\u200d',
        '\u202e',
        '\ufeff',
        '\u0085',
        '\u2028',
        'e',
        '\ud800',
      ),
    ),
    { maxLength: 30 },
  )
  .map((parts) => parts.join(''))

test('a normalised name is valid, and a second normalisation does not change it', () => {
  fc.assert(
    fc.property(trickyText, (raw) => {
      const name = normalized(raw)
      if (name === null) return
      expect(name).not.toMatch(/[/\\\p{Cc}\p{Cf}]/u)
      expect(name).not.toMatch(/^\p{White_Space}|\p{White_Space}$/u)
      expect(name.isWellFormed()).toBe(true)
      expect(name.normalize('NFC')).toBe(name)
      expect(['', '.', '..']).not.toContain(name)
      expect(codePointCount(name)).toBeLessThanOrEqual(255)
      expect(normalizeFileName(name)).toBe(name)
    }),
    { numRuns: 2_000 },
  )
})

function normalized(raw: string): string | null {
  try {
    return normalizeFileName(raw)
  } catch (error) {
    if (isKitError(error) && error.code === 'attachments.file_name_invalid') return null
    throw error
  }
}
