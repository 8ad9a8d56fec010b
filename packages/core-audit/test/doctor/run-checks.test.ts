import { type DoctorCheck, failed, ok } from '@vertical-kit/core-audit/doctor'
import { expect, test } from 'vitest'
import { runChecks } from '../../src/doctor/run-checks.ts'

const silent = () => new Promise<never>(() => {})

/** Runs the checks until their time is over, and returns the findings by name. */
async function statusesAtTheEnd(checks: readonly DoctorCheck[]) {
  const ending = new AbortController()
  const context = { token: undefined, origins: [], replicaCount: 1, now: Date.now }
  const running = runChecks(checks, { ...context, limitMs: 60_000, signal: ending.signal })
  // The checks that answer have answered by then.
  await new Promise(setImmediate)
  ending.abort()
  return Object.fromEntries((await running).map(({ name, status, message }) => [name, [status, message]]))
}

test('of checks without an answer, those that need another one are skipped', async () => {
  expect(
    await statusesAtTheEnd([
      { name: 'shop.till', run: silent },
      { name: 'shop.sale', needs: ['shop.till'], run: silent },
      { name: 'shop.refund', needs: ['shop.sale'], run: silent },
    ]),
  ).toEqual({
    'shop.till': ['failed', 'No answer within 60 s.'],
    'shop.sale': ['skipped', 'Needs shop.till.'],
    'shop.refund': ['skipped', 'Needs shop.sale.'],
  })
})

test('a check without an answer fails if those that it needs have succeeded, and is skipped if one has failed', async () => {
  expect(
    await statusesAtTheEnd([
      { name: 'shop.door', run: async () => ok('It is open.') },
      { name: 'shop.lamp', run: async () => failed('It is off.', 'Set Shop__Lamp.') },
      { name: 'shop.visit', needs: ['shop.door'], run: silent },
      { name: 'shop.reading', needs: ['shop.door', 'shop.lamp'], run: silent },
    ]),
  ).toMatchObject({
    'shop.visit': ['failed', 'No answer within 60 s.'],
    'shop.reading': ['skipped', 'Needs shop.lamp.'],
  })
})
