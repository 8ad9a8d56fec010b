import { expect, test, vi } from 'vitest'
import { createConnectionLife } from '../../src/database/connection-life.ts'
import { translateDatabaseError } from '../../src/database/database-errors.ts'

const lost = expect.objectContaining({ message: 'The connection is lost', code: 'CONNECTION_CLOSED' })

/** An answer that the driver never settles. */
const never = new Promise<never>(() => {})

test('untilLost settles like the answer while the connection is open', async () => {
  const life = createConnectionLife()
  const failure = new RangeError('no')
  expect(await life.untilLost(Promise.resolve(7))).toBe(7)
  await expect(life.untilLost(Promise.reject(failure))).rejects.toBe(failure)
  expect(life.isLost).toBe(false)
  expect(life.check).not.toThrow()
})

test('pending answers and later statements are rejected when the connection closes', async () => {
  const onLost = vi.fn()
  const life = createConnectionLife(onLost)
  const waiting = [life.untilLost(never), life.untilLost(never)]
  life.close()
  await Promise.all(waiting.map((answer) => expect(answer).rejects.toEqual(lost)))
  expect(life.isLost).toBe(true)
  expect(life.check).toThrow(lost)
  expect(onLost).toHaveBeenCalledOnce()
})

test.each([
  ['between two statements', () => true, 'idle_in_transaction_session_timeout'],
  ['during a commit', () => false, 'The connection is lost'],
])('a transaction whose connection closes %s learns the reason', async (_moment, isIdle, reason) => {
  const life = createConnectionLife()
  const work = life.untilLost(never, { isIdle })
  life.close()
  await expect(work).rejects.toThrow(reason)
})

test('a transaction whose connection closes during a statement does not blame its own pause', async () => {
  const life = createConnectionLife()
  const waiting = [life.untilLost(never, { isIdle: () => true }), life.untilLost(never)]
  life.close()
  await Promise.all(waiting.map((answer) => expect(answer).rejects.toEqual(lost)))
})

test('if the server is silent, pending answers reject with ETIMEDOUT and onLost is called once', async () => {
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

test('the error of a closed connection is translated to service.unavailable', async () => {
  const life = createConnectionLife()
  const answer = life.untilLost(never).catch(translateDatabaseError)
  life.close()
  expect(await answer).toMatchObject({ code: 'service.unavailable' })
})

test.each([
  ['a system error reports a broken connection', { code: 'ECONNRESET', errno: -104 }],
  ['the driver reports a closed connection', { code: 'CONNECTION_CLOSED', errno: 'CONNECTION_CLOSED' }],
  ['the server ends the session', { code: '57P01', severity: 'FATAL' }],
  ['the server panics', { code: 'XX000', severity: 'PANIC' }],
])('statements are rejected after %s', async (_case, signs) => {
  const life = createConnectionLife()
  const error = Object.assign(new Error('gone'), signs)
  await expect(life.untilLost(Promise.reject(error))).rejects.toBe(error)
  expect(life.isLost).toBe(true)
  expect(life.check).toThrow(lost)
})

test.each([
  ['a failed statement', Object.assign(new Error('no such table'), { code: '42P01', severity: 'ERROR' })],
  ['an invalid parameter', new TypeError('no text')],
  ['a rejection with a text', 'no'],
  ['a rejection with undefined', undefined],
])('the connection stays usable after %s', async (_case, reason) => {
  const life = createConnectionLife()
  await expect(life.untilLost(Promise.reject(reason))).rejects.toBe(reason)
  expect(life.isLost).toBe(false)
})
