import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** A proxy for the object store. It forwards bytes unchanged, and tests can pause and disconnect its connections. */
export interface StoreProxy {
  readonly url: string
  /** The unchanged heads (request line and headers) of all requests. */
  readonly heads: readonly string[]
  connectTo(storeUrl: string): void
  /** Forwards at most this many further bytes from each client connection until `release` is called. */
  hold(afterBytes: number): void
  /** Drops all current and new connections until `release` is called. */
  cut(): void
  /** Ends the effects of `hold` and `cut`. */
  release(): void
  close(): Promise<void>
}

export async function openStoreProxy(): Promise<StoreProxy> {
  const heads: string[] = []
  const open = new Map<Socket, { allowance: number }>()
  let store: URL | null = null
  let allowance = Number.POSITIVE_INFINITY
  let isCut = false

  const server = createServer((client) => {
    if (isCut || store === null) return void client.destroy()
    const state = { allowance }
    open.set(client, state)
    const upstream = connect(Number(store.port), store.hostname)
    client.on('data', (chunk: Buffer) => {
      const text = chunk.toString('latin1')
      if (/^[A-Z]+ \/\S* HTTP\/1\.1\r\n/.test(text)) heads.push(text.split('\r\n\r\n', 1)[0] ?? '')
      state.allowance -= chunk.length
      if (state.allowance <= 0) client.pause()
      upstream.write(chunk)
    })
    upstream.on('data', (chunk) => client.write(chunk))
    const end = () => {
      open.delete(client)
      client.destroy()
      upstream.destroy()
    }
    for (const socket of [client, upstream]) socket.on('close', end).on('error', end)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const dropAll = () => {
    for (const client of open.keys()) client.destroy()
  }
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    heads,
    connectTo(storeUrl) {
      store = new URL(storeUrl)
    },
    hold(afterBytes) {
      allowance = afterBytes
      for (const state of open.values()) state.allowance = afterBytes
    },
    cut() {
      isCut = true
      dropAll()
    },
    release() {
      isCut = false
      allowance = Number.POSITIVE_INFINITY
      for (const [client, state] of open) {
        state.allowance = allowance
        client.resume()
      }
    },
    async close() {
      dropAll()
      server.close()
      await once(server, 'close')
    },
  }
}
