import type { RequestListener, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/**
 * Requests that may wait on one connection behind the one in progress. Browsers and proxies send the next request after
 * the answer; benchmark tools that pipeline send 10 to 20 requests at once.
 */
const maxWaitingCount = 100

/** A request that has arrived, ready to be handled. */
interface QueuedRequest {
  readonly response: ServerResponse
  handle(): void
}

/** The open connections of a server. */
export interface Connections {
  /** Ends idle connections now, and each of the others with its next answer. Requests that wait behind it are dropped. */
  end(): void
  /** Ends all connections now, upgraded ones too. */
  destroy(): void
}

/**
 * Handles the requests of each connection one after the other, as nginx does: sending many requests at once gives a client
 * no more of the server than sending each one after the answer to the one before. Node parses a whole packet at once and
 * emits every request in it, so those that cannot be handled yet wait in a line. A connection whose line grows past 100
 * requests is a flood: it ends at once, and the requests in the line never reach the application.
 *
 * @see RFC 9112 §9.3.2: a client must expect a connection to end before all pipelined requests are answered
 */
export function handleInOrder(server: Server, handle: RequestListener): Connections {
  /** The line of each open connection. Its first request is in progress. */
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
  // Node answers an unknown expectation itself, whatever waits before it. A server may also ignore it (RFC 9110 §10.1.1).
  server.on('checkExpectation', (request, response) => server.emit('request', request, response))

  function handleFirst(socket: Socket, line: QueuedRequest[]): void {
    const [queued] = line
    // After `Connection: close` the socket is no longer writable, and a request behind that answer must not run.
    if (queued === undefined || !socket.writable) return
    if (isEnding) endConnectionAfter(queued.response)
    queued.response.once('close', () => {
      line.shift()
      // Not at once: a line of quick answers would keep the process from all other connections until it is empty.
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

/** Tells the client that the connection ends with this answer, unless its headers are already sent. */
function endConnectionAfter(response: ServerResponse): void {
  if (!response.headersSent) response.setHeader('Connection', 'close')
}
