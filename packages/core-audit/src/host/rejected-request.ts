import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { RequestError } from '@hono/node-server'
import type { Logger } from 'pino'
import { CoreError, type CoreErrorCode } from '../errors.ts'
import { requestIdOf } from '../http/request-id.ts'
import { counter } from '../telemetry/metrics.ts'
import { bareRefusal, rawRefusal } from './bare-refusal.ts'
import type { Connections } from './connections.ts'

const codes: Readonly<Record<string, CoreErrorCode>> = {
  HPE_HEADER_OVERFLOW: 'request.headers_too_large',
  ERR_HTTP_REQUEST_TIMEOUT: 'request.timeout',
}
const malformed = 'request.malformed'

const rejections = counter('vertical_kit.http.rejected_requests', {
  unit: '{request}',
  description: 'Requests that ended before they reached a route, by error code.',
})

/**
 * Answers input that Node rejects before it becomes a request: malformed HTTP (400), a request that does not arrive in time
 * (408) and headers that are too large (431). Like every refusal, the answer is a problem document with a request id, and it
 * is logged. It ends the connection. If the connection still owes responses to earlier requests, these are sent, and the
 * rejected input gets no answer.
 */
export function answerRejected(server: Server, connections: Connections, logger?: Logger): void {
  // Prometheus cannot see the increase of a new counter.
  for (const code of [...Object.values(codes), malformed]) rejections.record(0, { 'error.type': code })
  server.on('clientError', (error: NodeJS.ErrnoException, stream) => {
    const socket = stream as Socket
    // A client that has disconnected is not an error.
    if (error.code === 'ECONNRESET' || !socket.writable) {
      socket.destroy()
      return
    }
    const refusal = new CoreError(codes[error.code ?? ''] ?? malformed)
    const requestId = requestIdOf(undefined)
    logRejected(refusal, requestId, logger)
    const owed = connections.responsesOf(socket)
    const last = owed.at(-1)
    // The body of the request in progress did not arrive in time, so the answer belongs to this request.
    const isLate = refusal.code === 'request.timeout' && owed.length === 1 && last?.headersSent === false
    if (last?.req.complete === true) last.once('close', () => socket.destroy())
    else if (last === undefined || isLate) socket.end(rawRefusal(refusal, requestId), () => socket.destroy())
    else socket.destroy()
  })
}

/** Answers a request that the application's adapter cannot convert, such as one without a valid `Host` header. */
export function rejectedResponse(error: unknown, logger?: Logger): Response {
  const requestId = requestIdOf(undefined)
  const refusal =
    error instanceof RequestError ? new CoreError(malformed) : new CoreError('internal', { cause: error })
  logRejected(refusal, requestId, logger)
  return bareRefusal(refusal, requestId)
}

type Refusal = InstanceType<typeof CoreError>

function logRejected(refusal: Refusal, requestId: string, logger?: Logger): void {
  const { code, status, cause } = refusal
  rejections.record(1, { 'error.type': code })
  if (status >= 500) logger?.error({ err: cause, requestId, code }, code)
  else logger?.info({ requestId, code, status }, 'Rejected a request.')
}
