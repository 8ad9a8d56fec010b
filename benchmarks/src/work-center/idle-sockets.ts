import postgres from 'postgres'
import type { Plan } from '../compare.ts'
import { type Finding, toFigure } from '../finding.ts'
import { openBench } from '../hosts.ts'
import { startServer } from '../server-process.ts'
import { addUsers } from './add-users.ts'
import type { OpenSockets } from './socket-clients.ts'

const name = 'memory for each of 5,000 idle sockets'
const socketCount = 5_000
/** The number of sockets that open before the measurement, so that loading code does not affect the result. */
const warmUpCount = 250

/** Measures how much the memory of a replica grows when 5,000 users each open a page. */
export async function measureIdleSockets(plan: Plan): Promise<readonly Finding[]> {
  if (!plan.isChosen(name)) return []
  const bench = await openBench({ isOnDisk: false })
  const clients = await startServer(new URL('./socket-clients.ts', import.meta.url), {})
  try {
    const size = { documents: 1, notesPerDocument: 0, attachmentsPerDocument: 0 }
    const setup = await bench.setUp('bench_sockets', size)
    const tokens = await Promise.all((await addViewers(setup.databaseUrl)).map(bench.token))
    const replica = await bench.replicate(setup, { collectsGarbage: true })
    const open = async (of: readonly string[]): Promise<number> => {
      await clients.ask({ url: replica.url, tokens: of } satisfies OpenSockets)
      return replica.settledBytes()
    }
    const before = await open(tokens.slice(0, warmUpCount))
    const after = await open(tokens.slice(warmUpCount))
    const value = (after - before) / socketCount / 1_024
    return [toFigure(name, [value], { unit: 'KB', bound: { most: 20 } })]
  } finally {
    await clients.stop()
    await bench.close()
  }
}

async function addViewers(databaseUrl: string): Promise<readonly string[]> {
  const sql = postgres(databaseUrl, { max: 1, onnotice: () => {} })
  try {
    return await addUsers(sql, {
      prefix: 'viewer',
      count: warmUpCount + socketCount,
      roleCode: 'trade.viewer',
    })
  } finally {
    await sql.end({ timeout: 5 })
  }
}
