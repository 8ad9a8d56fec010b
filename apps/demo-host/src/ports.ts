import { createServer } from 'node:net'
import { CannotStartError } from './cannot-start-error.ts'

const attempts = 5

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

/**
 * Calls `start` with the wanted port of a host, or with a free one if 0 is wanted. An outgoing connection of any process can take
 * a free port before `start` listens. Then it is called again, with another port.
 */
export async function withPort<T>(
  host: string,
  wanted: number,
  start: (port: number) => Promise<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    const port = await onPort('PORT', wanted, () => findPort(host, wanted))
    try {
      return await start(port)
    } catch (error) {
      if (wanted !== 0 || attempt === attempts || takenPort(error) !== port) throw error
    }
  }
}

/** Returns the port that is in use according to an error or its causes. */
function takenPort(error: unknown): unknown {
  if (!(error instanceof Error)) return undefined
  return Reflect.get(error, 'code') === 'EADDRINUSE' ? Reflect.get(error, 'port') : takenPort(error.cause)
}

/** Checks that a port is free and returns it. For port 0, returns a free port. Leaves the returned port unused. */
function findPort(host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer().once('error', reject)
    probe.listen(port, host, () => {
      const address = probe.address()
      probe.close(() => resolve(typeof address === 'object' && address !== null ? address.port : port))
    })
  })
}
