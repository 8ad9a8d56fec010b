/** An open page: a socket to the hub with the JSON protocol of SignalR. */
export interface HubSocket {
  /** Waits for a higher version. Resolves with the version and the time of its arrival (`performance.now`). */
  versionAbove(version: number): Promise<{ readonly version: number; readonly atMs: number }>
  /** Subscribes to changes of a document. Rejects if the hub refuses. */
  subscribe(document: { readonly typeCode: string; readonly id: string }): Promise<void>
  /** Waits for the next change of a document. Resolves with the time of its arrival (`performance.now`). */
  nextChange(): Promise<number>
  close(): void
}

const recordEnd = '\x1e'
const handshake = `{"protocol":"json","version":1}${recordEnd}`

/** Connects to the hub. Resolves after the hub has accepted the handshake, and rejects if the connection fails. */
export async function openHubSocket(url: string, token: string): Promise<HubSocket> {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/hubs/work-center?access_token=${token}`)
  const greeted = Promise.withResolvers<void>()
  let last = { version: -1, atMs: 0 }
  let received = Promise.withResolvers<void>()
  let answered = Promise.withResolvers<boolean>()
  let changed = Promise.withResolvers<number>()
  socket.addEventListener('open', () => socket.send(handshake))
  socket.addEventListener('error', () => greeted.reject(new Error(`Connecting to ${url} failed`)))
  socket.addEventListener('message', ({ data }) => {
    for (const record of String(data).split(recordEnd)) {
      if (record === '{}') greeted.resolve()
      if (record.startsWith('{"type":3')) answered.resolve(record.includes('"result":true'))
      if (record.includes('"objectChanged"')) changed.resolve(performance.now())
      const version = /"arguments":\[(\d+)\]/.exec(record)?.[1]
      if (version === undefined) continue
      last = { version: Number(version), atMs: performance.now() }
      received.resolve()
      received = Promise.withResolvers()
    }
  })
  await greeted.promise
  // The hub terminates a client after 30 s of silence.
  const timer = setInterval(() => socket.send(`{"type":6}${recordEnd}`), 15_000)
  return {
    async versionAbove(version) {
      while (last.version <= version) await received.promise
      return last
    },
    async subscribe({ typeCode, id }) {
      answered = Promise.withResolvers()
      const call = { type: 1, invocationId: id, target: 'subscribe', arguments: ['Document', typeCode, id] }
      socket.send(JSON.stringify(call) + recordEnd)
      if (!(await answered.promise)) throw new Error('The hub refused a subscription')
    },
    nextChange() {
      changed = Promise.withResolvers()
      return changed.promise
    },
    close() {
      clearInterval(timer)
      socket.close()
    },
  }
}
