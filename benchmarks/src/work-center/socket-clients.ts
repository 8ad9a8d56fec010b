/**
 * Opens idle sockets in a separate process. For each message `{ url, tokens }` of the parent process, it opens a socket
 * per token. It sends a response when the hub has accepted all of these sockets.
 */
import { openHubSocket } from './hub-socket.ts'

/** The message that the parent process sends. */
export interface OpenSockets {
  readonly url: string
  readonly tokens: readonly string[]
}

/** The maximum number of concurrent handshakes. */
const concurrency = 50

process.on('message', async ({ url, tokens }: OpenSockets) => {
  const queue = [...tokens]
  const open = async (): Promise<void> => {
    for (let token = queue.pop(); token !== undefined; token = queue.pop()) await openHubSocket(url, token)
  }
  await Promise.all(Array.from({ length: concurrency }, open))
  process.send?.('open')
})
