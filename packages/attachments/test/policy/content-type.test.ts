import fc from 'fast-check'
import { expect, test } from 'vitest'
import { normalizeContentType, parseMediaType } from '../../src/policy.ts'

test.each([
  ['text/plain', 'text/plain'],
  ['Text/HTML; charset=UTF-8', 'text/html'],
  [' application/pdf ', 'application/pdf'],
  ['image/svg+xml', 'image/svg+xml'],
  ['application/vnd.openxmlformats-officedocument.wordprocessingml.document;a=b;c="d"', undefined],
  ['', 'application/octet-stream'],
  [' \t', 'application/octet-stream'],
  ['; charset=utf-8', 'application/octet-stream'],
  ["x!#$%&'*+-.^_`|~9/y", "x!#$%&'*+-.^_`|~9/y"],
  [`text/${'x'.repeat(195)}`, `text/${'x'.repeat(195)}`],
])('the content type %j is accepted and normalised', (raw, expected) => {
  expect(normalizeContentType(raw)).toBe(expected ?? raw.split(';')[0])
})

test.each([
  ['no slash', 'text'],
  ['no type', '/plain'],
  ['no subtype', 'text/'],
  ['two slashes', 'text/plain/x'],
  ['white space inside', 'text / plain'],
  ['a line break inside', 'text/plain\r\nX-Evil: 1'],
  ['a letter that becomes ASCII in lower case', 'te\u212at/plain'],
  ['a non-ASCII letter', 'text/plåin'],
  ['an unpaired surrogate', 'text/\ud800'],
  ['a null character', 'text/pla\0in'],
  ['201 characters', `text/${'x'.repeat(196)}`],
])('a content type with %s is rejected', (_what, raw) => {
  expect(() => normalizeContentType(raw)).toThrow(
    expect.objectContaining({ code: 'attachments.content_type_invalid' }),
  )
})

const token = fc.string({
  unit: fc.constantFrom(..."!#$%&'*+-.^_`|~019azAZ"),
  minLength: 1,
  maxLength: 99,
})

test('every valid media type is accepted, converted to lower case and returned without parameters', () => {
  fc.assert(
    fc.property(
      token,
      token,
      fc.string(),
      fc.constantFrom('', ' ', '\t '),
      (type, subtype, parameters, space) => {
        const raw = `${space}${type}/${subtype}${space};${parameters}`
        expect(normalizeContentType(raw)).toBe(`${type}/${subtype}`.toLowerCase())
      },
    ),
  )
})

test('parseMediaType returns only lower-case media types without invalid header characters', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (before, after) => {
      const mediaType = parseMediaType(`${before}/${after}`)
      if (mediaType === null) return
      expect(mediaType).toMatch(/^[\x21-\x7e]+\/[\x21-\x7e]+$/)
      expect(mediaType).not.toMatch(/[A-Z()<>@,;:\\"[\]?={}]/)
      expect(parseMediaType(mediaType)).toBe(mediaType)
    }),
    { numRuns: 1_000 },
  )
})
