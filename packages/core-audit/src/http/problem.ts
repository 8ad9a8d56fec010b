import { STATUS_CODES } from 'node:http'
import { CoreError, isKitError, type KitError } from '../errors.ts'
import type { ProblemDetails } from './contract.ts'

/** The RFC 9457 body of a refusal. */
function problemDetails(error: KitError, requestId: string): ProblemDetails {
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
    headers: { ...error.headers, 'Content-Type': 'application/problem+json' },
  })
}

/** A refusal passes as it is; anything else becomes `internal`, which says nothing but the request id. */
export function toKitError(error: unknown): KitError {
  return isKitError(error) ? error : new CoreError('internal', { cause: error })
}
