import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/**
 * Maximum number of requests on one connection that wait while another request is in progress. Browsers and proxies wait
 * for each answer before they send the next request; benchmark tools with pipelining send 10 to 20 requests together.
 */
const maxWaitingCount = 100

/** A request of a connection that waits or is in progress. */
interface QueuedRequest {
  readonly response: ServerResponse
  handle(): void
}

/** The open connections of a server. */
export interface Connections {
  /** Returns the responses that a connection still owes: the one in progress, and those of waiting requests. */
  responsesOf(socket: Socket): readonly ServerResponse[]
  /** Returns whether a connection still receives the body of a request that is already answered. */
  isReceivingAnswered(socket: Socket): boolean
  /** Ends idle connections immediately. Ends each busy connection after its next answer, and drops its waiting requests. */
  end(): void
  /** Ends all connections now, including upgraded ones. */
  destroy(): void
}

/**
 * Handles the requests of each connection one after the other, as nginx does: a client that pipelines many requests gets no
 * larger share of the server than a client that waits for each answer. Node parses a whole packet and emits every request
 * in it, so requests that cannot be handled yet wait in a queue. If more than 100 requests wait on a connection, the
 * connection ends immediately and the application never receives the waiting requests.
 *
 * @see RFC 9112 §9.3.2: a client must expect a connection to end before all pipelined requests are answered
 */
export function handleInOrder(server: Server, handle: RequestListener): Connections {
  /** The queue of each open connection. The first request in a queue is in progress. */
  const lines = new Map<Socket, QueuedRequest[]>()
  /** The last request of each connection that was answered before its body was complete. */
  const answeredEarly = new WeakMap<Socket, IncomingMessage>()
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
  // Without this listener, Node itself answers requests with an unknown `Expect` header, out of order. RFC 9110 §10.1.1
  // allows servers to ignore this header.
  server.on('checkExpectation', (request, response) => server.emit('request', request, response))
  // Without this listener, Node itself answers 100 before the application can refuse the body. Send it when the body is read.
  server.on('checkContinue', (request, response) => {
    const { _read } = request
    request._read = (sizeBytes) => {
      request._read = _read
      if (!response.headersSent) response.writeContinue()
      request._read(sizeBytes)
    }
    server.emit('request', request, response)
  })

  function handleFirst(socket: Socket, line: QueuedRequest[]): void {
    const [queued] = line
    // After an answer with `Connection: close`, the socket is not writable and the waiting requests must not run.
    if (queued === undefined || !socket.writable) return
    const { response } = queued
    if (isEnding) endConnectionAfter(response)
    response.once('close', () => {
      line.shift()
      if (!response.req.complete) answeredEarly.set(socket, response.req)
      // Do not call it synchronously: a queue of quick answers would block all other connections until the queue is empty.
      if (line.length > 0) setImmediate(handleFirst, socket, line)
      if (isEnding) server.closeIdleConnections()
    })
    queued.handle()
  }

  return {
    responsesOf: (socket) => (lines.get(socket) ?? []).map(({ response }) => response),
    isReceivingAnswered: (socket) => answeredEarly.get(socket)?.complete === false,
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

/** Adds `Connection: close` to a response, unless its headers are already sent. */
function endConnectionAfter(response: ServerResponse): void {
  if (!response.headersSent) response.setHeader('Connection', 'close')
}
