import { once } from 'node:events'
import { createServer, request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'

/** A request that the network received. */
export interface PassedRequest {
  readonly method: string
  readonly path: string
  readonly headers: IncomingMessage['headers']
  readonly body: string
}

/** The fault to apply to one request. */
export type Fault =
  /** The service responds, and the response arrives. */
  | 'pass'
  /** The connection is cut before the service receives the request. */
  | 'cut before'
  /** The service responds, but the connection is cut before the first byte of the response arrives. */
  | 'lose answer'
  /** The service responds, but only half of the body arrives. */
  | 'cut body'
  /** A proxy responds. The service does not receive the request. */
  | { readonly status: number; readonly headers?: Readonly<Record<string, string>>; readonly body: string }
  /** The service responds, and the test delays the response. */
  | Held

/** A delayed response. `letGo` releases it. */
export interface Held {
  /** Resolves when the service has responded. */
  readonly arrived: Promise<void>
  readonly letGo: () => void
  readonly hold: (response: () => void) => void
}

/** A network between a client and a host, with faults that a test injects. */
export interface FaultyNetwork {
  readonly url: string
  /** All received requests, in order. */
  readonly seen: PassedRequest[]
  /** Applies faults, in order, to the next requests with this path prefix. All later requests pass without a fault. */
  next(pathPrefix: string, ...faults: readonly Fault[]): void
}

/** Returns a fault that delays a response. */
export function held(): Held {
  const arrived = Promise.withResolvers<void>()
  const released = Promise.withResolvers<void>()
  return {
    arrived: arrived.promise,
    letGo: released.resolve,
    hold(respond) {
      arrived.resolve()
      void released.promise.then(respond)
    },
  }
}

/** Opens a network in front of a host. The network is closed at the end of the test. */
export async function openFaultyNetwork(hostUrl: string): Promise<FaultyNetwork> {
  const seen: PassedRequest[] = []
  const planned: { readonly pathPrefix: string; readonly fault: Fault }[] = []
  const server = createServer(async (request, response) => {
    const passed = await read(request)
    seen.push(passed)
    const index = planned.findIndex(({ pathPrefix }) => passed.path.startsWith(pathPrefix))
    const [{ fault } = { fault: 'pass' as const }] = index === -1 ? [] : planned.splice(index, 1)
    await answer(hostUrl, passed, response, fault)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    next(pathPrefix, ...faults) {
      planned.push(...faults.map((fault) => ({ pathPrefix, fault })))
    },
  }
}

async function answer(
  hostUrl: string,
  passed: PassedRequest,
  response: ServerResponse,
  fault: Fault,
): Promise<void> {
  if (fault === 'cut before') return void response.destroy()
  if (typeof fault === 'object' && 'status' in fault) {
    return void response.writeHead(fault.status, fault.headers).end(fault.body)
  }
  const { status, headers, body } = await forward(hostUrl, passed)
  if (fault === 'lose answer') return void response.destroy()
  const respond = () => void response.writeHead(status, headers).end(body)
  if (typeof fault === 'object') return fault.hold(respond)
  if (fault === 'pass') return respond()
  response.writeHead(status, { ...headers, 'content-length': body.length })
  response.write(body.subarray(0, body.length / 2), () => response.destroy())
}

async function read(request: IncomingMessage): Promise<PassedRequest> {
  const { method = 'GET', url: path = '/', headers } = request
  return { method, path, headers, body: (await bytesOf(request)).toString() }
}

async function forward(hostUrl: string, { method, path, headers, body }: PassedRequest) {
  const outgoing = httpRequest(hostUrl + path, {
    method,
    headers: { ...headers, host: new URL(hostUrl).host },
  })
  outgoing.end(body)
  const [incoming] = (await once(outgoing, 'response')) as [IncomingMessage]
  // The response is sent in one piece, so remove the headers for chunked transfer.
  const { 'transfer-encoding': _pieces, connection: _connection, ...kept } = incoming.headers
  return { status: incoming.statusCode ?? 0, headers: kept, body: await bytesOf(incoming) }
}

async function bytesOf(message: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of message) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}
