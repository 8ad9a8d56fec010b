import { userInfo } from 'node:os'
import { expect, onTestFinished, test, vi } from 'vitest'
import { operatorName } from '../src/operator-name.ts'

test('OPERATOR names the operator; otherwise the account does', () => {
  onTestFinished(() => void vi.unstubAllEnvs())
  vi.stubEnv('OPERATOR', ' anna ')
  expect(operatorName()).toBe('anna')
  vi.stubEnv('OPERATOR', '')
  expect(operatorName()).toBe(userInfo().username)
})
