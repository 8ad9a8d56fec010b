import * as v from 'valibot'
import { expect, test } from 'vitest'
import { parsePayload } from '../../src/actions/parse-payload.ts'
import { aCommand } from '../definitions.ts'
import { outcomeOf } from '../outcome.ts'

const titled = aCommand({
  payload: v.strictObject({ title: v.pipe(v.string(), v.minLength(2, 'expected two letters')) }),
})
const parse = (payload: unknown) => outcomeOf(() => parsePayload(titled, payload))
const wrong = (path: string, message: string) => ({ code: 'request.invalid', errors: [{ path, message }] })

test('parsePayload returns the output of the schema', () => {
  const trimmed = aCommand({ payload: v.object({ title: v.pipe(v.string(), v.trim()) }) })
  expect(parsePayload(trimmed, { title: ' Ab ', more: 1 })).toEqual({ title: 'Ab' })
})

test.each<[what: string, payload: unknown, path: string, message: string]>([
  ['a missing payload', undefined, 'payload', 'is required'],
  ['a null payload', null, 'payload', 'expected Object'],
  ['a text payload', 'title', 'payload', 'expected Object'],
  ['a missing field', {}, 'payload.title', 'is required'],
  ['a number as title', { title: 3 }, 'payload.title', 'expected string'],
  ['a title that is too short', { title: 'A' }, 'payload.title', 'expected two letters'],
  ['an unknown field', { title: 'Ab', more: 1 }, 'payload.more', 'is not a known property'],
])('%s is rejected with the path of the error', (_what, payload, path, message) => {
  expect(parse(payload)).toEqual(wrong(path, message))
})

test('the errors list every unknown property', () => {
  const lines = aCommand({
    payload: v.strictObject({ lines: v.array(v.strictObject({ amount: v.string() })) }),
  })
  const payload = JSON.parse('{"lines":[{"amount":"1","tax":1}],"total":2,"__proto__":{},"constructor":3}')
  expect(outcomeOf(() => parsePayload(lines, payload))).toEqual({
    code: 'request.invalid',
    errors: ['lines.0.tax', 'total', '__proto__', 'constructor'].map((name) => ({
      path: `payload.${name}`,
      message: 'is not a known property',
    })),
  })
})

test('an optional payload can be omitted', () => {
  const optional = aCommand({ payload: v.optional(v.strictObject({})) })
  expect(parsePayload(optional, undefined)).toBeUndefined()
})

test.each<[what: string, payload: unknown]>([
  ['U+0000', { title: 'a\0b' }],
  ['a lone surrogate', { title: 'Ab\ud800' }],
  ['U+0000 in a nested value', { more: [{ deep: ['a\0'] }] }],
  ['U+0000 in a property name', { 'a\0': 1 }],
])('a payload with %s is rejected even if the schema accepts it', (_what, payload) => {
  const permissive = aCommand({ payload: v.looseObject({}) })
  const outcome = outcomeOf(() => parsePayload(permissive, payload))
  expect(outcome).toEqual(wrong('payload', 'holds a character that cannot be stored'))
})

test.each<[unknown]>([[undefined], [null], ['text'], [{ title: 'Ab' }]])(
  'an action without a schema ignores the payload %j',
  (payload) => {
    expect(parsePayload(aCommand(), payload)).toBeUndefined()
  },
)
