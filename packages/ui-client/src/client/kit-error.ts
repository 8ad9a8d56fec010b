import type { ProblemDetails } from '../wire/problem.ts'

/**
 * The error of a failed request. Branch on `code`: a code of the service, or
 *
 * - `client.unreachable`: no answer arrived; status 0
 * - `client.unexpected_response`: the answer is not from this API, for example a proxy's page
 * - `client.transfer_failed`: the object store rejected a file; its status, or 0 without an answer
 *
 * Test with {@link isKitError}: it also recognises errors of another installed copy. An aborted request rejects with its
 * signal's reason instead.
 */
export class KitError extends Error {
  override readonly name = 'KitError'
  readonly code: string
  /** The HTTP status; 0 without an answer. */
  readonly status: number
  /** Details of the error, such as `expectedVersion` or `reasonCodes`. */
  readonly context: Readonly<Record<string, unknown>>
  /** The invalid fields of the request, with their paths. */
  readonly errors: readonly { readonly path: string; readonly message: string }[]
  /** The request id, for support requests; null when unknown. */
  readonly requestId: string | null
  /** The delay from `Retry-After`; null without the header. */
  readonly retryAfterMs: number | null

  constructor(problem: Omit<Partial<ProblemDetails>, 'code'> & { code: string }, init: KitErrorInit = {}) {
    super(problem.detail ?? problem.code, init.cause === undefined ? {} : { cause: init.cause })
    this.code = problem.code
    this.status = problem.status ?? 0
    this.context = problem.context ?? {}
    this.errors = problem.errors ?? []
    this.requestId = problem.requestId ?? null
    this.retryAfterMs = init.retryAfterMs ?? null
  }
}

interface KitErrorInit {
  readonly cause?: unknown
  readonly retryAfterMs?: number | null
}

/** Returns whether a thrown value is a {@link KitError}, with this code if `code` is set. */
export function isKitError(value: unknown, code?: string): value is KitError {
  return (
    value instanceof Error &&
    value.name === 'KitError' &&
    (code === undefined || Reflect.get(value, 'code') === code)
  )
}

/** Converts a refusal to an error. A body in another format becomes `client.unexpected_response`. */
export function readProblem(response: Response, body: unknown): KitError {
  const init = { retryAfterMs: readRetryAfter(response.headers.get('Retry-After')) }
  const isProblem =
    typeof body === 'object' && body !== null && 'code' in body && typeof body.code === 'string'
  if (isProblem) return new KitError({ ...(body as ProblemDetails), status: response.status }, init)
  return new KitError(unexpected(response), init)
}

/** Returns the problem for an answer that is not from this API. */
export const unexpected = ({ status, headers }: Response) => ({
  code: 'client.unexpected_response',
  status,
  detail: 'The service returned an unexpected response. Try again later.',
  ...(headers.has('X-Request-Id') ? { requestId: headers.get('X-Request-Id') ?? '' } : {}),
})

/** Parses seconds only: the service never sends a date. */
function readRetryAfter(header: string | null): number | null {
  return header !== null && /^\d{1,5}$/.test(header) ? Number(header) * 1000 : null
}
