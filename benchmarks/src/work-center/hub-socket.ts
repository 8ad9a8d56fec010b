/** An open page: a socket to the hub, in the words of SignalR's JSON protocol. */
export interface HubSocket {
  /** Resolves with the time (`performance.now`) when a version above this one was heard, and with that version. */
  heardAbove(version: number): Promise<{ readonly version: number; readonly atMs: number }>
  close(): void
}

const recordEnd = '\x1e'
const handshake = `{"protocol":"json","version":1}${recordEnd}`

/** Connects and resolves when the hub has greeted back. Rejects when it does not. */
export async function openHubSocket(url: string, token: string): Promise<HubSocket> {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/hubs/work-center?access_token=${token}`)
  const greeted = Promise.withResolvers<void>()
  let last = { version: -1, atMs: 0 }
  let heard = Promise.withResolvers<void>()
  socket.addEventListener('open', () => socket.send(handshake))
  socket.addEventListener('error', () => greeted.reject(new Error(`No socket to ${url}`)))
  socket.addEventListener('message', ({ data }) => {
    for (const record of String(data).split(recordEnd)) {
      if (record === '{}') greeted.resolve()
      const version = /"arguments":\[(\d+)\]/.exec(record)?.[1]
      if (version === undefined) continue
      last = { version: Number(version), atMs: performance.now() }
      heard.resolve()
      heard = Promise.withResolvers()
    }
  })
  await greeted.promise
  // A client that is silent for 30 s is gone.
  const timer = setInterval(() => socket.send(`{"type":6}${recordEnd}`), 15_000)
  return {
    async heardAbove(version) {
      while (last.version <= version) await heard.promise
      return last
    },
    close() {
      clearInterval(timer)
      socket.close()
    },
  }
}
