import { createServer } from 'node:net'
import { CannotStartError } from './cannot-start-error.ts'

/**
 * Calls `start` and returns its result. `key` is the setting that contains the port.
 * @throws {CannotStartError} with the name of the setting if another process uses the port
 */
export async function onPort<T>(key: string, port: number, start: () => Promise<T>): Promise<T> {
  try {
    return await start()
  } catch (error) {
    if (!(error instanceof Error) || Reflect.get(error, 'code') !== 'EADDRINUSE') throw error
    const advice = `Is another demo running? Set ${key} to a free port, or to 0.`
    throw new CannotStartError(`${key}: port ${port} is taken. ${advice}`, { cause: error })
  }
}

/** Checks that a port is free and returns it. For port 0, returns a free port. Leaves the returned port unused. */
export function findPort(host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer().once('error', reject)
    probe.listen(port, host, () => {
      const address = probe.address()
      probe.close(() => resolve(typeof address === 'object' && address !== null ? address.port : port))
    })
  })
}
