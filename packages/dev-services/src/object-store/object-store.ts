import { once } from 'node:events'
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

/** A running store. */
export interface ObjectStore {
  /** The endpoint for clients, which must use path-style addressing: `http://127.0.0.1:<port>`. */
  readonly url: string
  /** What a test may break. */
  readonly faults: ObjectStoreFaults
  /** Drops all connections, frees the port and resolves once nothing touches the directory any more. */
  close(): Promise<void>
}

/**
 * Starts an S3-compatible object store in this process, for local runs and tests only: signatures, conditions
 * and CORS are enforced as S3 does, objects are kept on disk and survive a restart, and nothing can be deleted.
 * What is not implemented is refused with `NotImplemented`.
 *
 * @throws {TypeError} naming the option that cannot be used
 */
export async function startObjectStore(options: ObjectStoreOptions): Promise<ObjectStore> {
  const { host, port, region, clock, log, corsOrigins, ...resolved } = resolveOptions(options)
  const findBucket = await openDisk({ directory: resolved.directory, buckets: resolved.buckets, clock })
  const verify = createVerifier({ credentials: resolved.credentials, region, clock })
  const closing = new AbortController()

  // A large upload may take longer than any limit on the whole request; headers keep theirs.
  const server = createServer({ requestTimeout: 0 })
  const faults = createFaults({
    closing: closing.signal,
    dropConnections: () => server.closeAllConnections(),
  })
  const context = { findBucket, region, ignoresCopyConditions: () => faults.ignoresCopyConditions }
  const handler = createRequestHandler({ context, verify, faults, cors: createCors(corsOrigins), clock, log })
  server.on('request', handler.handle)
  server.on('connection', (socket) => {
    if (faults.isUnreachable) socket.destroy()
  })

  await listen(server, { host, port })
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
  // Rejects with the error when the port is taken.
  await once(server, 'listening')
}
