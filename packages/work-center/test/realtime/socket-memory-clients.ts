// The other end of the connections of socket-memory.ts, in a process of its own.
import { WebSocket } from 'ws'

interface Order {
  readonly url: string
  readonly tokens: readonly string[]
}

/** All that were ordered have been told this version. */
export interface Told {
  readonly version: number
}

/** How many handshakes are under way at a time. */
const atOnce = 50

let connectedCount = 0
const toldCounts = new Map<number, number>()

process.on('message', ({ url, tokens }: Order) => {
  const queue = [...tokens]
  connectedCount += queue.length
  for (let index = 0; index < atOnce; index += 1) connectNext(url, queue)
})

function connectNext(url: string, queue: string[]): void {
  const token = queue.pop()
  if (token === undefined) return
  const socket = new WebSocket(`${url.replace('http', 'ws')}/hubs/work-center?access_token=${token}`, {
    perMessageDeflate: false,
  })
  socket.on('open', () => socket.send('{"protocol":"json","version":1}\x1e'))
  setInterval(() => socket.send('{"type":6}\x1e'), 15_000)
  socket.on('message', (data) => {
    const version = Number(/"arguments":\[(\d+)\]/.exec(String(data))?.[1] ?? Number.NaN)
    if (Number.isNaN(version)) return
    const count = (toldCounts.get(version) ?? 0) + 1
    toldCounts.set(version, count)
    if (version === 1) connectNext(url, queue)
    if (count === connectedCount) process.send?.({ version } satisfies Told)
  })
}
