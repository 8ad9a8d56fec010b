import { newId } from '@vertical-kit/core-audit'
import { testCaller } from '@vertical-kit/core-audit/testing'
import { HTTPException } from 'hono/http-exception'
import { expect, test } from 'vitest'
import { loadSubscribers, type ObjectSubscriber } from '../../src/realtime/object-rights.ts'

const subscriber = (callerNow: ObjectSubscriber['callerNow']): ObjectSubscriber => ({
  callerNow,
  sendObject: () => {},
})
const reference = { kind: 'Document', typeCode: 'trade.invoice', id: newId() } as const

test('a caller that is refused or cannot be read does not affect the others', async () => {
  const caller = testCaller()
  const fault = new Error('The session store is broken')
  const fine = subscriber(async () => caller)
  const signedOut = subscriber(() => Promise.reject(new HTTPException(401)))
  const unavailable = subscriber(() => Promise.reject(new HTTPException(503)))
  const broken = subscriber(() => Promise.reject(fault))
  const all = [signedOut, broken, fine, unavailable, fine]
  const { callers, failures } = await loadSubscribers(all.map((one) => ({ subscriber: one, reference })))
  expect([...callers]).toEqual([[fine, caller]])
  expect([...failures]).toEqual([
    [broken, fault],
    [unavailable, expect.objectContaining({ status: 503 })],
  ])
})
