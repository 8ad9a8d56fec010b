import { STATUS_CODES } from 'node:http'
import type { Context, ErrorHandler } from 'hono'
import { HTTPException } from 'hono/http-exception'
import { CoreError, isKitError, type KitError } from '../errors.ts'
import type { ProblemDetails } from './contract.ts'
import { describeError } from './describe-error.ts'
import type { KitEnv } from './kit-env.ts'
import { requestIdOf } from './request-id.ts'

/** A logger for faults. pino and most other loggers match this interface. */
export interface FaultLogger {
  error(fields: object, message: string): void
}

/**
 * Returns an error handler that converts thrown errors to problem details (RFC 9457). A refusal keeps its code. Any other
 * error becomes `500 internal` and reveals nothing. Errors with a 5xx status are logged once, with the request id.
 *
 *     const kit = new Hono<KitEnv>().use(requestId(), authenticate).route('/', notes.router)
 *     kit.onError(problems())
 *
 * The handler also works in applications with their own context variables. Without the `requestId()` middleware, the
 * handler determines the request id. Refusals of Hono's middleware keep their status and headers. Below `/api`, their plain
 * text becomes problem details: `auth.required` for 401, otherwise `request.refused`. Elsewhere, it is meant for people.
 *
 * @param logger By default, each fault is written to the console as one JSON line, without messages that contain user
 *   input.
 */
export function problems(logger: FaultLogger = consoleLogger): ErrorHandler {
  return (error, c) => refuse(error, c, logger)
}

/** Returns the response of {@link problems} for any thrown value, even if the value is not an `Error`. */
export function refuse(error: unknown, c: Context, logger: FaultLogger): Response {
  if (isOfMiddleware(error)) return refusalOfMiddleware(error, c)
  const { refusal, requestId } = reported(error, c, logger)
  return problemResponse(refusal, requestId)
}

/**
 * Returns the problem details of one part of a request that failed, such as one item of a batch. A fault is logged once,
 * with the request id, and reveals nothing.
 */
export function problemOf(error: unknown, c: Context<KitEnv>): ProblemDetails {
  const logger: FaultLogger | undefined = c.get('logger')
  const { refusal, requestId } = reported(error, c as Context, logger ?? consoleLogger)
  return problemDetails(refusal, requestId)
}

/** Converts a thrown value to a refusal, and logs it if it is a fault. */
function reported(error: unknown, c: Context, logger: FaultLogger) {
  const refusal = toRefusal(error)
  const requestId = requestIdIn(c)
  if (refusal.status >= 500) {
    // A refusal with the code `internal` only wraps the fault, so log the fault itself.
    const err = refusal.code === 'internal' ? (refusal.cause ?? refusal) : refusal
    logger.error({ err, requestId, method: c.req.method, path: c.req.path, code: refusal.code }, refusal.code)
  }
  return { refusal, requestId }
}

const consoleLogger: FaultLogger = {
  error: (fields, message) => {
    const err: unknown = Reflect.get(fields, 'err')
    console.error(JSON.stringify({ level: 'error', ...fields, err: describeError(err), msg: message }))
  },
}

const requestIdIn = (c: Context): string => c.get('requestId') ?? requestIdOf(c.req.header('x-request-id'))

/** Returns the response of an exception of Hono's middleware, such as `csrf()`. See {@link problems}. */
function refusalOfMiddleware(exception: HTTPException, c: Context): Response {
  const own = exception.getResponse()
  const contentType = own.headers.get('Content-Type') ?? 'text/plain'
  if (!c.req.path.includes('/api/') || !contentType.startsWith('text/plain')) return own
  return problemResponse(toRefusal(exception), requestIdIn(c))
}

/** Returns the RFC 9457 body of a refusal. */
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

/** Returns the response of a refusal: `application/problem+json` with the headers of its code. */
export function problemResponse(error: KitError, requestId: string): Response {
  const headers = new Headers({ 'Cache-Control': 'no-store' })
  for (const [name, value] of Object.entries(error.headers)) headers.set(name, value)
  headers.set('Content-Type', 'application/problem+json')
  return new Response(JSON.stringify(problemDetails(error, requestId)), { status: error.status, headers })
}

const isOfMiddleware = (error: unknown): error is HTTPException =>
  error instanceof HTTPException && error.status < 500

/**
 * Returns the refusal that a thrown value means. Refusals of the kit stay unchanged. A refusal of Hono's middleware keeps its
 * status, text and headers, with the code `auth.required` for 401, otherwise `request.refused`. Any other error becomes
 * `internal`, which reveals only the request id.
 */
export function toRefusal(error: unknown): KitError {
  if (isKitError(error)) return error
  if (!isOfMiddleware(error)) return new CoreError('internal', { cause: error })
  const { status, message } = error
  const code = status === 401 ? 'auth.required' : 'request.refused'
  const refusal = new CoreError(code, { cause: error, ...(message !== '' && { detail: message }) })
  const own = error.getResponse().headers
  const kept = [...own].filter(([name]) => !/^content-(type|length|encoding)$/.test(name))
  // A middleware with a challenge of its own does not accept the one of the kit.
  const ofCode = own.has('www-authenticate') ? {} : refusal.headers
  return Object.assign(refusal, { status, headers: { ...ofCode, ...Object.fromEntries(kept) } })
}
