import { newId } from '@vertical-kit/core-audit'
import { expect, test } from 'vitest'
import { idAfter, idAt, roundIdBetween, timeOfId } from '../../../src/audit/seal/event-ids.ts'

test('the id of a time is larger than all ids of earlier times, and not larger than those of this time', () => {
  const id = newId()
  const timeMs = timeOfId(id)
  expect(Math.abs(Date.now() - timeMs)).toBeLessThan(60_000)
  expect(idAt(timeMs) <= id).toBe(true)
  expect(idAt(timeMs + 1) > id).toBe(true)
  expect(timeOfId(idAt(timeMs))).toBe(timeMs)
  expect(idAt(timeMs + 0.9)).toBe(idAt(timeMs))
})

test('a time before 1970 has the smallest id', () => {
  expect(idAt(-1)).toBe('00000000-0000-0000-0000-000000000000')
})

test.each([
  ['00000000-0000-0000-0000-000000000000', '00000000-0000-0000-0000-000000000001'],
  ['019b76da-a800-7fff-8fff-ffffffffffff', '019b76da-a800-7fff-9000-000000000000'],
  ['ffffffff-ffff-ffff-ffff-ffffffffffff', 'ffffffff-ffff-ffff-ffff-ffffffffffff'],
])('the successor of %s is %s', (id, next) => {
  expect(idAfter(id)).toBe(next)
})

test.each([
  [
    '019b76da-a800-7123-8000-000000000001',
    '019b76da-a805-7456-9000-000000000001',
    '019b76da-a804-0000-0000-000000000000',
  ],
  [
    '019b76da-a800-7123-8fff-ffffffffffff',
    '019b76da-a800-7123-9000-000000000001',
    '019b76da-a800-7123-9000-000000000000',
  ],
  [
    '019b76da-a800-7123-8000-000000000001',
    '019b76da-a800-7123-8000-000000000002',
    '019b76da-a800-7123-8000-000000000002',
  ],
])('the roundest id after %s up to %s is %s', (older, newer, round) => {
  expect(roundIdBetween(older, newer)).toBe(round)
})

test('the time of a round id is as inexact as the distance of the two ids', () => {
  const nowMs = Date.now()
  for (const distanceMs of [1, 1_000, 60_000, 3_600_000]) {
    const [older, newer] = [idAfter(idAt(nowMs)), idAfter(idAt(nowMs + distanceMs))]
    const round = roundIdBetween(older, newer)
    expect(round > older && round < newer).toBe(true)
    expect(timeOfId(round) % 2 ** Math.floor(Math.log2(distanceMs))).toBe(0)
  }
})
