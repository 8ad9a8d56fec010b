import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type FingerprintedRequest, fingerprintOf } from '../../src/idempotency/fingerprint.ts'
import { outcomeOf } from '../outcome.ts'

const request = { documentType: 'shop.invoice', documentId: 'id', actionCode: 'post', body: {} }

const hexOf = (more: Partial<FingerprintedRequest>) => fingerprintOf({ ...request, ...more }).toString('hex')

/** Returns the fingerprint of a body in JSON text. */
const ofText = (json: string) => hexOf({ body: JSON.parse(json) })

type Json = fc.JsonValue

/** Returns the value with the properties of each object in reverse order. */
function reversed(value: Json): Json {
  if (Array.isArray(value)) return value.map(reversed)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).map(([key, inner]): [string, Json] => [key, reversed(inner ?? null)])
  return Object.fromEntries(entries.toReversed())
}

const wellFormed = fc.string({ unit: 'grapheme' })
const anyBody: fc.Arbitrary<Json> = fc
  .jsonValue({ maxDepth: 5 })
  .filter((value) => JSON.stringify(value).isWellFormed())

test('a fingerprint is the SHA-256 of the request in canonical JSON', () => {
  const canonical = '["shop.invoice","id","post",{"a":[1,true,null],"b":"é"}]'
  const expected = createHash('sha256').update(canonical).digest('hex')
  expect(hexOf({ body: { b: 'é', a: [1, true, null] } })).toBe(expected)
})

describe('an equal request', () => {
  test('with reordered properties at any depth has an equal fingerprint', () => {
    fc.assert(fc.property(anyBody, (body) => hexOf({ body }) === hexOf({ body: reversed(body) })))
  })

  test('with other white space has an equal fingerprint', () => {
    fc.assert(
      fc.property(anyBody, fc.constantFrom(0, 1, 4, '\t', ' \n'), (body, space) => {
        return ofText(JSON.stringify(body)) === ofText(` ${JSON.stringify(body, null, space)}\r\n`)
      }),
    )
  })

  test('with another notation of a number has an equal fingerprint', () => {
    const writings = ['1', '1.0', '1e0', '10e-1', '0.1e+1']
    expect(new Set(writings.map((writing) => ofText(`{"expectedVersion":${writing}}`))).size).toBe(1)
  })

  test('with other escapes in a text has an equal fingerprint', () => {
    expect(ofText(String.raw`{"reason":"\u0061\/\u00e9"}`)).toBe(ofText('{"reason":"a/é"}'))
  })
})

describe('a different request', () => {
  test('has another fingerprint if its body differs in any way', () => {
    const sorted = (value: Json): string =>
      JSON.stringify(value, (_key, inner: Json) =>
        typeof inner === 'object' && inner !== null && !Array.isArray(inner)
          ? Object.fromEntries(Object.entries(inner).toSorted(([a], [b]) => (a < b ? -1 : 1)))
          : inner,
      )
    fc.assert(
      fc.property(anyBody, anyBody, (one, other) => {
        fc.pre(sorted(one) !== sorted(other))
        return hexOf({ body: one }) !== hexOf({ body: other })
      }),
    )
  })

  test('has another fingerprint if one nested value differs', () => {
    fc.assert(
      fc.property(anyBody, wellFormed, wellFormed, (inner, one, other) => {
        fc.pre(one !== other)
        const around = (text: string) => hexOf({ body: { payload: [inner, { deep: text }] } })
        return around(one) !== around(other)
      }),
    )
  })

  test.each<[what: string, one: string, other: string]>([
    ['a null property', '{"reason":null}', '{}'],
    ['a number that becomes text', '{"a":1}', '{"a":"1"}'],
    ['the order of a list', '[1,2]', '[2,1]'],
    ['the nesting of a list', '[[1],2]', '[1,[2]]'],
    ['a decomposed character', '"\u00e9"', '"e\u0301"'],
    ['the case of a property name', '{"a":1}', '{"A":1}'],
    ['a property called __proto__', '{"payload":{"__proto__":{"a":1}}}', '{"payload":{}}'],
    ['a value inside __proto__', '{"payload":{"__proto__":{"a":1}}}', '{"payload":{"__proto__":{"a":2}}}'],
    ['a property called constructor', '{"payload":{"constructor":1}}', '{"payload":{}}'],
    ['a property called toJSON', '{"payload":{"toJSON":1}}', '{"payload":{}}'],
  ])('has another fingerprint if the only difference is %s', (_what, one, other) => {
    expect(ofText(one)).not.toBe(ofText(other))
  })

  test('has another fingerprint if type, id or action differs', () => {
    const all = [{}, { documentType: 'shop.order' }, { documentId: 'other' }, { actionCode: 'unpost' }]
    expect(new Set(all.map(hexOf)).size).toBe(all.length)
  })

  test('has another fingerprint if text moves from one part to the next', () => {
    const moved = { documentType: 'shop', documentId: 'id"', actionCode: 'post' }
    const back = { documentType: 'shop","id', documentId: '', actionCode: 'post' }
    expect(hexOf(moved)).not.toBe(hexOf(back))
  })
})

describe('a body without a canonical form', () => {
  const message = 'holds a character or a number that cannot be stored'
  test.each<[what: string, json: string]>([
    ['a lone high surrogate', String.raw`{"reason":"a\ud800"}`],
    ['a lone low surrogate', String.raw`{"payload":{"deep":["\udc00b"]}}`],
    ['surrogates in the wrong order', String.raw`["\udc00\ud800"]`],
    ['a lone surrogate in a property name', String.raw`{"\ud800":1}`],
    ['an infinite number', '{"payload":1e400}'],
  ])('is rejected because it contains %s', (_what, json) => {
    expect(outcomeOf(() => ofText(json))).toEqual({
      code: 'request.invalid',
      errors: [{ path: '', message }],
    })
  })
})
