import { CoreError, defineErrors, isKitError, refusal } from '@vertical-kit/core-audit'
import { describe, expect, expectTypeOf, test } from 'vitest'

const ShelfError = defineErrors('ShelfError', {
  'shelves.full': refusal<{ maxCount: number }>(409, 'The shelf is full.'),
  'shelves.away': refusal(503, 'The shelf is away.', { 'Retry-After': '5' }),
})

describe('a refusal', () => {
  test('has its code, its status, its words and its context', () => {
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

  test('may say it in other words', () => {
    const error = new ShelfError('shelves.full', { detail: 'This shelf holds three.' })
    expect([error.detail, error.message]).toEqual([
      'This shelf holds three.',
      'shelves.full: This shelf holds three.',
    ])
  })

  test('of a code that is not in the table is a mistake', () => {
    for (const code of ['shelves.lost', 'toString', '__proto__']) {
      expect(() => new ShelfError(code as 'shelves.full')).toThrow(TypeError)
    }
  })

  test('takes the context of its code and no other', () => {
    expectTypeOf(ShelfError).toBeConstructibleWith('shelves.full', { context: { maxCount: 1 } })
    // @ts-expect-error the context of this code has no such field
    new ShelfError('shelves.full', { context: { maxCount: 1, max: 1 } })
    // @ts-expect-error this code has no context
    new ShelfError('shelves.away', { context: { maxCount: 1 } })
  })
})

test('refusals of every package are known, and nothing else is', () => {
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

test('every code of the kernel has a status and words for whoever reads it', () => {
  for (const [code, rule] of Object.entries(CoreError.table)) {
    expect(code).toMatch(/^(?:[a-z_]+\.[a-z_]+|internal)$/)
    expect(rule.status).toBeGreaterThanOrEqual(400)
    expect(rule.detail).toMatch(/^[A-Z].*\.$/)
  }
})
