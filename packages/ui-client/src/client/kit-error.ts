import type { ProblemDetails } from '../wire/problem.ts'

/**
 * The error of a failed request. Branch on `code`, which comes from the service or is one of these codes:
 *
 * - `client.unreachable`: no response arrived. The status is 0.
 * - `client.unexpected_response`: the response is not from this API. For example, a proxy sent a page.
 * - `client.transfer_failed`: the object store rejected a file or did not respond. The status is the store's, or 0.
 * - `client.file_unreadable`: the browser cannot read a file that the user has chosen. The status is 0.
 * - `client.part_not_loaded`: a part of this package could not be loaded when it was needed. The status is 0. If the server
 *   has a newer release of the page, only a reload helps.
 *
 * Test with {@link isKitError}, which also recognises errors of another installed copy of this package. An aborted request
 * rejects with the reason of its signal, not with a `KitError`.
 */
export class KitError extends Error {
  override readonly name = 'KitError'
  readonly code: string
  /** The HTTP status, or 0 if no response arrived. */
  readonly status: number
  /** Details of the error, such as `expectedVersion` or `reasonCodes`. */
  readonly context: Readonly<Record<string, unknown>>
  /** The invalid fields of the request: their paths and messages. */
  readonly errors: readonly { readonly path: string; readonly message: string }[]
  /** The request id, which users quote when they contact support. It is null if the id is unknown. */
  readonly requestId: string | null
  /** The delay from the `Retry-After` header, or null if the response has no such header. */
  readonly retryAfterMs: number | null

  constructor(problem: Problem, init: KitErrorInit = {}) {
    super(problem.detail ?? problem.code, init)
    this.code = problem.code
    this.status = problem.status ?? 0
    this.context = problem.context ?? {}
    this.errors = problem.errors ?? []
    this.requestId = problem.requestId ?? null
    this.retryAfterMs = init.retryAfterMs ?? null
  }
}

type Problem = Omit<Partial<ProblemDetails>, 'code' | 'requestId'> & {
  readonly code: string
  readonly requestId?: string | null
}

interface KitErrorInit {
  readonly cause?: unknown
  readonly retryAfterMs?: number | null
}

/** Returns whether a thrown value is a {@link KitError}. If `code` is passed, the error must also have this code. */
export function isKitError(value: unknown, code?: string): value is KitError {
  return (
    value instanceof Error &&
    value.name === 'KitError' &&
    (code === undefined || (value as KitError).code === code)
  )
}

/** Converts an error response. If the body has an unknown format, the code is `client.unexpected_response`. */
export function readProblem(response: Response, body: unknown): KitError {
  const init = { retryAfterMs: readRetryAfter(response.headers.get('Retry-After')) }
  const problem = body as ProblemDetails | null | undefined
  return new KitError(
    typeof problem?.code === 'string' ? { ...problem, status: response.status } : unexpected(response),
    init,
  )
}

/** Returns the problem for a response that is not from this API. */
export const unexpected = ({ status, headers }: Response) => ({
  code: 'client.unexpected_response',
  status,
  detail: 'The service returned an unexpected response. Try again later.',
  requestId: headers.get('X-Request-Id'),
})

/** Parses `Retry-After`. Accepts only seconds, because the service never sends a date. */
function readRetryAfter(header: string | null): number | null {
  return header !== null && /^\d{1,5}$/.test(header) ? Number(header) * 1000 : null
}
