import type { RequestListener, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/**
 * Maximum number of requests that wait on one connection behind the one in progress. Browsers and proxies send the next
 * request after the answer; benchmark tools that pipeline send 10 to 20 requests together.
 */
const maxWaitingCount = 100

/** A request that has arrived and can be handled. */
interface QueuedRequest {
  readonly response: ServerResponse
  handle(): void
}

/** The open connections of a server. */
export interface Connections {
  /** Ends idle connections now, the others with their next answer. Drops requests that wait behind it. */
  end(): void
  /** Ends all connections now, including upgraded ones. */
  destroy(): void
}

/**
 * Handles the requests of each connection one after the other, as nginx does: a client that pipelines many requests gets no
 * larger share of the server than a client that waits for each answer. Node parses a whole packet and emits every request
 * in it, so requests that cannot be handled yet wait in a queue. If more than 100 requests wait on a connection, it ends
 * immediately and the waiting requests never reach the application.
 *
 * @see RFC 9112 §9.3.2: a client must expect a connection to end before all pipelined requests are answered
 */
export function handleInOrder(server: Server, handle: RequestListener): Connections {
  /** The queue of each open connection. Its first request is in progress. */
  const lines = new Map<Socket, QueuedRequest[]>()
  let isEnding = false

  server.on('connection', (socket) => {
    lines.set(socket, [])
    socket.once('close', () => lines.delete(socket))
  })
  server.on('request', (request, response) => {
    const { socket } = request
    const line = lines.get(socket)
    if (line === undefined || !socket.writable) return
    if (line.length > maxWaitingCount) {
      socket.destroy()
      return
    }
    line.push({ response, handle: () => handle(request, response) })
    if (line.length === 1) handleFirst(socket, line)
  })
  // Without this listener Node answers unknown expectations itself, out of order. RFC 9110 §10.1.1 allows ignoring them.
  server.on('checkExpectation', (request, response) => server.emit('request', request, response))

  function handleFirst(socket: Socket, line: QueuedRequest[]): void {
    const [queued] = line
    // After `Connection: close` the socket is not writable: requests behind that answer must not run.
    if (queued === undefined || !socket.writable) return
    if (isEnding) endConnectionAfter(queued.response)
    queued.response.once('close', () => {
      line.shift()
      // Not synchronously: a queue of quick answers would block all other connections until it is empty.
      if (line.length > 0) setImmediate(handleFirst, socket, line)
      if (isEnding) server.closeIdleConnections()
    })
    queued.handle()
  }

  return {
    end() {
      isEnding = true
      for (const [queued] of lines.values()) if (queued !== undefined) endConnectionAfter(queued.response)
      server.closeIdleConnections()
    },
    destroy() {
      for (const socket of lines.keys()) socket.destroy()
    },
  }
}

/** Announces the end of the connection in this answer, unless its headers are already sent. */
function endConnectionAfter(response: ServerResponse): void {
  if (!response.headersSent) response.setHeader('Connection', 'close')
}
