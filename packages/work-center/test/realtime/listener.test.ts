import { captureLog } from '@vertical-kit/core-audit/testing'
import { expect, onTestFinished, test } from 'vitest'
import { startListener } from '../../src/realtime/listener.ts'

test('a missing file of authorities is a lost connection, and the listener tries again', async () => {
  const { logger, lines } = captureLog()
  const listener = startListener({
    ...{ url: 'postgres://localhost/app?sslmode=verify-full&sslrootcert=/nowhere.crt', channel: 'versions' },
    ...{ config: { canaryIntervalMs: 1_000, reconnectMinMs: 1, reconnectMaxMs: 1 }, logger },
    ...{ onPayload: () => {}, onListening: () => {} },
  })
  onTestFinished(() => listener.close())
  expect(lines.filter((line) => line.includes('Not receiving changes of other replicas'))).toHaveLength(1)
})
