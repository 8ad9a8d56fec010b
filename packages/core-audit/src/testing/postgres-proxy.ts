import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** A message of a PostgreSQL client: its type (`Q`, `P`, `S`, …), or `startup` for the first one, and its content. */
export interface ClientMessage {
  readonly type: string
  readonly text: string
}

/**
 * The action for a message and its connection:
 * - `pass`: the server receives the message.
 * - `reset`, `close`: the connection ends; the server does not receive the message.
 * - `refuse`: the client receives a FATAL error (57P03 for a startup message, otherwise 57P01), then the connection ends.
 * - `swallow`: the connection stays open but transfers nothing more; the server does not receive the message.
 * - `swallow-answer`: the connection stays open and the server receives everything; the client receives nothing more.
 */
export type MessageAction = 'pass' | 'reset' | 'close' | 'refuse' | 'swallow' | 'swallow-answer'

/** A proxy for a database server, with which a test can end connections, stop their traffic, or drop single messages. */
export interface PostgresProxy {
  /** The URL of the database through this proxy. */
  readonly url: string
  /** Decides about each message of every client, in the order of arrival. When absent, all messages pass. */
  decide: ((message: ClientMessage) => MessageAction) | undefined
  /**
   * Ends every connection to a client, gracefully (FIN) or abruptly (RST). The connections to the server are closed too.
   */
  cut(way: 'close' | 'reset'): void
  /** Stops the traffic of every open connection without closing it. Later connections work. */
  silence(): void
  /** Ends every connection and frees the port. */
  stop(): Promise<void>
}

/**
 * Forwards messages of the PostgreSQL protocol between a free port of 127.0.0.1 and the server of `url`, without TLS. Pass
 * the proxy's `url` to the code under test; the test itself should connect directly.
 */
export async function startPostgresProxy(url: string): Promise<PostgresProxy> {
  const target = new URL(url)
  const links = new Set<Link>()
  const server = createServer((client) => {
    const link = openLink(client, connect(Number(target.port), target.hostname))
    links.add(link)
    client.on('close', () => links.delete(link))
    const read = messageReader()
    client.on('data', (bytes: Buffer) => {
      for (const message of read(bytes)) link.apply(message, proxy.decide?.(message) ?? 'pass')
    })
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const proxied = new URL(url)
  proxied.port = String((server.address() as AddressInfo).port)
  const proxy: PostgresProxy = {
    url: proxied.href,
    decide: undefined,
    cut(way) {
      for (const link of links) link.cut(way)
    },
    silence() {
      for (const link of links) link.silence()
    },
    async stop() {
      for (const link of links) link.end()
      await once(server.close(), 'close')
    },
  }
  return proxy
}

interface ReadMessage extends ClientMessage {
  readonly bytes: Buffer
}

interface Link {
  apply(message: ReadMessage, action: MessageAction): void
  cut(way: 'close' | 'reset'): void
  silence(): void
  end(): void
}

function openLink(client: Socket, upstream: Socket): Link {
  let isSilent = false
  let isMuted = false
  let isOver = false
  const end = (): void => {
    isOver = true
    client.destroy()
    upstream.destroy()
  }
  for (const socket of [client, upstream]) {
    // Disable Nagle's algorithm: a message must not wait for the acknowledgement of the previous message.
    socket.setNoDelay()
    socket.on('error', () => {})
    socket.on('close', end)
  }
  upstream.on('data', (bytes: Buffer) => {
    if (!isSilent && !isMuted && !isOver) client.write(bytes)
  })
  const ends = {
    pass: (message: ReadMessage) => void upstream.write(message.bytes),
    reset: () => void client.resetAndDestroy(),
    close: end,
    refuse(message: ReadMessage) {
      isOver = true
      client.end(fatalError(message.type === 'startup' ? '57P03' : '57P01'))
      upstream.destroy()
    },
    swallow() {
      isSilent = true
    },
    'swallow-answer'(message: ReadMessage) {
      isMuted = true
      upstream.write(message.bytes)
    },
  } satisfies Record<MessageAction, (message: ReadMessage) => void>
  return {
    apply(message, action) {
      if (isSilent || isOver) return
      if (action === 'reset') isOver = true
      ends[action](message)
    },
    cut: (way) => void (way === 'reset' ? client.resetAndDestroy() : client.destroy()),
    silence() {
      isSilent = true
    },
    end,
  }
}

/** Splits a client's bytes into messages. The startup message has no type; every later message has a type of one byte. */
function messageReader(): (bytes: Buffer) => Generator<ReadMessage> {
  let rest: Buffer = Buffer.alloc(0)
  let hasStarted = false
  return function* (bytes) {
    rest = Buffer.concat([rest, bytes])
    for (;;) {
      const typeLength = hasStarted ? 1 : 0
      if (rest.length < typeLength + 4) return
      const length = typeLength + rest.readUInt32BE(typeLength)
      if (rest.length < length) return
      const message = rest.subarray(0, length)
      rest = rest.subarray(length)
      const type = hasStarted ? String.fromCharCode(message[0] ?? 0) : 'startup'
      hasStarted = true
      yield { type, text: message.toString('latin1', typeLength + 4), bytes: message }
    }
  }
}

function fatalError(code: string): Buffer {
  const fields = Buffer.from(`SFATAL\0VFATAL\0C${code}\0Mrefused by the proxy\0\0`)
  const head = Buffer.alloc(5)
  head.write('E')
  head.writeUInt32BE(fields.length + 4, 1)
  return Buffer.concat([head, fields])
}
