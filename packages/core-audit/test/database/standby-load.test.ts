import { expect, test } from 'vitest'
import { behind, createStandby, standbyBusy } from '../../src/database/standby.ts'
import { CoreError } from '../../src/errors.ts'

test.each([
  ['a standby without a free connection is tried again by the next read', standbyBusy, 2],
  ['a standby that is unavailable is not', () => new CoreError('service.unavailable'), 1],
])('%s', async (_what, refusal, attemptCount) => {
  let count = 0
  const standby = createStandby(
    () => {
      count += 1
      return Promise.reject(refusal())
    },
    async () => ({ system: '1', database: '1' }),
  )
  for (let read = 0; read < 2; read += 1) {
    expect(await standby.read(async () => 'unreachable', '00000001 0/1')).toBe(behind)
  }
  expect(count).toBe(attemptCount)
})
