import postgres from 'postgres'
import { cpuMsOfFamily } from '../cpu-time.ts'
import * as endpoints from '../endpoints.ts'
import { type Bench, type Checkout, openBench, type Setup } from '../hosts.ts'
import { alternate, type Drive } from '../measure.ts'
import { readInTurn } from '../work-center/feeds.ts'
import { fillInboxes, readersOf } from '../work-center/fill-inboxes.ts'
import { isLoss, type Run, type Shares, sharesOf } from './verdict.ts'

const size = { documents: 1_400, notesPerDocument: 20, attachmentsPerDocument: 20 }
const load = { connections: 16, seconds: 0.6 }
const usualRounds = 4
/** A confirmation uses more rounds, because it decides. */
const confirmingRounds = 8
/** In a usual comparison, no further endpoint starts after this time, so that a slow machine only compares fewer endpoints. */
const limitMs = 70_000

const compared = [
  endpoints.listNotes,
  endpoints.contentSummary,
  endpoints.createNote,
  endpoints.editorState,
  endpoints.execute,
]

interface Side {
  readonly setup: Setup
  /** Returns the load of each endpoint. */
  readonly drives: ReadonlyMap<string, Drive>
}

export interface ComparisonOptions {
  /** The rounds of each side for each endpoint, which then have no time limit. By default, few rounds within a time limit. */
  readonly rounds: number | undefined
  /** The endpoints to compare: those whose names begin with one of these texts. By default, all. */
  readonly only: readonly string[] | undefined
}

/** Compares both hosts, prints the shares, and returns the names of the endpoints with a confirmed loss. */
export async function compareEndpoints(
  predecessorRoot: URL,
  { rounds, only = [''] }: ComparisonOptions,
): Promise<{ readonly losses: readonly string[] }> {
  const startedMs = performance.now()
  const bench = await openBench({ isOnDisk: false })
  try {
    const postmaster = await postmasterOf(bench)
    const root = new URL('../../../', import.meta.url)
    const current = await openSide(bench, 'current', { root, fromSource: true })
    const predecessor = await openSide(bench, 'predecessor', { root: predecessorRoot, fromSource: true })
    const measure = async (name: string, roundCount: number): Promise<Shares> => {
      const { a, b } = await alternate<Run>(
        roundCount,
        () => runOnce(current, name, postmaster),
        () => runOnce(predecessor, name, postmaster),
      )
      const shares = sharesOf({ current: a, predecessor: b })
      console.log(
        `  ${name.padEnd(18)} ${shares.throughput.toFixed(2)} × the throughput, ` +
          `${(1 / shares.efficiency).toFixed(2)} × the CPU time per request`,
      )
      return shares
    }
    const losses: string[] = []
    const names = [...current.drives.keys()].filter((name) => only.some((start) => name.startsWith(start)))
    if (names.length === 0) throw new TypeError(`--only: no endpoint begins with ${only.join(' or ')}`)
    for (const name of names) {
      if (rounds === undefined && performance.now() - startedMs > limitMs) {
        console.log(`  ${name.padEnd(18)} not compared: the time is up`)
      } else if (isLoss(await measure(name, rounds ?? usualRounds))) {
        console.log('  This looks like a loss; measuring again:')
        if (isLoss(await measure(name, Math.max(confirmingRounds, rounds ?? 0)))) losses.push(name)
      }
    }
    return { losses }
  } finally {
    await bench.close()
  }
}

async function openSide(bench: Bench, name: string, checkout: Checkout): Promise<Side> {
  const setup = await bench.setUp(`bench_${name}`, size, { checkout })
  const readers = await fillInboxes(setup.databaseUrl, { readers: readersOf(10_000) })
  const drives = new Map<string, Drive>()
  for (const endpoint of compared) drives.set(endpoint.name, await endpoint.open(setup))
  drives.set('attention page', await readInTurn(bench, readers, 'attention page'))
  return { setup, drives }
}

async function runOnce({ setup, drives }: Side, name: string, postmaster: number): Promise<Run> {
  const drive = drives.get(name)
  if (drive === undefined) throw new Error(`Unknown endpoint ${name}`)
  const cpuMs = () => setup.server.cpuMs() + cpuMsOfFamily(postmaster)
  const beforeMs = cpuMs()
  const { requests, requestsPerSecond } = await drive(setup.host, load)
  return { requestsPerSecond, cpuMsPerRequest: (cpuMs() - beforeMs) / requests }
}

async function postmasterOf({ postgres: { adminUrl } }: Bench): Promise<number> {
  const sql = postgres(adminUrl, { max: 1 })
  const [row] = await sql<[{ file: string }]>`select pg_read_file('postmaster.pid') as file`
  await sql.end({ timeout: 5 })
  return Number(row.file.split('\n')[0])
}
