import { type AuditAnchor, auditSealingDefaults, createAuditSealing } from '@vertical-kit/core-audit/audit'
import { expect, onTestFinished, test } from 'vitest'
import { addEvents, storedSeals } from '../../audit/seal/sealed-log.ts'
import { openConnection, openPool } from '../../harness.ts'
import { type FleetOptions, openFleet } from './fleet.ts'

test('audit events of a closed tenant are sealed by one opening, which ends the visits with work', async () => {
  const config = { ...auditSealingDefaults, delayMs: 0 }
  const fleet = await openFleet({
    count: 1,
    workers: ({ database }) => createAuditSealing({ database, config }).workers ?? [],
  })
  await fleet.tenants.round()
  const url = fleet.urlOf('t0')
  await addEvents(openPool(url), 1, 5)
  fleet.pass(60_000)
  await fleet.tenants.round()
  const [sealed] = await openConnection(
    url,
  )`select sum(event_count)::int as count from core_audit.audit_seals`
  expect(sealed).toEqual({ count: 5 })
  expect(fleet.tenants.openCount).toBe(0)
})

/** Opens tenants of which the first one seals its audit events and stores anchors with `storeAnchor`. */
async function openSealing(
  storeAnchor: (anchor: AuditAnchor) => Promise<void>,
  options: Pick<FleetOptions, 'count' | 'config'> = { count: 1 },
) {
  const config = { ...auditSealingDefaults, delayMs: 0 }
  const fleet = await openFleet({
    ...options,
    workers: ({ id, database }) =>
      id === 't0' ? (createAuditSealing({ database, config, storeAnchor }).workers ?? []) : [],
  })
  const database = openPool(fleet.urlOf('t0'))
  return {
    fleet,
    addEvent: (number: number) => addEvents(database, number, number),
    sealCount: async () => (await storedSeals(database)).length,
    async visit() {
      fleet.pass(60_000)
      await fleet.tenants.round()
      expect(fleet.tenants.openCount).toBe(0)
    },
  }
}

test('every seal that is the newest when a tenant closes has one anchor', async () => {
  const stored: number[] = []
  const { fleet, addEvent, visit } = await openSealing(async ({ sequence }) => void stored.push(sequence))
  for (const number of [1, 2, 3]) {
    await addEvent(number)
    await visit()
    expect(stored.at(-1)).toBe(number)
  }
  expect((await fleet.get('t0', '/database')).status).toBe(200)
  await visit()
  expect(stored).toEqual([1, 2, 3])
})

test('an anchor of a closed tenant that was not stored is stored at the next visit', async () => {
  const outcomes: string[] = []
  const failing = new Set([1, 2, 4])
  const { addEvent, visit } = await openSealing(async ({ sequence }) => {
    const isFailing = failing.delete(outcomes.length + 1)
    outcomes.push(`${sequence} ${isFailing ? 'failed' : 'stored'}`)
    if (isFailing) throw new Error('The store is not available')
  })
  await addEvent(1)
  // The cycle and the closing try to store it.
  await visit()
  expect(outcomes).toEqual(['1 failed', '1 failed'])
  await visit()
  expect(outcomes.slice(2)).toEqual(['1 stored'])
  await addEvent(2)
  // The closing tries to store this anchor, because the interval between two anchors has not passed.
  await visit()
  expect(outcomes.slice(3)).toEqual(['2 failed'])
  for (let minute = 0; minute < 5; minute += 1) await visit()
  expect(outcomes.slice(3)).toEqual(['2 failed', '2 stored'])
})

/** The first anchor is stored by a cycle, and a later one by the closing, because its interval has not passed. */
test.each([1, 2])(
  'a tenant leaves its place while anchor %i is being stored, but the process waits for it',
  async (slow) => {
    const [started, stored] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    onTestFinished(() => stored.resolve())
    const { fleet, addEvent, sealCount } = await openSealing(
      async ({ sequence }) => {
        if (sequence < slow) return
        started.resolve()
        await stored.promise
      },
      { count: 2, config: { maxOpen: 1 } },
    )
    for (let number = 1; number <= slow; number += 1) {
      await addEvent(number)
      expect((await fleet.get('t0', '/database')).status).toBe(200)
      await expect.poll(sealCount).toBe(number)
      if (slow === 1) await started.promise
      expect((await fleet.get('t1', '/database')).status).toBe(200)
    }
    await started.promise
    // Otherwise, a worker did not stop in time.
    expect(fleet.log.entries.filter(({ level }) => level === 'warn')).toEqual([])
    const order: string[] = []
    const closed = fleet.tenants.close().then(() => order.push('closed'))
    await expect.poll(() => fleet.tenants.openCount).toBe(0)
    order.push('stored')
    stored.resolve()
    await closed
    expect(order).toEqual(['stored', 'closed'])
  },
)
