import { setTimeout as delay } from 'node:timers/promises'
import type { Failure } from '../cluster.ts'
import type { Drill } from '../drill.ts'
import type { World } from '../world.ts'

const failures: readonly Failure[] = ['crash', 'machine', 'freeze']
/** All hosts must write again within this time after the promotion. */
const recoveryLimitMs = 15_000
let failureCount = 0

/** Lets the primary of a replicated cluster fail in different ways, while hosts use it through a balancer and poolers. */
export const failover: Drill = {
  name: 'failover',
  title: 'crashes the primary under Patroni, kills all processes of its machine, or freezes them',
  rounds: 20,
  losesConnections: false,
  world: { isClustered: true },
  async fault(world) {
    const { cluster } = world
    if (cluster === undefined) throw new TypeError('This drill needs a cluster')
    await cluster.healthy()
    const failure = failures[failureCount++ % failures.length] ?? 'crash'
    const repair = await cluster.failPrimary(failure)
    const recoveryMs = await untilEveryHostWrites(world)
    if (recoveryMs > recoveryLimitMs) throw new Error(`The hosts wrote ${recoveryMs} ms after the promotion`)
    await repair()
    return {
      [`primaries failed by a ${failure}`]: 1,
      'ms from the promotions to writes through all hosts': recoveryMs,
    }
  },
}

async function untilEveryHostWrites({ hosts, token }: World): Promise<number> {
  const promotedMs = performance.now()
  const clerk = await token('clerk')
  await Promise.all(
    hosts.map(async ({ url }) => {
      while (!(await writes(url, clerk))) await delay(50)
    }),
  )
  return Math.round(performance.now() - promotedMs)
}

async function writes(url: string, token: string): Promise<boolean> {
  const response = await fetch(`${url}/api/catalogs/trade.customer`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ name: 'After the failover', fields: {} }),
  })
  await response.text()
  return response.status === 201
}
