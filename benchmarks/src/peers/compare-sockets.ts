import postgres from 'postgres'
import { type Plan, ratioOf } from '../compare.ts'
import { type Finding, logged } from '../finding.ts'
import { openBench } from '../hosts.ts'
import { alternate } from '../measure.ts'
import { type ServerProcess, startServer } from '../server-process.ts'
import { addUsers } from '../work-center/add-users.ts'
import { peerScript, startPeer } from './peer-process.ts'

const perSocket = 'memory of an idle socket, compared with socket.io'
const fanOut = 'time to notify 5,000 sockets, compared with socket.io'
const socketCount = 5_000
const warmUpCount = 250

/** A server with open sockets of all users. */
interface Sockets {
  /** The growth of the memory of the server for each socket. */
  readonly kilobytesPerSocket: number
  /** Sends a version to every user. Resolves with the time until the last socket has received it. */
  notify(): Promise<number>
  stop(): Promise<void>
}

/**
 * Compares the hub with socket.io: one user for each socket, and a version for each user. The hub checks tokens, and receives
 * the versions with NOTIFY, as replicas do. socket.io checks nothing and receives them from its own process.
 */
export async function compareSockets(plan: Plan): Promise<readonly Finding[]> {
  if (!plan.isChosen(perSocket) && !plan.isChosen(fanOut)) return []
  const bench = await openBench({ isOnDisk: false })
  const opened: Sockets[] = []
  try {
    const size = { documents: 1, notesPerDocument: 0, attachmentsPerDocument: 0 }
    const setup = await bench.setUp('bench_beside_sockets', size)
    const sql = postgres(setup.databaseUrl, { max: 1, onnotice: () => {} })
    const count = warmUpCount + socketCount
    const subjects = await addUsers(sql, { prefix: 'viewer', count, roleCode: 'trade.viewer' })
    const users = await sql<{ id: string }[]>`
      select id from core_audit.users where subject = any(${subjects as string[]}::text[])`
    const ids = users.map(({ id }) => id)
    const hub = await openSockets({
      server: await bench.replicate(setup, { collectsGarbage: true }),
      clients: await startServer(new URL('../work-center/socket-clients.ts', import.meta.url), {}),
      tokens: await Promise.all(subjects.map(bench.token)),
      send: (version) => announce(sql, ids, version),
    })
    opened.push(hub)
    const server = await startPeer('socket-io', {}, { collectsGarbage: true })
    const peer = await openSockets({
      server,
      clients: await startServer(peerScript('socket-io-clients'), {}),
      tokens: ids,
      send: (version) => server.ask({ users: ids, version }),
    })
    opened.push({ ...peer, stop: () => Promise.all([peer.stop(), server.stop(), sql.end()]).then(() => {}) })
    const labels = ['hub', 'socket.io'] as const
    const times = await alternate(plan.rounds * 4, hub.notify, peer.notify)
    const memory = { a: [hub.kilobytesPerSocket], b: [peer.kilobytesPerSocket] }
    return [
      logged(ratioOf({ name: perSocket, labels, unit: 'KB', rounds: memory })),
      logged(ratioOf({ name: fanOut, labels, unit: 'ms', rounds: times })),
    ]
  } finally {
    for (const sockets of opened) await sockets.stop()
    await bench.close()
  }
}

interface SocketsOptions {
  readonly server: ServerProcess
  readonly clients: ServerProcess
  readonly tokens: readonly string[]
  /** Sends a version to all users. */
  send(version: number): Promise<unknown>
}

async function openSockets({ server, clients, tokens, send }: SocketsOptions): Promise<Sockets> {
  const open = async (of: readonly string[]): Promise<number> => {
    await clients.ask({ url: server.url, tokens: of })
    return server.settledBytes()
  }
  const before = await open(tokens.slice(0, warmUpCount))
  const after = await open(tokens.slice(warmUpCount))
  let version = 1_000_000
  return {
    kilobytesPerSocket: (after - before) / socketCount / 1_024,
    async notify() {
      version += 1
      await clients.ask({ version })
      const startedMs = performance.now()
      const received = clients.next()
      await send(version)
      await received
      return performance.now() - startedMs
    },
    stop: clients.stop,
  }
}

/** Announces a version of each user like a replica. A payload contains the versions of 150 users: 8,000 bytes is the limit. */
async function announce(sql: postgres.Sql, ids: readonly string[], version: number): Promise<void> {
  const payloads: string[] = []
  for (let at = 0; at < ids.length; at += 150) {
    payloads.push(JSON.stringify(Object.fromEntries(ids.slice(at, at + 150).map((id) => [id, version]))))
  }
  await sql`select pg_notify('work_center_versions', payload) from unnest(${payloads}::text[]) payload`
}
