import { freePort } from '../../../../vitest.free-port.ts'
import { type Demo, startDemo } from '../demo-process.ts'

/** Hosts in processes of their own. */
export interface Hosts {
  readonly list: readonly Demo[]
  /** Ends a host with a signal and starts another one on the same port. */
  replace(index: number, signal: NodeJS.Signals): Promise<void>
  /** Returns the hosts that ended although `replace` and `close` did not end them. */
  ended(): readonly string[]
  close(): Promise<void>
}

/** Starts one host for each of these environments. */
export async function startHosts(environments: readonly Readonly<Record<string, string>>[]): Promise<Hosts> {
  const list: Demo[] = []
  const expectedEnds = new Set<Demo>()
  const ended: string[] = []
  const open = async (index: number, port: string): Promise<void> => {
    const host = await startDemo({ ...environments[index], PORT: port })
    list[index] = host
    void host.ended.then((status) => {
      if (!expectedEnds.has(host)) ended.push(`${host.url} with ${status}: ${host.stderr()}`)
    })
  }
  const close = async (): Promise<void> => {
    for (const host of list) expectedEnds.add(host)
    await Promise.all(list.map((host) => host.stop()))
  }
  try {
    for (const index of environments.keys()) await open(index, String(await freePort()))
  } catch (error) {
    await close()
    throw error
  }
  return {
    list,
    async replace(index, signal) {
      const host = list[index]
      if (host === undefined) throw new TypeError(`There is no host ${index}`)
      expectedEnds.add(host)
      await host.stop(signal)
      await open(index, new URL(host.url).port)
    },
    ended: () => ended,
    close,
  }
}
