import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { getRequestListener } from '@hono/node-server'
import type { Hono } from 'hono'
import type { KitEnv } from './environment.ts'

export interface ListenOptions {
  readonly host: string
  /** 0 takes a free one. */
  readonly port: number
}

/** A listening host. */
export interface RunningServer {
  readonly url: string
  readonly server: Server
  /**
   * Stops accepting, ends idle connections, lets requests in flight finish, and cuts what has not ended after `graceMs`.
   */
  close(graceMs: number): Promise<void>
}

/** Bounds on a slow or hostile client: a request must have arrived whole within them. */
const requestTimeoutMs = 30_000
const headersTimeoutMs = 10_000
const keepAliveTimeoutMs = 65_000
const maxHeaderBytes = 16 * 1024
/** How often Node looks for requests past those bounds; its own 30 s would let a slow client have thrice its time. */
const checkingIntervalMs = 1_000

/**
 * Serves an application over HTTP/1.1 on one address. Rejects when the port is taken. What is no HTTP request, or one
 * past the bounds, Node answers itself (400, 408, 431) and without a body.
 */
export async function listen(app: Hono<KitEnv>, options: ListenOptions): Promise<RunningServer> {
  const server = createServer(
    {
      requestTimeout: requestTimeoutMs,
      headersTimeout: headersTimeoutMs,
      keepAliveTimeout: keepAliveTimeoutMs,
      connectionsCheckingInterval: checkingIntervalMs,
      maxHeaderSize: maxHeaderBytes,
    },
    getRequestListener(app.fetch),
  )
  const close = closer(server)
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(options.port, options.host, resolve)
  })
  const { port } = server.address() as AddressInfo
  const host = options.host.includes(':') ? `[${options.host}]` : options.host
  return { url: `http://${host}:${port}`, server, close }
}

/** Watches what is open, so that closing can end each connection as soon as nothing is in flight on it. */
function closer(server: Server): (graceMs: number) => Promise<void> {
  const sockets = new Set<Socket>()
  const inFlight = new Set<ServerResponse>()
  let isClosing = false

  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  // First, so that the header is set before the application can answer.
  server.prependListener('request', (_request, response) => {
    inFlight.add(response)
    if (isClosing) endConnectionAfter(response)
    response.once('close', () => {
      inFlight.delete(response)
      if (isClosing) server.closeIdleConnections()
    })
  })

  return (graceMs) =>
    new Promise((resolve) => {
      isClosing = true
      // An upgraded connection is no longer Node's to close; it ends here too.
      const force = setTimeout(() => {
        for (const socket of sockets) socket.destroy()
      }, graceMs)
      server.close(() => {
        clearTimeout(force)
        resolve()
      })
      for (const response of inFlight) endConnectionAfter(response)
      server.closeIdleConnections()
    })
}

/** Tells the client that the connection ends with this answer, where that can still be said. */
function endConnectionAfter(response: ServerResponse): void {
  if (!response.headersSent) response.setHeader('Connection', 'close')
}
