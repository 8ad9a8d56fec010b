import { takePage } from '@vertical-kit/core-audit/http'
import fc from 'fast-check'
import * as v from 'valibot'
import { describe, expect, test } from 'vitest'
import { readCursor, writeCursor } from '../../src/http/paging.ts'

const Position = v.array(v.string())

const refusal = {
  code: 'request.invalid',
  errors: [{ path: 'cursor', message: 'is not a cursor of this list; start again without one' }],
}

const failureOf = (list: string, cursor: string, schema: v.GenericSchema = Position): unknown => {
  try {
    return readCursor(list, cursor, schema)
  } catch (error) {
    return error
  }
}

const texts = fc.array(fc.string({ unit: 'grapheme' }), { maxLength: 4 })

describe('a cursor', () => {
  test('contains its position unchanged', () => {
    fc.assert(
      fc.property(fc.string(), texts, (list, position) => {
        expect(readCursor(list, writeCursor(list, position), Position)).toEqual(position)
      }),
    )
  })

  test('needs no escaping in a query string', () => {
    fc.assert(fc.property(texts, (position) => /^[\w-]+$/.test(writeCursor('list', position))))
  })

  test('of another list is rejected', () => {
    const two = fc.tuple(fc.string(), fc.string()).filter(([one, other]) => one !== other)
    fc.assert(
      fc.property(two, texts, ([one, other], position) => {
        expect(failureOf(other, writeCursor(one, position))).toMatchObject(refusal)
      }),
    )
  })

  test('with any bit flipped is rejected', () => {
    fc.assert(
      fc.property(texts, fc.nat(), (position, seed) => {
        const bytes = Buffer.from(writeCursor('list', position), 'base64url')
        const bit = seed % (bytes.length * 8)
        bytes[bit >> 3] = (bytes[bit >> 3] ?? 0) ^ (1 << (bit & 7))
        expect(failureOf('list', bytes.toString('base64url'))).toMatchObject(refusal)
      }),
    )
  })

  test('with its bytes in another encoding is rejected', () => {
    const cursor = writeCursor('list', ['a>>>???'])
    const bytes = Buffer.from(cursor, 'base64url')
    for (const other of [`${cursor}=`, `${cursor}\n`, ` ${cursor}`, bytes.toString('hex')]) {
      expect(failureOf('list', other)).toMatchObject(refusal)
    }
  })

  test('that consists of arbitrary text is rejected', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.base64String()), (text) => {
        expect(failureOf('list', text)).toMatchObject(refusal)
      }),
    )
  })

  test('with a valid digest but an invalid position is rejected', () => {
    for (const forged of [['not an id'], [], ['7', '8'], 7, null, { 0: '7' }]) {
      const cursor = writeCursor('list', forged as string[])
      expect(
        failureOf('list', cursor, v.tuple([v.pipe(v.string(), v.regex(/^\d$/)), v.literal('x')])),
      ).toMatchObject(refusal)
    }
  })
})

describe('a page', () => {
  test.each([
    ['with fewer rows than the limit is the last page', [1, 2], { items: [1, 2], last: null }],
    ['with as many rows as the limit is the last page', [1, 2, 3], { items: [1, 2, 3], last: null }],
    ['with another row after it is not the last page', [1, 2, 3, 4], { items: [1, 2, 3], last: 3 }],
    ['without rows is the last page', [], { items: [], last: null }],
  ])('%s', (_case, rows, page) => {
    expect(takePage(rows, 3)).toEqual(page)
  })
})
