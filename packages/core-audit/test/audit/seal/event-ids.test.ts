import { newId } from '@vertical-kit/core-audit'
import { expect, test } from 'vitest'
import { idAfter, idAt, timeOfId } from '../../../src/audit/seal/event-ids.ts'

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
