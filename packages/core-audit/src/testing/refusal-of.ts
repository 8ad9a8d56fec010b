import type { ProblemDetails } from '../http/contract.ts'

/** The problem details without the request id. A client distinguishes two refusals only by these fields. */
export type Refusal = Omit<ProblemDetails, 'requestId'>

/**
 * Returns the problem details (RFC 9457) of a refused request. Throws if they contradict the status, `Content-Type`,
 * `Cache-Control` or `X-Request-Id` of the response, or if `type` does not name the code.
 */
export async function refusalOf(response: Response): Promise<Refusal> {
  const { requestId, ...problem } = (await response.json()) as ProblemDetails
  const expected = {
    status: response.status,
    type: `urn:vertical-kit:problem:${problem.code}`,
    contentType: 'application/problem+json',
    cacheControl: 'no-store',
    requestId: response.headers.get('x-request-id'),
  }
  const found = {
    status: problem.status,
    type: problem.type,
    contentType: response.headers.get('content-type'),
    cacheControl: response.headers.get('cache-control'),
    requestId,
  }
  if (JSON.stringify(expected) !== JSON.stringify(found)) {
    throw new Error(`The problem details contradict the response: ${JSON.stringify({ expected, found })}`)
  }
  return problem
}
