import { once } from 'node:events'
import { rm } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createCors } from './cors.ts'
import { openDisk } from './disk.ts'
import { createFaults, type ObjectStoreFaults } from './faults.ts'
import { type ObjectStoreOptions, resolveOptions } from './options.ts'
import { createRequestHandler } from './request-handler.ts'
import { createVerifier } from './signature.ts'

export type { CallFault, Fault, FaultScope, OperationCall } from './call-faults.ts'
export type { ObjectStoreFaults } from './faults.ts'
export type { ObjectStoreOptions } from './options.ts'
export type { RequestLogEntry } from './request-log.ts'
export type { Operation } from './routing.ts'
export type { Credentials } from './signature.ts'

/** A running object store. */
export interface ObjectStore {
  /** The endpoint: `http://127.0.0.1:<port>`. Clients must use path-style addressing. */
  readonly url: string
  /** The faults that tests can inject. */
  readonly faults: ObjectStoreFaults
  /** Drops all connections and frees the port. Resolves when the store no longer uses the directory. */
  close(): Promise<void>
}

/**
 * Starts an S3-compatible object store in this process. Use it only for local runs and tests. It enforces signatures,
 * conditions and CORS like S3. Objects and multipart uploads stay on disk after a restart, and no request can delete
 * them. Requests for unsupported features fail with `NotImplemented`.
 *
 * @throws {TypeError} naming an invalid option
 */
export async function startObjectStore(options: ObjectStoreOptions): Promise<ObjectStore> {
  const { host, port, region, clock, log, corsOrigins, startsEmpty, ...resolved } = resolveOptions(options)
  const verify = createVerifier({ credentials: resolved.credentials, region, clock })
  const closing = new AbortController()

  // Large uploads can exceed any request timeout. The timeout for headers still applies.
  const server = createServer({ requestTimeout: 0 })
  const faults = createFaults({
    closing: closing.signal,
    dropConnections: () => server.closeAllConnections(),
  })
  // Bind the port before opening the directory, because opening it can empty it: if the port is in use, the objects belong to a
  // running store. Requests that arrive before the directory is open wait for it.
  const opening = listen(server, { host, port })
    .then(async () => {
      if (startsEmpty) await rm(resolved.directory, { recursive: true, force: true })
      return openDisk({ directory: resolved.directory, buckets: resolved.buckets, clock })
    })
    .then((findBucket) => {
      const context = { findBucket, region, ignoresCopyConditions: () => faults.ignoresCopyConditions }
      return createRequestHandler({ context, verify, faults, cors: createCors(corsOrigins), clock, log })
    })
  server.on('request', (message, response) => {
    void opening.then(
      ({ handle }) => handle(message, response),
      () => response.destroy(),
    )
  })
  server.on('connection', (socket) => {
    if (faults.isUnreachable) socket.destroy()
  })

  const handler = await opening.catch((error: unknown) => {
    server.close()
    throw error
  })
  const { port: actualPort } = server.address() as AddressInfo
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${actualPort}`,
    faults: faults.controls,
    async close() {
      closing.abort()
      server.close()
      server.closeAllConnections()
      await handler.settled()
    },
  }
}

async function listen(server: Server, address: { host: string; port: number }) {
  server.listen(address)
  // Rejects if the port is in use.
  await once(server, 'listening')
}
