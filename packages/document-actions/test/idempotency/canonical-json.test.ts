import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { fingerprintOf } from '../../src/idempotency/fingerprint.ts'

/** Checks that the body `json` has the canonical form `canonical`. */
function expectCanonical(json: string, canonical: string): void {
  const fingerprint = fingerprintOf({
    documentType: 't',
    documentId: 'i',
    actionCode: 'a',
    body: JSON.parse(json),
  })
  const expected = createHash('sha256').update(`["t","i","a",${canonical}]`).digest()
  expect(fingerprint.equals(expected)).toBe(true)
}

test('numbers, text and literals have the form of RFC 8785 §3.2.2', () => {
  expectCanonical(
    String.raw`{
      "numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],
      "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/",
      "literals": [null, true, false]
    }`,
    String.raw`{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\u000f\nA'B\"\\\\\"/"}`,
  )
})

test('properties are sorted by UTF-16 code units as in RFC 8785 §3.2.3', () => {
  expectCanonical(
    String.raw`{
      "\u20ac": "Euro Sign", "\r": "Carriage Return", "\ufb33": "Hebrew Letter Dalet With Dagesh", "1": "One",
      "\ud83d\ude00": "Emoji: Grinning Face", "\u0080": "Control", "\u00f6": "Latin Small Letter O With Diaeresis"
    }`,
    '{"\\r":"Carriage Return","1":"One","\u0080":"Control","ö":"Latin Small Letter O With Diaeresis",' +
      '"€":"Euro Sign","😀":"Emoji: Grinning Face","\ufb33":"Hebrew Letter Dalet With Dagesh"}',
  )
})

// Appendix B of RFC 8785: each number as it is sent, and its canonical form.
test.each([
  ['0', '0'],
  ['-0', '0'],
  ['5e-324', '5e-324'],
  ['1.7976931348623157e308', '1.7976931348623157e+308'],
  ['9007199254740992', '9007199254740992'],
  ['-9007199254740992', '-9007199254740992'],
  ['295147905179352830000', '295147905179352830000'],
  ['9.999999999999997e22', '9.999999999999997e+22'],
  ['1e23', '1e+23'],
  ['999999999999999900000', '999999999999999900000'],
  ['1e21', '1e+21'],
  ['9.999999999999997e-7', '9.999999999999997e-7'],
  ['0.000001', '0.000001'],
  ['333333333.3333332', '333333333.3333332'],
])('the canonical form of the number %s is %s', (json, canonical) => {
  expectCanonical(json, canonical)
})
