import { CoreError, defineErrors, isKitError, refusal } from '@vertical-kit/core-audit'
import { describe, expect, expectTypeOf, test } from 'vitest'

const ShelfError = defineErrors('ShelfError', {
  'shelves.full': refusal<{ maxCount: number }>(409, 'The shelf is full.'),
  'shelves.away': refusal(503, 'The shelf is away.', { 'Retry-After': '5' }),
})

describe('a refusal', () => {
  test('has a code, a status, a message and a context', () => {
    const cause = new Error('why')
    const error = new ShelfError('shelves.full', { context: { maxCount: 3 }, cause })
    expect(error).toBeInstanceOf(Error)
    expect(error).toMatchObject({
      name: 'ShelfError',
      code: 'shelves.full',
      status: 409,
      detail: 'The shelf is full.',
      message: 'shelves.full: The shelf is full.',
      headers: {},
      context: { maxCount: 3 },
      cause,
    })
    expect('errors' in error).toBe(false)
    expect(new ShelfError('shelves.away').headers).toEqual({ 'Retry-After': '5' })
    expect('context' in new ShelfError('shelves.away')).toBe(false)
  })

  test('can replace the message of its code', () => {
    const error = new ShelfError('shelves.full', { detail: 'This shelf holds three.' })
    expect([error.detail, error.message]).toEqual([
      'This shelf holds three.',
      'shelves.full: This shelf holds three.',
    ])
  })

  test('can add headers to those of its code, and replace them', () => {
    const headers = { 'Retry-After': '60', 'X-Shelf': 'a' }
    expect(new ShelfError('shelves.away', { headers: { 'X-Shelf': 'a' } }).headers).toEqual({
      'Retry-After': '5',
      'X-Shelf': 'a',
    })
    expect(new ShelfError('shelves.away', { headers }).headers).toEqual(headers)
  })

  test('with an unknown code throws a TypeError', () => {
    for (const code of ['shelves.lost', 'toString', '__proto__']) {
      expect(() => new ShelfError(code as 'shelves.full')).toThrow(TypeError)
    }
  })

  test('accepts only the context type of its code', () => {
    expectTypeOf(ShelfError).toBeConstructibleWith('shelves.full', { context: { maxCount: 1 } })
    // @ts-expect-error the context of this code has no field `max`
    new ShelfError('shelves.full', { context: { maxCount: 1, max: 1 } })
    // @ts-expect-error this code has no context
    new ShelfError('shelves.away', { context: { maxCount: 1 } })
  })
})

test('isKitError returns true for refusals of every package, and false for all other values', () => {
  expect(isKitError(new ShelfError('shelves.full'))).toBe(true)
  expect(isKitError(new CoreError('internal'))).toBe(true)
  for (const other of [
    new Error('x'),
    { code: 'shelves.full', status: 409 },
    'shelves.full',
    null,
    undefined,
    7,
  ]) {
    expect(isKitError(other)).toBe(false)
  }
})

test('every error code of the kernel has an error status and a full sentence as its message', () => {
  for (const [code, rule] of Object.entries(CoreError.table)) {
    expect(code).toMatch(/^(?:[a-z_]+\.[a-z_]+|internal)$/)
    expect(rule.status).toBeGreaterThanOrEqual(400)
    expect(rule.detail).toMatch(/^[A-Z].*\.$/)
  }
})
