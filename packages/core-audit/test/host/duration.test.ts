import { formatDuration, parseDurationMs } from '@vertical-kit/core-audit/host'
import fc from 'fast-check'
import { expect, test } from 'vitest'

const dayMs = 86_400_000

test.each([
  ['00:00:00', 0],
  ['00:00:01', 1_000],
  ['00:10:00', 600_000],
  ['23:59:59', dayMs - 1_000],
  ['1.00:00:00', dayMs],
  ['90.12:30:15', 90 * dayMs + 45_015_000],
  ['99999.23:59:59', 100_000 * dayMs - 1_000],
  ['0.00:00:01', 1_000],
])('%s is %d ms', (text, ms) => {
  expect(parseDurationMs(text)).toBe(ms)
})

test.each([
  '',
  '1',
  '1:00:00',
  '24:00:00',
  '00:60:00',
  '00:00:60',
  '00:00',
  '00:00:00.5',
  '-1.00:00:00',
  '+00:00:01',
  '100000.00:00:00',
  '1.1.00:00:00',
  ' 00:00:01',
  '00:00:01\n',
  '٠٠:٠٠:٠١',
  '1d',
  'PT1S',
])('%j is not a duration', (text) => {
  expect(parseDurationMs(text)).toBeUndefined()
})

const wholeSeconds = fc.integer({ min: 0, max: 100_000 * 86_400 - 1 }).map((seconds) => seconds * 1000)

test('parsing a formatted duration returns the original number', () => {
  fc.assert(fc.property(wholeSeconds, (ms) => parseDurationMs(formatDuration(ms)) === ms))
})

test('formatting a parsed duration returns the original text, without leading zeros of the days', () => {
  const two = (max: number) => fc.integer({ min: 0, max }).map((value) => String(value).padStart(2, '0'))
  const duration = fc
    .tuple(fc.option(fc.integer({ min: 1, max: 99_999 })), two(23), two(59), two(59))
    .map(([days, ...time]) => `${days === null ? '' : `${days}.`}${time.join(':')}`)
  fc.assert(
    fc.property(duration, (text) => {
      const ms = parseDurationMs(text)
      return ms !== undefined && formatDuration(ms) === text
    }),
  )
})

test('a text is a duration only if it matches the grammar', () => {
  const grammar = /^(?:\d{1,5}\.)?(?:[01]\d|2[0-3])(?::[0-5]\d){2}$/
  const nearly = fc.stringMatching(/^[\d.:]{5,16}$/)
  fc.assert(
    fc.property(fc.oneof(nearly, fc.string()), (text) =>
      parseDurationMs(text) === undefined ? !grammar.test(text) : grammar.test(text),
    ),
  )
})
