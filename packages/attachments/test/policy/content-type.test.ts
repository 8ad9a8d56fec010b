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
])('%j is taken as %j', (raw, expected) => {
  expect(normalizeContentType(raw)).toBe(expected ?? raw.split(';')[0])
})

test.each([
  ['no slash', 'text'],
  ['no type', '/plain'],
  ['no subtype', 'text/'],
  ['two slashes', 'text/plain/x'],
  ['white space inside', 'text / plain'],
  ['a line break inside', 'text/plain\r\nX-Evil: 1'],
  ['a letter that only lower case makes ASCII', 'te\u212at/plain'],
  ['a letter beyond ASCII', 'text/plåin'],
  ['a lone surrogate', 'text/\ud800'],
  ['a null character', 'text/pla\0in'],
  ['201 characters', `text/${'x'.repeat(196)}`],
])('%s makes no content type', (_what, raw) => {
  expect(() => normalizeContentType(raw)).toThrow(
    expect.objectContaining({ code: 'attachments.content_type_invalid' }),
  )
})

const token = fc.string({
  unit: fc.constantFrom(..."!#$%&'*+-.^_`|~019azAZ"),
  minLength: 1,
  maxLength: 99,
})

test('every media type of RFC 9110 is taken, in lower case, whatever parameters and white space surround it', () => {
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

test('what is taken is a media type in lower case that can stand in a header, or nothing', () => {
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
