import { CoreError } from '@vertical-kit/core-audit'
import * as v from 'valibot'
import { expect, test } from 'vitest'
import { describeFailure, summarizeFailure } from '../../src/outbox/failure.ts'

test('a stored failure contains type, frames and causes, but no message that can quote the event', () => {
  const cause = new CoreError('service.unavailable')
  const failure = describeFailure(new TypeError('no customer Jane Doe', { cause }))
  expect(failure).toMatchObject({
    type: 'TypeError',
    frames: expect.arrayContaining([expect.stringMatching(/^at /)]),
    cause: { type: 'CoreError', code: 'service.unavailable', message: expect.stringContaining('busy') },
  })
  expect(JSON.stringify(failure)).not.toContain('Jane Doe')
  expect(summarizeFailure(failure)).toMatch(/^TypeError at .+failure\.test\.ts/)
})

test('messages of our own errors are stored, because they contain no data', () => {
  const failure = describeFailure(new CoreError('roles.protected'))
  expect(summarizeFailure(failure)).toMatch(/^CoreError roles\.protected: .+administrator role/)
})

test('the numbers of a context and the status of an answer are stored, and no text of the context', () => {
  const context = { max: 500, policy: 'canary' }
  const refused = describeFailure(new CoreError('request.rate_limited', { context, cause: smtpError(550) }))
  expect(refused).toMatchObject({ context: { max: 500 }, cause: { code: 'EENVELOPE', responseCode: 550 } })
  expect(JSON.stringify(refused)).not.toContain('canary')
  expect(summarizeFailure(refused)).toMatch(/^CoreError request\.rate_limited: .+ \(max 500\)$/)
})

/** An error in the form of nodemailer: its frames are those of a dependency. */
const smtpError = (responseCode: number) => {
  const error = new Error('550 canary is not known here')
  error.stack = `Error: ${error.message}\n    at format (/app/node_modules/nodemailer/index.js:1:1)`
  return Object.assign(error, { code: 'EENVELOPE', responseCode })
}

test('the answer of a mail server is summarized by its codes, without the frames of its library', () => {
  expect(summarizeFailure(describeFailure(smtpError(550)))).toBe('Error EENVELOPE 550')
})

test('data quoted by a validation error is not stored', () => {
  const parse = () => v.parse(v.object({ amount: v.number() }), { amount: 'canary' })
  let caught: unknown
  try {
    parse()
  } catch (error) {
    caught = new Error('The data cannot be read', { cause: error })
  }
  expect((caught as Error).cause).toMatchObject({ message: expect.stringContaining('canary') })
  expect(JSON.stringify(describeFailure(caught))).not.toContain('canary')
})

test('a failure of any size and with any characters can be stored', () => {
  const message = `\0\ud800${'long '.repeat(100_000)}`
  const failure = describeFailure(new Error(message))
  expect(JSON.stringify(failure).length).toBeLessThan(10_000)
  expect(JSON.stringify(failure)).not.toMatch(/\\u0000|\\ud800/)
})

test.each([
  [{ type: 'string' }, 'string'],
  [{ type: 'PostgresError', code: '23505', constraint: 'tasks_key' }, 'PostgresError 23505 tasks_key'],
])('%j is summarized as %j', (failure, line) => {
  expect(summarizeFailure(failure)).toBe(line)
})
