import { createServer } from 'node:net'

const attempts = 3

/**
 * Calls `start` with the port `wanted`. If `wanted` is 0, chooses a free port, because PostgreSQL cannot choose one. If
 * another process binds that port first, retries with another free port.
 */
export async function onPort<T>(
  wanted: number,
  start: (port: number) => Promise<T>,
): Promise<{ readonly port: number; readonly started: T }> {
  for (let attempt = 1; ; attempt++) {
    const port = wanted === 0 ? await findFreePort() : wanted
    try {
      return { port, started: await start(port) }
    } catch (error) {
      const isTaken = error instanceof Error && error.message.includes('Address already in use')
      if (wanted !== 0 || !isTaken || attempt === attempts) throw error
    }
  }
}

function findFreePort(): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>()
  const probe = createServer().once('error', reject)
  probe.listen(0, '127.0.0.1', () => {
    const address = probe.address()
    probe.close(() => resolve(typeof address === 'object' && address ? address.port : 0))
  })
  return promise
}
