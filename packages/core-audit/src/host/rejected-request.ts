import type { IncomingMessage, Server } from 'node:http'
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
 * Answers input that Node rejects: malformed HTTP (400), a request that does not arrive in time (408) and headers that are too
 * large (431). Like every refusal, the answer is a problem document with a request id, and it is logged. It ends the connection.
 * If the connection still owes responses to earlier requests, these are sent, and the rejected input gets no answer.
 */
export function answerRejected(server: Server, connections: Connections, logger?: Logger): void {
  // Prometheus cannot see the increase of a new counter.
  for (const code of [...Object.values(codes), malformed]) rejections.record(0, { 'error.type': code })
  // Node reports each further packet of a connection whose input is malformed.
  const rejected = new WeakSet<Socket>()
  server.on('clientError', (error: NodeJS.ErrnoException, stream) => {
    const socket = stream as Socket
    // A client that has disconnected is not an error.
    if (error.code === 'ECONNRESET') socket.destroy()
    // The connection already ends with its last answer.
    if (!socket.writable || rejected.has(socket)) return
    rejected.add(socket)
    const owed = connections.responsesOf(socket)
    const last = owed.at(-1)
    // The input is either the body of the last request, or a new request.
    const before = owed.at(last?.req.complete === false ? -2 : -1)
    const refusal = new CoreError(codes[error.code ?? ''] ?? malformed)
    if (before === undefined && last?.headersSent !== true && !connections.isReceivingAnswered(socket)) {
      refuseConnection({ socket, method: last?.req.method }, refusal, logger)
      return
    }
    logRejected(refusal, requestIdOf(undefined), logger)
    if (before === undefined) socket.destroySoon()
    else before.once('close', () => socket.destroy())
  })
}

/** Answers a request with an ambiguous end or host. It ends the connection, because its next bytes can have any meaning. */
export function refuseAmbiguous(request: IncomingMessage, logger?: Logger): void {
  refuseConnection(request, new CoreError(malformed), logger)
}

function refuseConnection(
  { socket, method }: Pick<IncomingMessage, 'socket' | 'method'>,
  refusal: Refusal,
  logger?: Logger,
): void {
  const requestId = requestIdOf(undefined)
  logRejected(refusal, requestId, logger)
  const answer = rawRefusal(refusal, requestId)
  // An answer to HEAD has no content (RFC 9110 §9.3.2).
  const head = answer.slice(0, answer.indexOf('\r\n\r\n') + 4)
  socket.end(method === 'HEAD' ? head : answer, () => socket.destroy())
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
