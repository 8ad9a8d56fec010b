import { type Plan, ratioOf } from '../compare.ts'
import { type Finding, logged } from '../finding.ts'
import { type Bench, openBench } from '../hosts.ts'
import { alternate } from '../measure.ts'
import { noOpCount, openNoOpOutbox, type Queue } from '../outbox/no-op-events.ts'
import { startPeer } from './peer-process.ts'

const peers = ['graphile-worker', 'pg-boss']
const nameOf = (peer: string): string => `events without work, compared with ${peer}`

/** Compares how fast the outbox handles events that cause no work with job queues whose jobs do nothing. */
export async function compareQueues(plan: Plan): Promise<readonly Finding[]> {
  const chosen = peers.filter((peer) => plan.isChosen(nameOf(peer)))
  if (chosen.length === 0) return []
  const bench = await openBench({ isOnDisk: false })
  try {
    const outbox = await openNoOpOutbox(bench)
    const findings: Finding[] = []
    for (const peer of chosen) {
      const queue = await openPeerQueue(bench, peer)
      const { a, b } = await alternate(plan.rounds, outbox.drain, queue.drain)
      const labels = ['outbox', peer] as const
      findings.push(logged(ratioOf({ name: nameOf(peer), labels, unit: '/s', rounds: { a, b } })))
      await queue.stop()
    }
    await outbox.stop()
    return findings
  } finally {
    await bench.close()
  }
}

async function openPeerQueue({ postgres }: Bench, peer: string): Promise<Queue> {
  const database = `bench_${peer.replace('-', '_')}`
  await postgres.createDatabase(database)
  const process = await startPeer(peer, { DATABASE_URL: postgres.url(database), COUNT: String(noOpCount) })
  return {
    async drain() {
      const { spanMs } = (await process.ask('start')) as { readonly spanMs: number }
      return noOpCount / (spanMs / 1_000)
    },
    stop: process.stop,
  }
}
