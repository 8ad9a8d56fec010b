/**
 * The other end of idle sockets, in a process of its own: for each message `{ url, tokens }` of its parent it opens a
 * socket for every token, and answers when the hub has greeted them all.
 */
import { openHubSocket } from './hub-socket.ts'

/** What the parent sends. */
export interface OpenSockets {
  readonly url: string
  readonly tokens: readonly string[]
}

/** How many handshakes are under way at a time. */
const atOnce = 50

process.on('message', async ({ url, tokens }: OpenSockets) => {
  const queue = [...tokens]
  const open = async (): Promise<void> => {
    for (let token = queue.pop(); token !== undefined; token = queue.pop()) await openHubSocket(url, token)
  }
  await Promise.all(Array.from({ length: atOnce }, open))
  process.send?.('open')
})
