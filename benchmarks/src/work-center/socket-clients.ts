/**
 * Opens sockets in a separate process. For each message `{ url, tokens }` of the parent process, it opens a socket per token,
 * and sends a response when the hub has accepted all of these sockets. For a message `{ version }`, it sends a response, and
 * another one when all sockets have received that version.
 */
import { type HubSocket, openHubSocket } from './hub-socket.ts'

/** The message that opens sockets. */
export interface OpenSockets {
  readonly url: string
  readonly tokens: readonly string[]
}

/** The message that waits for a version. */
export interface AwaitVersion {
  readonly version: number
}

/** The maximum number of concurrent handshakes. */
const concurrency = 50
const sockets: HubSocket[] = []

process.on('message', async (message: OpenSockets | AwaitVersion) => {
  if ('version' in message) {
    process.send?.('waiting')
    await Promise.all(sockets.map((socket) => socket.versionAbove(message.version - 1)))
    process.send?.('received')
    return
  }
  const queue = [...message.tokens]
  const open = async (): Promise<void> => {
    for (let token = queue.pop(); token !== undefined; token = queue.pop()) {
      sockets.push(await openHubSocket(message.url, token))
    }
  }
  await Promise.all(Array.from({ length: concurrency }, open))
  process.send?.('open')
})
process.once('SIGTERM', () => process.exit(0))
console.log('ready {"url":""}')
