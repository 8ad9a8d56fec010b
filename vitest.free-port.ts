import { once } from 'node:events'
import { createServer } from 'node:net'

/**
 * Below the ports that operating systems assign to outgoing connections and to servers without a port (Linux: from 32768, others
 * from 49152). Otherwise another process could receive the port before the test uses it.
 */
const [lowest, count] = [20_000, 12_000]

/** Returns a port of 127.0.0.1 that is free, and that no other process receives by chance. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = lowest + Math.floor(Math.random() * count)
    const server = createServer().listen(port, '127.0.0.1')
    const isFree = await once(server, 'listening').then(
      () => true,
      () => false,
    )
    if (!isFree) continue
    server.close()
    await once(server, 'close')
    return port
  }
}
