import { once } from 'node:events'
import type { Worker } from '@vertical-kit/core-audit/host'
import { sql } from 'drizzle-orm/sql'
import { expect, onTestFinished, test } from 'vitest'
import { openFleet } from './fleet.ts'

/** A worker with one long cycle, and how the cycle has ended. */
function longWork() {
  const outcomes: string[] = []
  const ending = Promise.withResolvers<void>()
  const worker: Worker = {
    name: 'long-work',
    intervalMs: 5_000,
    dueAt: sql<string | null>`now() + interval '1 hour'`,
    keepsTenantOpen: true,
    async runOnce(signal) {
      if (outcomes.length > 0) return
      signal.addEventListener('abort', () => outcomes.push('aborted'))
      await ending.promise
      outcomes.push('ended')
    },
  }
  return { worker, outcomes, end: ending.resolve }
}

/** A worker whose work stays due, like the seals of a log in which a transaction stays open. */
const stuck: Worker = {
  name: 'stuck',
  intervalMs: 60_000,
  dueAt: sql<string | null>`now() - interval '1 hour'`,
  runOnce: async () => {},
}

test('a tenant that can be visited but not opened is tried again after pauses that double', async () => {
  const fleet = await openFleet({ count: 1 })
  await fleet.tenants.round()
  let attempts = 0
  fleet.compositions.set('t0', () => {
    attempts += 1
    throw new Error('composition')
  })
  await fleet.appendElsewhere('t0', 'work')
  for (let second = 0; second < 180; second += 1) {
    fleet.pass(1_000)
    await fleet.tenants.round()
  }
  expect(attempts).toBeGreaterThan(2)
  expect(attempts).toBeLessThan(20)
})

test('tenants whose work stays due give a place to the work of another one', async () => {
  // The last tenant is visited when the other ones have taken all places.
  const turns = [0, 0, 0.5]
  const fleet = await openFleet({
    count: 3,
    config: { maxOpen: 2 },
    random: () => turns.shift() ?? 0.99,
    workers: ({ id }) => (id === 't2' ? [] : [stuck]),
  })
  await fleet.tenants.round()
  await fleet.appendElsewhere('t2', 'waiting')
  fleet.pass(30_000)
  expect(fleet.tenants.openCount).toBe(2)
  await fleet.tenants.round()
  expect(await fleet.stored('t2')).toEqual(['waiting'])
})

test('a tenant whose work stays due returns to its place after pauses that double', async () => {
  const turns = [0, 0.5]
  const fleet = await openFleet({
    count: 2,
    config: { maxOpen: 1 },
    random: () => turns.shift() ?? 0.999,
    workers: ({ id }) => (id === 't1' ? [] : [stuck]),
  })
  const pass = async (seconds: number) => {
    fleet.pass(seconds * 1_000)
    await fleet.tenants.round()
  }
  await pass(0)
  const pauses: number[] = []
  for (let index = 0; index < 7; index += 1) {
    await fleet.appendElsewhere('t1', `${index}`)
    await pass(60)
    await fleet.handled('t1', `${index}`)
    let seconds = 0
    while (fleet.tenants.openCount === 0) {
      seconds += 1
      await pass(1)
    }
    pauses.push(seconds)
  }
  expect(pauses).toEqual([1, 2, 4, 8, 16, 32, 60])
})

test('a tenant in use that was often closed for others is visited soon', async () => {
  const fleet = await openFleet({
    count: 2,
    config: { maxOpen: 1, visitIntervalMs: 3_600_000 },
    random: () => 0.99,
  })
  for (let index = 0; index < 8; index += 1) {
    for (const id of fleet.ids) expect((await fleet.get(id, '/database')).status).toBe(200)
  }
  await fleet.appendElsewhere('t0', 'late')
  fleet.pass(5_000)
  await fleet.tenants.round()
  expect(await fleet.stored('t0')).toEqual(['late'])
})

/**
 * Opens `t0`, `t1`, … in all places, with workers that do not end before `release`. The next tenants, `waitingCount` of them, have
 * work 30 s later and wait. `events` names the tenants that leave, and the other ones that open.
 */
async function openSlowToStop(maxOpen: number, waitingCount: number) {
  const turns = [...Array(maxOpen).fill(0), ...Array(waitingCount).fill(0.5)]
  const release = Promise.withResolvers<void>()
  const events: string[] = []
  const slowToStop = (id: string): Worker => ({
    ...stuck,
    async runOnce(signal) {
      await once(signal, 'abort')
      events.push(`${id} leaves`)
      await release.promise
    },
  })
  const fleet = await openFleet({
    count: maxOpen + waitingCount + 1,
    config: { maxOpen },
    random: () => turns.shift() ?? 0.99,
    workers: ({ id }) => [slowToStop(id)],
  })
  onTestFinished(() => release.resolve())
  void fleet.tenants.round()
  for (const id of fleet.ids.slice(0, maxOpen)) expect((await fleet.get(id, '/database')).status).toBe(200)
  for (const id of fleet.ids.slice(maxOpen)) {
    fleet.compositions.set(id, () => {
      events.push(`${id} opens`)
      return { title: id, authenticate: (_c, next) => next(), modules: [] }
    })
  }
  fleet.pass(30_000)
  void fleet.tenants.round()
  return { fleet, events, release: release.resolve }
}

test('a request that arrives while another tenant leaves its place to work gets this place', async () => {
  const { fleet, events, release } = await openSlowToStop(2, 1)
  await expect.poll(() => events).toEqual(['t0 leaves'])
  const answer = fleet.get('t3', '/health')
  release()
  expect((await answer).status).toBe(200)
  expect(events).toEqual(['t0 leaves', 't3 opens'])
})

test('a tenant leaves its place to each of two tenants with work', async () => {
  const { fleet, events, release } = await openSlowToStop(2, 2)
  await expect.poll(() => events).toEqual(['t0 leaves', 't1 leaves'])
  release()
  await expect.poll(() => events.slice(2)).toEqual(['t2 opens', 't3 opens'])
  await fleet.tenants.close()
})

test('work that waits for a place does not open its tenant when the process has closed', async () => {
  const { fleet, events, release } = await openSlowToStop(1, 1)
  await expect.poll(() => events).toEqual(['t0 leaves'])
  const closed = fleet.tenants.close()
  release()
  await closed
  expect(events).toEqual(['t0 leaves'])
})

test('a tenant that was closed for another one is visited soon, so its new work is found', async () => {
  const fleet = await openFleet({
    count: 2,
    config: { maxOpen: 1, visitIntervalMs: 3_600_000 },
    random: () => 0.99,
  })
  expect((await fleet.get('t0', '/database')).status).toBe(200)
  await fleet.appendElsewhere('t0', 'late')
  expect((await fleet.get('t1', '/database')).status).toBe(200)
  // The other tenant must have rested for some seconds, and must be closed, before this one has a place again.
  const storedLater = async () => {
    fleet.pass(1_000)
    await fleet.tenants.round()
    return fleet.stored('t0')
  }
  await expect.poll(storedLater).toEqual(['late'])
})

test('the work of a tenant waits for a place instead of aborting the work of another one, and reports that it waits', async () => {
  const work = longWork()
  const fleet = await openFleet({
    count: 2,
    config: { maxOpen: 1, visitIntervalMs: 3_600_000 },
    workers: ({ id }) => (id === 't1' ? [] : [work.worker]),
  })
  expect((await fleet.get('t0', '/database')).status).toBe(200)
  await fleet.appendElsewhere('t1', 'waiting')
  const pass = async (seconds: number) => {
    for (let second = 0; second < seconds; second += 1) {
      fleet.pass(1_000)
      await fleet.tenants.round()
    }
  }
  await pass(120)
  expect(work.outcomes).toEqual([])
  expect(await fleet.tenants.health.check(new AbortController().signal)).toEqual({
    status: 'Degraded',
    detail: '1 of 2 tenants have work, but no place. The log names them.',
  })
  expect(fleet.log.entries.filter(({ level }) => level === 'warn')).toEqual([
    expect.objectContaining({ tenant: 't1' }),
  ])
  work.end()
  await expect.poll(() => work.outcomes).toEqual(['ended'])
  await pass(64)
  await fleet.handled('t1', 'waiting')
  expect(await fleet.tenants.health.check(new AbortController().signal)).toEqual({ status: 'Healthy' })
})

test('a tenant that opens for its work makes room for a request that has waited since the opening', async () => {
  // Only the first tenant is due for a visit.
  const turns = [0, 0.99]
  const fleet = await openFleet({ count: 2, config: { maxOpen: 1 }, random: () => turns.shift() ?? 0.99 })
  const [reached, release] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const untilAborted: Worker = {
    name: 'until-aborted',
    intervalMs: 5_000,
    runOnce: (signal) => once(signal, 'abort').then(() => {}),
  }
  fleet.compositions.set('t0', async ({ id }) => {
    reached.resolve()
    await release.promise
    const modules = [{ name: 'busy', workers: [untilAborted] }]
    return { title: id, authenticate: (_c, next) => next(), modules }
  })
  const round = fleet.tenants.round()
  await reached.promise
  const waiting = fleet.get('t1', '/database')
  release.resolve()
  expect((await waiting).status).toBe(200)
  await round
})

test('a tenant does not close during a long cycle of a worker', async () => {
  const work = longWork()
  const fleet = await openFleet({
    count: 1,
    workers: () => [work.worker],
  })
  const longerThanIdle = async () => {
    for (let second = 0; second < 120; second += 1) {
      fleet.pass(1_000)
      await fleet.tenants.round()
    }
  }
  expect((await fleet.get('t0', '/database')).status).toBe(200)
  await longerThanIdle()
  expect(work.outcomes).toEqual([])
  work.end()
  await expect.poll(() => work.outcomes).toEqual(['ended'])
  await longerThanIdle()
  expect(fleet.tenants.openCount).toBe(0)
})
