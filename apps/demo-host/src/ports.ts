import { createServer } from 'node:net'
import { CannotStartError } from './cannot-start-error.ts'

/**
 * Runs what listens on the port of a setting.
 * @throws {CannotStartError} naming the setting, when somebody else listens there
 */
export async function onPort<T>(key: string, port: number, start: () => Promise<T>): Promise<T> {
  try {
    return await start()
  } catch (error) {
    if (!(error instanceof Error) || Reflect.get(error, 'code') !== 'EADDRINUSE') throw error
    const advice = `Is another demo running? Set ${key} to a free port, or to 0.`
    throw new CannotStartError(`${key}: port ${port} is taken. ${advice}`, error)
  }
}

/** Finds out whether a port can be listened on, and returns it; for 0 a free one. Nobody listens on return. */
export function findPort(host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer().once('error', reject)
    probe.listen(port, host, () => {
      const address = probe.address()
      probe.close(() => resolve(typeof address === 'object' && address !== null ? address.port : port))
    })
  })
}
