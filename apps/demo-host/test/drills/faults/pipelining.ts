import { once } from 'node:events'
import { connect } from 'node:net'
import type { Drill } from '../drill.ts'

const requestCount = 1_000

/** Sends many requests in one packet and reads no answers, without a token. */
export const pipelining: Drill = {
  name: 'pipelining',
  title: `sends ${requestCount} pipelined requests on one connection to every host`,
  rounds: 20,
  losesConnections: false,
  async fault({ hosts }) {
    const sockets = await Promise.all(
      hosts.map(async ({ url }) => {
        const { hostname, port } = new URL(url)
        const socket = connect(Number(port), hostname).on('error', () => {})
        await once(socket, 'connect')
        socket.write(`GET /docs HTTP/1.1\r\nHost: ${hostname}\r\n\r\n`.repeat(requestCount))
        return socket
      }),
    )
    // A host may also close the connection, because the client sends too much.
    await Promise.all(sockets.map((socket) => Promise.race([once(socket, 'data'), once(socket, 'close')])))
    for (const socket of sockets) socket.destroy()
    return { 'pipelined requests': requestCount * hosts.length }
  },
}
