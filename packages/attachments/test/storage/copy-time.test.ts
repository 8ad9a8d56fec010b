import { expect, test } from 'vitest'
import { copyMs } from '../../src/storage/s3-storage.ts'

test.each([
  [0, 0],
  [1, 1],
  [16 * 1024 ** 2, 1_000],
  [5 * 1024 ** 3, 320_000],
])('the deadline of a copy of %i bytes is extended by %i ms', (sizeBytes, expected) => {
  expect(copyMs({ sizeBytes })).toBe(expected)
})
