import { newId } from '@vertical-kit/core-audit'
import type { Caller } from '@vertical-kit/core-audit/access'
import type { Db } from '@vertical-kit/core-audit/database'
import { testCaller } from '@vertical-kit/core-audit/testing'
import { HTTPException } from 'hono/http-exception'
import { expect, onTestFinished, test, vi } from 'vitest'
import { loadRights, loadSubscribers, type ObjectSubscriber } from '../../src/realtime/object-rights.ts'

const subscriber = (callerNow: ObjectSubscriber['callerNow']): ObjectSubscriber => ({
  callerNow,
  sendObject: () => {},
})
const reference = { kind: 'Document', typeCode: 'trade.invoice', id: newId() } as const

/** The database is not used: the functions of these tests answer without it. */
const db: Db = { execute: () => Promise.reject(new Error('No statement is expected')) }

test('a caller that is refused, cannot be read or never loads does not affect the others', async () => {
  const fault = new Error('The session store is broken')
  const fine = subscriber(async () => testCaller())
  const signedOut = subscriber(() => Promise.reject(new HTTPException(401)))
  const unavailable = subscriber(() => Promise.reject(new HTTPException(503)))
  const broken = subscriber(() => Promise.reject(fault))
  const hanging = subscriber(() => new Promise(() => {}))
  const subscriptions = [signedOut, broken, fine, unavailable, hanging, fine].map((one) => ({
    subscriber: one,
    reference,
  }))
  const callers = await loadSubscribers(subscriptions, 1)
  const areReadable = async (_: Db, attempts: readonly unknown[]) => attempts.map(() => true)
  const { allowed, failures } = await loadRights(db, { areReadable }, { subscriptions, callers })
  expect([...allowed]).toEqual([subscriptions[2], subscriptions[5]])
  expect([...failures]).toEqual([
    [subscriptions[1], fault],
    [subscriptions[3], expect.objectContaining({ status: 503 })],
    [subscriptions[4], new Error('The caller of a connection did not load in time.')],
  ])
})

test('objects whose rights cannot be read do not affect the others', async () => {
  const fault = new Error('The table is missing')
  const fine = subscriber(async () => testCaller())
  const broken = { kind: 'Document', typeCode: 'trade.broken', id: newId() } as const
  const subscriptions = [broken, reference].map((one) => ({ subscriber: fine, reference: one }))
  const { allowed, failures } = await loadRights(
    db,
    {
      areReadable: async (_, attempts, failed) => {
        failed?.(0, fault)
        return attempts.map((_, index) => index !== 0)
      },
    },
    { subscriptions, callers: await loadSubscribers(subscriptions) },
  )
  expect([...allowed]).toEqual([subscriptions[1]])
  expect([...failures]).toEqual([[subscriptions[0], fault]])
})

test('a caller that is still loading is asked for again after a minute', async () => {
  vi.useFakeTimers({ toFake: ['performance'] })
  onTestFinished(() => void vi.useRealTimers())
  let count = 0
  const loaded = Promise.withResolvers<Caller>()
  const slow = subscriber(() => {
    count += 1
    return loaded.promise
  })
  const load = async (limitMs?: number) =>
    [...(await loadSubscribers([{ subscriber: slow, reference }], limitMs)).values()][0]?.status
  expect([await load(1), await load(1)]).toEqual(['rejected', 'rejected'])
  expect(count).toBe(1)
  vi.advanceTimersByTime(60_000)
  expect(await load(1)).toBe('rejected')
  expect(count).toBe(2)
  loaded.resolve(testCaller())
  await loaded.promise
  expect(await load()).toBe('fulfilled')
  expect(count).toBe(3)
})
