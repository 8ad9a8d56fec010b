import { onTestFinished } from 'vitest'
import { WebSocket } from 'ws'
import type { Replica } from './replica.ts'

/** A WebSocket client that sends exactly the given text. */
export interface RawClient {
  readonly socket: WebSocket
  /** Sends a text without changes. The text must contain `end` after each record. */
  send(text: string): void
  /** Waits for the next unread record and resolves with it. Rejects if the socket closes first. */
  next(): Promise<unknown>
  /** Waits for the socket to close, and returns its close code and all unread records. */
  closed(): Promise<{ readonly code: number; readonly records: readonly unknown[] }>
}

/** The character that ends a record. */
export const end = '\x1e'

export const handshake = `{"protocol":"json","version":1}${end}`

export interface ConnectOptions {
  readonly token?: string
  /** Whether the token is sent as the `access_token` parameter, like in a browser. */
  readonly isInQuery?: boolean
  readonly headers?: Readonly<Record<string, string>>
}

/** Opens a socket for this test. Rejects if the hub refuses it; see {@link refusalOf}. */
export async function connect(replica: Pick<Replica, 'url'>, options: ConnectOptions): Promise<RawClient> {
  const { token, isInQuery = false, headers = {} } = options
  const query = token !== undefined && isInQuery ? `?access_token=${encodeURIComponent(token)}` : ''
  const authorization = token !== undefined && !isInQuery ? { Authorization: `Bearer ${token}` } : {}
  const socket = new WebSocket(`${replica.url.replace('http', 'ws')}/hubs/work-center${query}`, {
    headers: { ...authorization, ...headers },
    perMessageDeflate: true,
  })
  onTestFinished(() => socket.terminate())
  const client = collect(socket)
  await new Promise<void>((resolve, reject) => {
    socket.once('open', () => resolve())
    socket.once('error', reject)
    socket.once('unexpected-response', (_request, response) => {
      let text = ''
      response.on('data', (chunk: Buffer) => {
        text += String(chunk)
      })
      response.on('end', () => reject(new Refused(response.statusCode ?? 0, text)))
    })
  })
  return client
}

/** The response with which the hub refuses an upgrade. */
class Refused extends Error {
  readonly status: number
  readonly code: string
  constructor(status: number, body: string) {
    super(`refused with ${status}`)
    this.status = status
    this.code = (JSON.parse(body) as { code: string }).code
  }
}

/** Returns the status and code of a refused connection. */
export async function refusalOf(connecting: Promise<unknown>): Promise<readonly [number, string]> {
  const outcome = await connecting.catch((error: unknown) => error)
  if (outcome instanceof Refused) return [outcome.status, outcome.code]
  throw new Error('expected a refusal', { cause: outcome })
}

/** Connects, completes the handshake and reads the first version. */
export async function connectAndGreet(
  replica: Pick<Replica, 'url'>,
  token: string,
): Promise<{ readonly client: RawClient; readonly version: number }> {
  const client = await connect(replica, { token })
  client.send(handshake)
  const answer = await client.next()
  if (JSON.stringify(answer) !== '{}') throw new Error(`not a handshake: ${JSON.stringify(answer)}`)
  return { client, version: await nextVersion(client) }
}

/** Waits for the next version and resolves with it. Skips pings. */
export async function nextVersion(client: RawClient): Promise<number> {
  const record = (await client.next()) as { type: number; target?: string; arguments?: unknown[] }
  if (record.type === 6) return nextVersion(client)
  const { target, arguments: [version] = [], ...rest } = record
  if (
    target !== 'workCenterChanged' ||
    typeof version !== 'number' ||
    JSON.stringify(rest) !== '{"type":1}'
  ) {
    throw new Error(`not a change: ${JSON.stringify(record)}`)
  }
  return version
}

function collect(socket: WebSocket): RawClient {
  const records: unknown[] = []
  const arrivals = new Set<() => void>()
  socket.on('message', (data) => {
    const texts = String(data).split(end)
    if (texts.pop() !== '') throw new Error('a message of the hub ends with an incomplete record')
    records.push(...texts.map((text) => JSON.parse(text) as unknown))
    for (const notify of arrivals) notify()
  })
  // Refusals and malformed frames cause errors. Ignore them, because the following `close` event reports the result.
  socket.on('error', () => {})
  const closed = new Promise<number>((resolve) => socket.once('close', resolve))
  return {
    socket,
    send: (text) => socket.send(text),
    async next() {
      while (records.length === 0) {
        const { promise: arrived, resolve } = Promise.withResolvers<void>()
        arrivals.add(resolve)
        const code = await Promise.race([arrived, closed])
        arrivals.delete(resolve)
        if (records.length === 0 && code !== undefined) throw new Error(`the socket closed with ${code}`)
      }
      return records.shift()
    },
    closed: async () => ({ code: await closed, records: records.splice(0) }),
  }
}
