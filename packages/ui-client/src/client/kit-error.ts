import type { ProblemDetails } from '../wire/problem.ts'

/**
 * Why a request did not succeed. `code` is what to branch on: one of the service's, or
 *
 * - `client.unreachable`: no answer came; status 0
 * - `client.unexpected_response`: an answer that is not of this API, such as a proxy's page
 * - `client.transfer_failed`: the object store did not take a file; its status, or 0 when no answer came
 *
 * Recognise one with {@link isKitError}: two installed copies understand each other. A request that was aborted rejects
 * with its signal's reason instead.
 */
export class KitError extends Error {
  override readonly name = 'KitError'
  readonly code: string
  /** The HTTP status; 0 when no answer came. */
  readonly status: number
  /** What the code says besides: `expectedVersion`, `reasonCodes`, … */
  readonly context: Readonly<Record<string, unknown>>
  /** Wrong fields of the request, by their path in it. */
  readonly errors: readonly { readonly path: string; readonly message: string }[]
  /** For whoever is asked for help; null when it is not known. */
  readonly requestId: string | null
  /** What `Retry-After` asks for; null when it was not there. */
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

/** Whether a thrown value is a {@link KitError}, with this code when one is given. */
export function isKitError(value: unknown, code?: string): value is KitError {
  return (
    value instanceof Error &&
    value.name === 'KitError' &&
    (code === undefined || Reflect.get(value, 'code') === code)
  )
}

/** A refusal as an error. A body that is no problem of ours becomes `client.unexpected_response`. */
export function readProblem(response: Response, body: unknown): KitError {
  const init = { retryAfterMs: readRetryAfter(response.headers.get('Retry-After')) }
  const isProblem =
    typeof body === 'object' && body !== null && 'code' in body && typeof body.code === 'string'
  if (isProblem) return new KitError({ ...(body as ProblemDetails), status: response.status }, init)
  return new KitError(unexpected(response), init)
}

/** What to say of an answer that is not of this API. */
export const unexpected = ({ status, headers }: Response) => ({
  code: 'client.unexpected_response',
  status,
  detail: 'The service returned an unexpected response.',
  ...(headers.has('X-Request-Id') ? { requestId: headers.get('X-Request-Id') ?? '' } : {}),
})

/** Seconds alone: the service never sends a date. */
function readRetryAfter(header: string | null): number | null {
  return header !== null && /^\d{1,5}$/.test(header) ? Number(header) * 1000 : null
}
