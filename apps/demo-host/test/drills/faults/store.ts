import { setTimeout as delay } from 'node:timers/promises'
import type { Drill } from '../drill.ts'
import type { World } from '../world.ts'

const bucketless = ['PutObject', 'HeadObject', 'CopyObject'] as const

/** Lets the store misbehave in every way that it supports, one after another. */
export const lyingStore: Drill = {
  name: 'lying-store',
  title: 'ignores copy conditions, answers 500 and 503, and answers late',
  rounds: 10,
  losesConnections: false,
  async fault(world) {
    const { faults } = world.store
    const ways = [
      () => faults.ignoreCopyConditions(),
      () => faults.fail({ status: 500, times: 20 }),
      () => faults.fail({ status: 503, times: 20, operations: bucketless }),
      () => faults.delay({ delayMs: 300 }),
    ]
    for (const start of ways) {
      const fault = start()
      await world.clients.eachCompletesAWrite()
      fault.clear()
    }
    return { 'store faults': ways.length }
  },
}

/** Makes the store unreachable until a client was refused. Notes and actions do not need the store. */
export const unreachableStore: Drill = {
  name: 'store-outage',
  title: 'makes the store unreachable until clients get 503',
  rounds: 10,
  losesConnections: false,
  async fault(world) {
    const fault = world.store.faults.unreachable()
    await untilRefused(world)
    fault.clear()
    return { 'store outages': 1 }
  },
}

async function untilRefused({ balancer }: World): Promise<void> {
  const refusals = (): number => balancer.traffic.statuses.get(503) ?? 0
  const before = refusals()
  while (refusals() === before) await delay(20)
}
