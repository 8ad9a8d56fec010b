import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { getRequestListener } from '@hono/node-server'
import type { Hono } from 'hono'
import type { Logger } from 'pino'
import type { KitEnv } from '../http/kit-env.ts'
import { type Connections, handleInOrder } from './connections.ts'
import { isAmbiguous } from './is-ambiguous.ts'
import { answerRejected, refuseAmbiguous, rejectedResponse } from './rejected-request.ts'
import { limitUnreadBody } from './unread-body.ts'

/** The address to listen on. `host` is an IP address or a name; `0.0.0.0` and `::` listen on every interface. */
export interface ListenOptions {
  readonly host: string
  /** The port; 0 selects a free port. */
  readonly port: number
}

/** A listening host. */
export interface RunningServer {
  readonly url: string
  readonly server: Server
  /**
   * Stops accepting connections, ends idle connections, waits for requests in progress, and cuts connections that are still
   * open after `graceMs`. Each busy connection ends after its next answer, and its waiting requests are dropped.
   */
  close(graceMs: number): Promise<void>
}

/** Time limits for slow or hostile clients: the headers and the complete request must arrive within them. */
const requestTimeoutMs = 30_000
const headersTimeoutMs = 10_000
const keepAliveTimeoutMs = 65_000
/**
 * A client that reads no answer would hold its connection, and the place of its tenant. No handler is silent for this time: the
 * completion of an upload of 5 GiB by a slow store takes up to seven minutes.
 */
const silenceMs = 600_000
const maxHeaderBytes = 16 * 1024
/** How often Node enforces these limits. Node's default would give a slow client up to 30 s more. */
const checkingIntervalMs = 1_000

/**
 * Serves an application over HTTP/1.1 on one address. Rejects if the port is in use. Input that never becomes a request of the
 * application is answered with problem details (400, 408, 431) and logged: malformed requests, and requests that exceed the
 * limits. The requests of one connection are handled one after the other; a connection with more than 100 waiting requests
 * ends immediately. A connection on which nothing is transferred for `silenceMs` (10 minutes when absent) ends, too.
 */
export async function listen(
  app: Hono<KitEnv>,
  options: ListenOptions & { readonly silenceMs?: number },
  logger?: Logger,
): Promise<RunningServer> {
  const server: Server = createServer({
    requestTimeout: requestTimeoutMs,
    headersTimeout: headersTimeoutMs,
    keepAliveTimeout: keepAliveTimeoutMs,
    connectionsCheckingInterval: checkingIntervalMs,
    maxHeaderSize: maxHeaderBytes,
    // With `true`, Node itself would answer requests without a `Host` header, out of order. The application's adapter
    // rejects these requests with 400.
    requireHostHeader: false,
    shouldUpgradeCallback: (request) =>
      server.listenerCount('upgrade') > 0 && mayUpgrade(request, connections),
  })
  server.setTimeout(options.silenceMs ?? silenceMs)
  const handle = getRequestListener(app.fetch, {
    errorHandler: (error) => rejectedResponse(error, logger),
  })
  const connections = handleInOrder(server, (request, response) => {
    // Refuse it before Node parses its body: Node rejects the body of an unknown transfer coding.
    if (isAmbiguous(request)) return refuseAmbiguous(request, logger)
    limitUnreadBody(request, response)
    // HTTP/1.0 has no `Host` header, but the adapter needs one.
    if (request.httpVersion === '1.0') request.headers.host ??= 'localhost'
    return handle(request, response)
  })
  answerRejected(server, connections, logger)
  const close = closer(server, connections)
  return { url: await bind(server, options), server, close }
}

/**
 * Returns whether a request can leave HTTP. Upgrade listeners see neither the queue of the connection nor the checks of requests. So a
 * request is handled without its upgrade if earlier requests still wait for answers, if its `Host` is missing or repeated, or if its
 * transfer coding is unknown.
 */
const mayUpgrade = (request: IncomingMessage, { responsesOf }: Connections): boolean =>
  request.headers.host !== undefined && !isAmbiguous(request) && responsesOf(request.socket).length === 0

/** Starts to listen, and returns the address. Rejects if the port is in use. */
export async function bind(server: Server, { host, port }: ListenOptions): Promise<string> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(port, host, resolve)
  })
  const { port: bound } = server.address() as AddressInfo
  return `http://${host.includes(':') ? `[${host}]` : host}:${bound}`
}

/** Returns a function that closes the server and its connections, first gracefully, then by force. */
function closer(server: Server, connections: Connections): (graceMs: number) => Promise<void> {
  return (graceMs) =>
    new Promise((resolve) => {
      // Node does not close upgraded connections; `destroy` closes them.
      const force = setTimeout(() => connections.destroy(), graceMs)
      server.close(() => {
        clearTimeout(force)
        resolve()
      })
      connections.end()
    })
}
