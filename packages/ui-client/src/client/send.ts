import { KitError, readProblem, unexpected } from './kit-error.ts'
import { retryDelayMs } from './retry.ts'
import { wait as realWait, type Wait } from './wait.ts'

/** What a call takes besides what is asked. */
export interface CallOptions {
  /** Ends the call: it rejects with the signal's reason. Whether a change was made by then is not known. */
  readonly signal?: AbortSignal | undefined
}

/** One request to the service. */
export interface KitRequest extends CallOptions {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  /** Below the base address: `/api/notes`. */
  readonly path: string
  /** Absent and null values are left out. */
  readonly query?: Readonly<Record<string, string | number | boolean | null | undefined>>
  /** Sent as JSON. */
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  /**
   * Whether sending it twice does what sending it once does: then failures that pass are retried. Default: of `GET` alone.
   */
  readonly isRepeatable?: boolean
}

/** Sends a request and resolves with the answer's JSON; with `undefined` when it has none. */
export type Send = <T>(request: KitRequest) => Promise<T>

export interface SendOptions {
  /** The service's address, with or without a path; '' is the page's own origin, and the default. */
  readonly baseUrl?: string
  /**
   * The access token to send, or null for none. Asked before every request, so that a renewed one is used; asked again with
   * `refresh` when the service has refused it, once a request.
   */
  readonly accessToken: (ask: { readonly refresh: boolean }) => string | null | Promise<string | null>
  /** Default: the global one. */
  readonly fetch?: typeof fetch
  /** Waits between two attempts; for tests. */
  readonly wait?: Wait
}

/** What all calls of a client go through: the token, JSON both ways, problems as errors, and retries where they are safe. */
export function createSend(options: SendOptions): Send {
  const { baseUrl = '', wait = realWait } = options
  const root = baseUrl.replace(/\/+$/, '')

  const once = async (request: KitRequest, refresh: boolean): Promise<Response> => {
    const token = await options.accessToken({ refresh })
    request.signal?.throwIfAborted()
    const response = await (options.fetch ?? fetch)(root + request.path + queryString(request.query), {
      method: request.method,
      headers: {
        Accept: 'application/json',
        ...(token === null ? {} : { Authorization: `Bearer ${token}` }),
        ...(request.body === undefined ? {} : { 'Content-Type': 'application/json' }),
        ...request.headers,
      },
      // Who the caller is, the token says: a cookie would only make the request forgeable.
      credentials: 'omit',
      cache: 'no-store',
      ...(request.body === undefined ? {} : { body: JSON.stringify(request.body) }),
      ...(request.signal === undefined ? {} : { signal: request.signal }),
    }).catch((cause: unknown) => {
      request.signal?.throwIfAborted()
      throw new KitError({ code: 'client.unreachable', detail: 'The service cannot be reached.' }, { cause })
    })
    // Refused before anything was looked at, so that it is safe to repeat whatever it was.
    return response.status === 401 && !refresh && token !== null ? once(request, true) : response
  }

  return async <T>(request: KitRequest): Promise<T> => {
    const isRepeatable = request.isRepeatable ?? request.method === 'GET'
    for (let attempt = 1; ; attempt += 1) {
      try {
        return (await read(await once(request, false), request.signal)) as T
      } catch (error) {
        const delayMs = isRepeatable ? retryDelayMs(error, attempt, Math.random()) : null
        if (delayMs === null) throw error
        await wait(delayMs, request.signal)
      }
    }
  }
}

async function read(response: Response, signal: AbortSignal | undefined): Promise<unknown> {
  if (!response.ok) throw await readProblem(response)
  if (response.status === 204) return undefined
  return response.json().catch((cause: unknown) => {
    signal?.throwIfAborted()
    // Cut off on the way, or not JSON at all: the first is told by the body's stream, which fails with a TypeError.
    if (cause instanceof SyntaxError) throw new KitError(unexpected(response), { cause })
    throw new KitError({ code: 'client.unreachable', detail: 'The answer was cut off.' }, { cause })
  })
}

function queryString(query: KitRequest['query'] = {}): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== null)
  return given.length === 0
    ? ''
    : `?${new URLSearchParams(given.map(([name, value]) => [name, String(value)]))}`
}

/** A path of literal text and encoded parameters: a tag, so that no parameter is forgotten. */
export const path = (literals: TemplateStringsArray, ...parameters: readonly string[]): string =>
  String.raw({ raw: literals }, ...parameters.map(encodeURIComponent))
