import { expect, test } from 'vitest'
import { findDifference } from '../../../src/audit/seal/verify/difference.ts'

/** Writes an event as `a1`: the letter is its id, and the digit is its content. */
const markOf = (event: string): string => `${event.charAt(0).repeat(8)}${event.charAt(1).repeat(16)}`

const seal = (sealed: string, found: string) => ({
  sequence: 7,
  marks: sealed.split(' ').filter(Boolean).map(markOf),
  events: found
    .split(' ')
    .filter(Boolean)
    .map((event) => ({ id: event.charAt(0), mark: markOf(event) })),
})

test.each([
  ['a1 b2 c3', 'a1 b9 c3', { kind: 'changed', eventId: 'b' }],
  ['a1 b2 c3', 'a1 x2 c3', { kind: 'changed', eventId: 'x' }],
  ['a1 b2 c3', 'a1 b9 c8', { kind: 'changed', eventId: 'b' }],
  ['a1 b2 c3', 'b2 c3', { kind: 'missing', afterId: null, beforeId: 'b' }],
  ['a1 b2 c3', 'a1 c3', { kind: 'missing', afterId: 'a', beforeId: 'c' }],
  ['a1 b2 c3', 'a1 b2', { kind: 'missing', afterId: 'b', beforeId: null }],
  ['a1 b2 c3', '', { kind: 'missing', afterId: null, beforeId: null }],
  ['a1 b2 c3', 'a1 x9 c3', { kind: 'missing', afterId: 'a', beforeId: 'x' }],
  ['a1 b2 c3', 'x9 a1 b2 c3', { kind: 'inserted', eventId: 'x' }],
  ['a1 b2 c3', 'a1 x9 b2 c3', { kind: 'inserted', eventId: 'x' }],
  ['a1 b2 c3', 'a1 b2 c3 x9', { kind: 'inserted', eventId: 'x' }],
  ['a1 b2 c3', 'a1 b3 c2', { kind: 'reordered', eventId: 'b', contentOfId: 'c' }],
  ['a1 b2 c3', 'a3 b1 c2', { kind: 'reordered', eventId: 'a', contentOfId: 'c' }],
  ['a1 b2 c3', 'a1 b3', { kind: 'changed', eventId: 'b' }],
  ['a1 b2 c3', 'a1 b2 c3', { kind: 'unknown' }],
])('if %j was sealed and %j is found, the first difference is %o', (sealed, found, difference) => {
  expect(findDifference(seal(sealed, found))).toEqual({ sequence: 7, ...difference })
})
