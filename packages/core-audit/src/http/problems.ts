import { STATUS_CODES } from 'node:http'
import type { Context, ErrorHandler } from 'hono'
import { HTTPException } from 'hono/http-exception'
import { CoreError, isKitError, type KitError } from '../errors.ts'
import type { ProblemDetails } from './contract.ts'
import { describeError } from './describe-error.ts'
import { requestIdOf } from './request-id.ts'

/** What faults are logged with: pino and most loggers fit. */
export interface FaultLogger {
  error(fields: object, message: string): void
}

/**
 * Answers whatever a route throws with problem details (RFC 9457): a refusal with its own code, anything else with
 * `500 internal`, which reveals nothing. Faults and unavailable parts (5xx) are logged once, with the request id.
 *
 *     const kit = new Hono<KitEnv>().use(requestId(), authenticate).route('/', notes.router)
 *     kit.onError(problems())
 *
 * It takes applications with variables of their own, and works without `requestId()`: the request then gets its id
 * here. A refusal of Hono's own middleware, such as `csrf()`, keeps the response that the middleware made.
 *
 * @param logger the console when absent, one JSON line a fault; errors are reduced to what holds no data
 */
export function problems(logger: FaultLogger = consoleLogger): ErrorHandler {
  return (error, c) => refuse(error, c, logger)
}

/** The response of {@link problems}, for what was thrown and is no `Error` of this realm as well. */
export function refuse(error: unknown, c: Context, logger: FaultLogger): Response {
  if (error instanceof HTTPException && error.status < 500) return error.getResponse()
  const refusal = toKitError(error)
  const requestId: string = c.get('requestId') ?? requestIdOf(c.req.header('x-request-id'))
  if (refusal.status >= 500) {
    // `internal` is our fault; an unavailable part is the operator's to know.
    const err = refusal.code === 'internal' ? (refusal.cause ?? refusal) : refusal
    logger.error({ err, requestId, method: c.req.method, path: c.req.path, code: refusal.code }, refusal.code)
  }
  return problemResponse(refusal, requestId)
}

const consoleLogger: FaultLogger = {
  error: (fields, message) => {
    const err: unknown = Reflect.get(fields, 'err')
    console.error(JSON.stringify({ level: 'error', ...fields, err: describeError(err), msg: message }))
  },
}

/** The RFC 9457 body of a refusal. */
export function problemDetails(error: KitError, requestId: string): ProblemDetails {
  return {
    type: `urn:vertical-kit:problem:${error.code}`,
    title: STATUS_CODES[error.status] ?? 'Error',
    status: error.status,
    detail: error.detail,
    code: error.code,
    ...(error.context === undefined ? {} : { context: { ...error.context } }),
    ...(error.errors === undefined ? {} : { errors: [...error.errors] }),
    requestId,
  }
}

/** The response of a refusal, as `application/problem+json` with the headers its code asks for. */
export function problemResponse(error: KitError, requestId: string): Response {
  return new Response(JSON.stringify(problemDetails(error, requestId)), {
    status: error.status,
    headers: { 'Cache-Control': 'no-store', ...error.headers, 'Content-Type': 'application/problem+json' },
  })
}

/** A refusal passes as it is; anything else becomes `internal`, which says nothing but the request id. */
function toKitError(error: unknown): KitError {
  return isKitError(error) ? error : new CoreError('internal', { cause: error })
}
