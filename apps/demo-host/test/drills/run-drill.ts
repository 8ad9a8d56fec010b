import { addCounts, type Counts, type Drill } from './drill.ts'
import { checkInvariants } from './invariants.ts'
import { openWorld, type World } from './world.ts'

type Report = (line: string) => void

/**
 * Runs a drill in a world of its own and checks all invariants after it.
 *
 * @throws {Error} with all violations
 */
export async function runDrill(drill: Drill, rounds: number, report: Report): Promise<Counts> {
  const world = await openWorld(drill.world)
  try {
    const counts = await runRounds(world, drill, rounds, report)
    return { ...counts, ...(await finish(world)) }
  } finally {
    await world.close()
  }
}

/** Injects the fault of a drill several times. After every round, each client must complete a cycle of writes. */
export async function runRounds(
  world: World,
  drill: Drill,
  rounds: number,
  report: Report = () => {},
): Promise<Counts> {
  const { traffic } = world.balancer
  const lostBefore = traffic.lost
  let counts: Counts = { rounds }
  let longestMs = 0
  for (let round = 1; round <= rounds; round += 1) {
    counts = addCounts(counts, await Promise.race([drill.fault(world), world.clients.failure]))
    const overMs = performance.now()
    await world.clients.eachCompletesAWrite()
    const recoveryMs = Math.round(performance.now() - overMs)
    longestMs = Math.max(longestMs, recoveryMs)
    report(`round ${round} of ${rounds}: every client wrote again after ${recoveryMs} ms`)
  }
  const lost = traffic.lost - lostBefore
  if (lost > 0 && !drill.losesConnections) throw new Error(`${lost} requests lost their connection`)
  return { ...counts, 'longest recovery in ms': longestMs }
}

/** Stops the clients and checks all invariants. Returns the counts of all requests and writes. */
export async function finish(world: World): Promise<Counts> {
  await world.clients.stop()
  const { statuses, lost } = world.balancer.traffic
  const answers = [...statuses]
    .toSorted(([a], [b]) => a - b)
    .map(([status, count]) => [`answers with ${status}`, count] as const)
  const traffic = { ...Object.fromEntries(answers), 'requests without an answer': lost }
  return { ...traffic, ...(await checkInvariants(world)) }
}
