import { expect, test, vi } from 'vitest'
import { createConnectionLife } from '../../src/database/connection-life.ts'
import { translateDatabaseError } from '../../src/database/database-errors.ts'

const lost = expect.objectContaining({ message: 'The connection is lost', code: 'CONNECTION_CLOSED' })

/** An answer that a driver forgot to give. */
const never = new Promise<never>(() => {})

test('an answer passes as it is while the connection is there', async () => {
  const life = createConnectionLife()
  const failure = new RangeError('no')
  expect(await life.untilLost(Promise.resolve(7))).toBe(7)
  await expect(life.untilLost(Promise.reject(failure))).rejects.toBe(failure)
  expect(life.isLost).toBe(false)
  expect(life.check).not.toThrow()
})

test('everybody who waits is refused when the connection closes, and whoever asks afterwards', async () => {
  const onLost = vi.fn()
  const life = createConnectionLife(onLost)
  const waiting = [life.untilLost(never), life.untilLost(never)]
  life.close()
  for (const answer of waiting) await expect(answer).rejects.toEqual(lost)
  expect(life.isLost).toBe(true)
  expect(life.check).toThrow(lost)
  expect(onLost).toHaveBeenCalledOnce()
})

test('a connection whose server is silent is refused as timed out, and is lost once', async () => {
  const onLost = vi.fn()
  const life = createConnectionLife(onLost)
  const answer = life.untilLost(never)
  life.close('silent')
  life.close()
  await expect(answer).rejects.toMatchObject({ code: 'ETIMEDOUT' })
  await expect(answer.catch(translateDatabaseError)).resolves.toMatchObject({ code: 'service.unavailable' })
  expect(life.check).toThrow(lost)
  expect(onLost).toHaveBeenCalledOnce()
})

test('what is refused so is unavailable to the caller', async () => {
  const life = createConnectionLife()
  const answer = life.untilLost(never).catch(translateDatabaseError)
  life.close()
  expect(await answer).toMatchObject({ code: 'service.unavailable' })
})

test.each([
  ['the system says the connection is broken', { code: 'ECONNRESET', errno: -104 }],
  ['the driver says it is closed', { code: 'CONNECTION_CLOSED', errno: 'CONNECTION_CLOSED' }],
  ['the server says good-bye', { code: '57P01', severity: 'FATAL' }],
  ['the server panics', { code: 'XX000', severity: 'PANIC' }],
])('nobody may ask again once %s', async (_case, signs) => {
  const life = createConnectionLife()
  const error = Object.assign(new Error('gone'), signs)
  await expect(life.untilLost(Promise.reject(error))).rejects.toBe(error)
  expect(life.isLost).toBe(true)
  expect(life.check).toThrow(lost)
})

test.each([
  [
    'a statement that failed',
    Object.assign(new Error('no such table'), { code: '42P01', severity: 'ERROR' }),
  ],
  ['a parameter that does not fit', new TypeError('no text')],
  ['something that is no error', 'no'],
  ['nothing', undefined],
])('the connection outlives %s', async (_case, reason) => {
  const life = createConnectionLife()
  await expect(life.untilLost(Promise.reject(reason))).rejects.toBe(reason)
  expect(life.isLost).toBe(false)
})
