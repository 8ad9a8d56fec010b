import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { getRequestListener } from '@hono/node-server'
import type { Hono } from 'hono'
import type { KitEnv } from '../http/kit-env.ts'
import { type Connections, handleInOrder } from './connections.ts'

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
   * An answer sent from then on ends its connection; requests that wait behind it are dropped.
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
 * past the bounds, Node answers itself (400, 408, 431) and without a body. The requests of one connection are handled one
 * after the other; a connection with more than 100 waiting requests ends at once.
 */
export async function listen(app: Hono<KitEnv>, options: ListenOptions): Promise<RunningServer> {
  const server = createServer({
    requestTimeout: requestTimeoutMs,
    headersTimeout: headersTimeoutMs,
    keepAliveTimeout: keepAliveTimeoutMs,
    connectionsCheckingInterval: checkingIntervalMs,
    maxHeaderSize: maxHeaderBytes,
    // Node would answer such a request itself, whatever waits before it. The application's adapter refuses it with 400.
    requireHostHeader: false,
  })
  const close = closer(server, handleInOrder(server, getRequestListener(app.fetch)))
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(options.port, options.host, resolve)
  })
  const { port } = server.address() as AddressInfo
  const host = options.host.includes(':') ? `[${options.host}]` : options.host
  return { url: `http://${host}:${port}`, server, close }
}

/** Ends the server and its connections, the gentle way first. */
function closer(server: Server, connections: Connections): (graceMs: number) => Promise<void> {
  return (graceMs) =>
    new Promise((resolve) => {
      // An upgraded connection is no longer Node's to close; it ends here too.
      const force = setTimeout(() => connections.destroy(), graceMs)
      server.close(() => {
        clearTimeout(force)
        resolve()
      })
      connections.end()
    })
}
