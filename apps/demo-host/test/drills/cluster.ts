import { execFile } from 'node:child_process'
import { chmod, mkdir, readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { parseEnv, promisify } from 'node:util'
import { dataFolder } from '../demo-process.ts'

const run = promisify(execFile)
/** The script that starts and stops the processes. */
export const haScript = fileURLToPath(new URL('../../../../deploy/ha/ha', import.meta.url))

/**
 * How a primary fails:
 * - `crash`: its PostgreSQL is killed; Patroni still runs and gives the role up.
 * - `machine`: all of its processes are killed; the role ends with its time to live.
 * - `freeze`: all of its processes stop, and continue after the promotion, still in the belief that they are the primary.
 */
export type Failure = 'crash' | 'machine' | 'freeze'

/** A cluster of two nodes that `deploy/ha/ha` has started. */
export interface Cluster {
  /** The folder with the data, the configuration and the ids of the processes. */
  readonly folder: string
  /** `DATABASE_URL` and the other keys of a host. */
  readonly environment: Readonly<Record<string, string>>
  /** Waits until one node is the primary and the other one its synchronous standby, which can be promoted. */
  healthy(): Promise<void>
  /** Lets the primary fail and waits until the other node is promoted. Returns a function that repairs the failed node. */
  failPrimary(failure: Failure): Promise<() => Promise<void>>
  /** Stops all processes and removes the folder. */
  stop(): Promise<void>
}

/** Starts a cluster on free ports, with its data in a folder of its own. */
export async function startCluster(): Promise<Cluster> {
  const parent = await dataFolder()
  // The account of PostgreSQL must be able to enter the folder.
  await chmod(parent.path, 0o755)
  const folder = join(parent.path, 'cluster')
  // The account of PostgreSQL cannot enter the current folder, for example the home of root.
  const cwd = join(parent.path, 'private')
  await mkdir(cwd, { mode: 0o700 })
  const ha = (command: string) => run(haScript, [command, '--data', folder, '--port', '0'], { cwd })
  const stop = () => ha('stop').finally(() => parent.remove())
  await ha('start').catch(async (error) => {
    await stop().catch(() => {})
    throw error
  })
  const environment = parseEnv(await readFile(`${folder}/environment`, 'utf8')) as Record<string, string>
  const base = Number(new URL(environment['DATABASE_URL'] ?? '').port)
  const restPort = (node: number): number => base + 10 * node + 1
  const nodes = [1, 2] as const
  const has = async (node: number, role: string): Promise<boolean> => {
    const url = `http://127.0.0.1:${restPort(node)}/${role}`
    const response = await fetch(url, { signal: AbortSignal.timeout(1_000) }).catch(() => undefined)
    return response?.status === 200
  }
  const nodeWith = async (role: string): Promise<number | undefined> => {
    const found = await Promise.all(nodes.map((node) => has(node, role)))
    return nodes.find((_, index) => found[index])
  }
  const until = async (what: string, limitMs: number, isDone: () => Promise<boolean>): Promise<void> => {
    const end = performance.now() + limitMs
    while (!(await isDone())) {
      if (performance.now() > end) throw new Error(`${what} took longer than ${limitMs} ms`)
      await delay(100)
    }
  }
  return {
    folder,
    environment,
    healthy: () =>
      until('The synchronous standby', 120_000, async () => {
        const [primary, standby] = await Promise.all([nodeWith('primary'), nodeWith('synchronous')])
        return primary !== undefined && standby !== undefined
      }),
    async failPrimary(failure) {
      const primary = await nodeWith('primary')
      const other = nodes.find((node) => node !== primary)
      if (primary === undefined || other === undefined) throw new Error('The cluster has no primary')
      const processes = await processesOf(folder, primary)
      const killed = failure === 'crash' ? processes.postgres : [...processes.services, ...processes.postgres]
      signal(killed, failure === 'freeze' ? 'SIGSTOP' : 'SIGKILL')
      await until('The promotion', 60_000, () => has(other, 'primary'))
      if (failure === 'freeze') signal(killed, 'SIGCONT')
      return async () => {
        // Starts the processes that were killed. Patroni repairs the data.
        if (failure === 'machine') await ha('start')
      }
    },
    stop: async () => void (await stop()),
  }
}

interface NodeProcesses {
  /** Patroni and PgBouncer. */
  readonly services: readonly number[]
  /** The server process first, then its children. */
  readonly postgres: readonly number[]
}

async function processesOf(folder: string, node: number): Promise<NodeProcesses> {
  const firstNumber = async (file: string) =>
    Number((await readFile(`${folder}/${file}`, 'utf8')).split('\n')[0])
  const server = await firstNumber(`node${node}/data/postmaster.pid`)
  const services = await Promise.all(
    ['patroni', 'pgbouncer'].map((name) => firstNumber(`run/${name}${node}.pid`)),
  )
  return { services, postgres: [server, ...(await childrenOf(server))] }
}

/** The ids of all children of a process. A child that ends during the search is left out. */
async function childrenOf(parent: number): Promise<readonly number[]> {
  const ids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name))
  const found = await Promise.all(
    ids.map(async (id) => {
      const status = await readFile(`/proc/${id}/status`, 'utf8').catch(() => '')
      return Number(/^PPid:\s*(\d+)/m.exec(status)?.[1]) === parent ? [Number(id)] : []
    }),
  )
  return found.flat()
}

function signal(processes: readonly number[], name: NodeJS.Signals): void {
  for (const id of processes) {
    try {
      process.kill(id, name)
    } catch (error) {
      // A connection of the server can end at any moment.
      if (Reflect.get(error as object, 'code') !== 'ESRCH') throw error
    }
  }
}
