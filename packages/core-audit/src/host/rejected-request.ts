import { type Server, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { Logger } from 'pino'
import { CoreError, type CoreErrorCode } from '../errors.ts'
import { problemDetails } from '../http/problems.ts'
import { requestIdOf } from '../http/request-id.ts'
import type { Connections } from './connections.ts'

const codes: Readonly<Record<string, CoreErrorCode>> = {
  HPE_HEADER_OVERFLOW: 'request.headers_too_large',
  ERR_HTTP_REQUEST_TIMEOUT: 'request.timeout',
}

/**
 * Answers input that Node rejects before it becomes a request: malformed HTTP (400), a request that does not arrive in time
 * (408) and headers that are too large (431). Like every refusal, the answer is a problem document with a request id, and it
 * is logged. It ends the connection. If the connection still owes responses to earlier requests, these are sent, and the
 * rejected input gets no answer.
 */
export function answerRejected(server: Server, connections: Connections, logger?: Logger): void {
  server.on('clientError', (error: NodeJS.ErrnoException, stream) => {
    const socket = stream as Socket
    // A client that has disconnected is not an error.
    if (error.code === 'ECONNRESET' || !socket.writable) {
      socket.destroy()
      return
    }
    const refusal = new CoreError(codes[error.code ?? ''] ?? 'request.malformed')
    const requestId = requestIdOf(undefined)
    logger?.info(
      { requestId, code: refusal.code, status: refusal.status, reason: error.code },
      'Rejected a request.',
    )
    const owed = connections.responsesOf(socket)
    const last = owed.at(-1)
    const answer = (): void => void socket.end(answerOf(refusal, requestId), () => socket.destroy())
    if (last === undefined) {
      answer()
    } else if (last.req.complete) {
      last.once('close', () => socket.destroy())
    } else if (refusal.code === 'request.timeout' && owed.length === 1 && !last.headersSent) {
      // The body of the request in progress did not arrive in time.
      answer()
    } else {
      socket.destroy()
    }
  })
}

function answerOf(refusal: InstanceType<typeof CoreError>, requestId: string): string {
  const body = JSON.stringify(problemDetails(refusal, requestId))
  return [
    `HTTP/1.1 ${refusal.status} ${STATUS_CODES[refusal.status]}`,
    'Content-Type: application/problem+json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Cache-Control: no-store',
    'X-Content-Type-Options: nosniff',
    `X-Request-Id: ${requestId}`,
    'Connection: close',
    '',
    body,
  ].join('\r\n')
}
