import type { Plan } from '../compare.ts'
import type { Finding } from '../finding.ts'
import { compareDirectus } from './compare-directus.ts'
import { compareQueues } from './compare-queues.ts'
import { compareSockets } from './compare-sockets.ts'
import { installPeers } from './peer-process.ts'

/** Compares the host with Directus, graphile-worker, pg-boss and socket.io, on the same machine in alternating rounds. */
export async function comparePeers(plan: Plan): Promise<readonly Finding[]> {
  await installPeers()
  return [...(await compareDirectus(plan)), ...(await compareQueues(plan)), ...(await compareSockets(plan))]
}
