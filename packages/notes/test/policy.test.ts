import { isKitError } from '@vertical-kit/core-audit'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { checkEdit, decideDeletion, normalizeText, parseVersion } from '../src/policy.ts'

/** Returns the result of a decision, or the code and context of its refusal. */
function outcomeOf(decide: () => unknown): unknown {
  try {
    return decide()
  } catch (error) {
    if (!isKitError(error)) throw error
    const { code, context } = error
    return context === undefined ? code : { code, context }
  }
}

const normalize = (raw: string, maxChars = 100) => outcomeOf(() => normalizeText(raw, maxChars))

/** All characters with the property White_Space in PropList.txt of Unicode. */
const whiteSpace = [
  ...[0x09, 0x0a, 0x0b, 0x0c, 0x0d, 0x20, 0x85, 0xa0, 0x1680],
  ...[0x2000, 0x2001, 0x2002, 0x2003, 0x2004, 0x2005, 0x2006, 0x2007, 0x2008, 0x2009, 0x200a],
  ...[0x2028, 0x2029, 0x202f, 0x205f, 0x3000],
].map((codePoint) => String.fromCodePoint(codePoint))

/** Some invisible characters without the property White_Space. */
const invisible = ['\u180e', '\u200b', '\u200d', '\u2060', '\ufeff']

const codePointOf = (text: string) => `U+${text.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0')}`

describe('normalizeText', () => {
  test.each(whiteSpace.map((space) => [codePointOf(space), space]))(
    'removes %s at both ends',
    (_name, space) => {
      expect(normalize(`${space}${space}a${space}b${space}`)).toBe(`a${space}b`)
      expect(normalize(space)).toBe('notes.text_required')
    },
  )

  test.each(invisible.map((text) => [codePointOf(text), text]))('does not remove %s', (_name, text) => {
    expect(normalize(`${text}a${text}`)).toBe(`${text}a${text}`)
    expect(normalize(text)).toBe(text)
  })

  test('removes a long sequence of white space in linear time', () => {
    const text = `a${' '.repeat(400_000)}b`
    const startedMs = performance.now()
    expect(normalizeText(text, 1_000_000)).toBe(text)
    expect(normalize(' '.repeat(400_000))).toBe('notes.text_required')
    // A linear algorithm needs about 20 ms, but a quadratic algorithm needs minutes.
    expect(performance.now() - startedMs).toBeLessThan(5_000)
  })
})

test.each(['a\r\nb', 'a\nb', 'a\rb', 'a\n\n\nb', 'a\u2028b', 'a\u2029b', 'a\u0085b', 'a \t b', 'a\n\r\nb'])(
  'normalizeText does not change %j inside a text',
  (text) => {
    expect(normalize(`\r\n ${text}\n`)).toBe(text)
  },
)

describe('the length of a text', () => {
  test.each<[what: string, character: string, chars: number]>([
    ['an ASCII letter', 'a', 1],
    ['an emoji', '😀', 1],
    ['a letter with a combining accent', 'e\u0301', 2],
    ['a family emoji with joiners', '👨‍👩‍👧', 5],
    ['CR LF', '\r\n', 2],
  ])('counts the code points of %s', (_what, character, chars) => {
    const text = `<${character}${character}>`
    const actualChars = 2 * chars + 2
    expect(normalize(text, actualChars)).toBe(text)
    expect(normalize(text, actualChars - 1)).toEqual({
      code: 'notes.text_too_long',
      context: { maxChars: actualChars - 1, actualChars },
    })
  })

  test.each([1, 100, 10_000, 100_000])(
    'can be %i code points, but not more, if this is the limit',
    (maxChars) => {
      const text = '𝒳'.repeat(maxChars)
      expect(normalize(text, maxChars)).toBe(text)
      expect(normalize(`${text}a`, maxChars)).toEqual({
        code: 'notes.text_too_long',
        context: { maxChars, actualChars: maxChars + 1 },
      })
    },
  )

  test('does not include the removed white space', () => {
    expect(normalize('  ab\u0085\n', 2)).toBe('ab')
  })
})

test.each([
  ['U+0000 between letters', 'a\0b'],
  ['only U+0000', '\0'],
  ['an unpaired high surrogate', 'a\ud800b'],
  ['an unpaired low surrogate', 'a\udc00b'],
  ['surrogates in the wrong order', '\udc00\ud800'],
  ['a high surrogate at the end', 'text\udbff'],
  ['U+0000 and too many characters', `${'a'.repeat(200)}\0`],
])('normalizeText rejects a text with %s as invalid', (_what, text) => {
  expect(normalize(text)).toBe('notes.text_invalid')
})

test.each(['', ' ', '\r\n\t', '\u3000\u0085'])('normalizeText rejects %j as empty', (text) => {
  expect(normalize(text)).toBe('notes.text_required')
})

describe('for any text, normalizeText', () => {
  /** Generates UTF-16 texts that often contain white space, unpaired surrogates and U+0000. */
  const anyText = fc
    .array(fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom(...whiteSpace, '\0', '\ud800', '\udfff')))
    .map((parts) => parts.join(''))

  test('either throws the correct error or returns the text without surrounding white space', () => {
    fc.assert(
      fc.property(anyText, fc.integer({ min: 1, max: 30 }), (raw, maxChars) => {
        const outcome = normalize(raw, maxChars)
        const isStorable = raw.isWellFormed() && !raw.includes('\0')
        const kept = raw.replace(/^\p{White_Space}+/u, '').replace(/\p{White_Space}+$/u, '')
        const actualChars = [...kept].length
        if (!isStorable) expect(outcome).toBe('notes.text_invalid')
        else if (actualChars === 0) expect(outcome).toBe('notes.text_required')
        else if (actualChars <= maxChars) expect(outcome).toBe(kept)
        else expect(outcome).toEqual({ code: 'notes.text_too_long', context: { maxChars, actualChars } })
      }),
      { numRuns: 500 },
    )
  })

  test('does not change a text that is already normalized', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', minLength: 1 }), (raw) => {
        const once = normalize(raw, 1_000)
        fc.pre(once !== 'notes.text_required' && once !== 'notes.text_invalid')
        expect(normalize(String(once), 1_000)).toBe(once)
      }),
    )
  })
})

const conflict = (expectedVersion: number, actualVersion: number) => ({
  code: 'notes.version_conflict',
  context: { expectedVersion, actualVersion },
})

test.each([
  { state: { version: 3, isDeleted: false }, expected: 3, edit: undefined, deletion: 'delete' },
  { state: { version: 3, isDeleted: false }, expected: 2, edit: conflict(2, 3), deletion: conflict(2, 3) },
  { state: { version: 3, isDeleted: false }, expected: 4, edit: conflict(4, 3), deletion: conflict(4, 3) },
  { state: { version: 3, isDeleted: true }, expected: 3, edit: 'notes.deleted', deletion: 'already-deleted' },
  { state: { version: 3, isDeleted: true }, expected: 2, edit: 'notes.deleted', deletion: 'already-deleted' },
])('checks a change of $state for the version $expected', ({ state, expected, edit, deletion }) => {
  expect(outcomeOf(() => checkEdit(state, expected))).toEqual(edit)
  expect(outcomeOf(() => decideDeletion(state, expected))).toEqual(deletion)
})

test('only the first deletion needs a version', () => {
  const decide = (isDeleted: boolean) => outcomeOf(() => decideDeletion({ version: 3, isDeleted }, null))
  expect(decide(false)).toBe('request.invalid')
  expect(decide(true)).toBe('already-deleted')
})

test.each([
  ['1', 1],
  ['0', 0],
  ['-1', -1],
  ['2147483648', 2_147_483_648],
  ['999999999999999', 999_999_999_999_999],
  ['9007199254740991', Number.MAX_SAFE_INTEGER],
  ['-9007199254740991', Number.MIN_SAFE_INTEGER],
  ['9007199254740992', null],
  ['9007199254740993', null],
  ['', null],
  [' 1', null],
  ['+1', null],
  ['01', null],
  ['-0', null],
  ['1.0', null],
  ['1e1', null],
  ['one', null],
  [undefined, null],
])('for the text %j, parseVersion returns %s', (raw, version) => {
  expect(parseVersion(raw)).toBe(version)
})
