import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** A way to a database server that a test can block. */
export interface TcpProxy {
  /** The same database by way of this proxy. */
  readonly url: string
  /** Nothing passes on the connections there are, and neither side is told; new ones are as good as ever. */
  freeze(): void
  stop(): Promise<void>
}

/** Passes bytes on between its own port on 127.0.0.1 and the server of `url`. */
export async function startTcpProxy(url: string): Promise<TcpProxy> {
  const target = new URL(url)
  const pairs = new Set<readonly [client: Socket, upstream: Socket]>()
  const server = createServer((client) => {
    const upstream = connect(Number(target.port), target.hostname)
    const pair = [client, upstream] as const
    pairs.add(pair)
    client.pipe(upstream).pipe(client)
    for (const socket of pair) {
      socket.on('error', () => {})
      socket.on('close', () => {
        pairs.delete(pair)
        client.destroy()
        upstream.destroy()
      })
    }
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const proxied = new URL(url)
  proxied.port = String((server.address() as AddressInfo).port)
  return {
    url: proxied.href,
    freeze() {
      for (const [client, upstream] of pairs) {
        client.unpipe(upstream).pause()
        upstream.unpipe(client).pause()
      }
    },
    async stop() {
      for (const [client] of pairs) client.destroy()
      await once(server.close(), 'close')
    },
  }
}
