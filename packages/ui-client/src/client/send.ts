import { KitError, readProblem, unexpected } from './kit-error.ts'
import { retryDelayMs } from './retry.ts'
import { wait as realWait, type Wait } from './wait.ts'

/** The options of every call. */
export interface CallOptions {
  /** Aborting the signal rejects the call with the signal's reason. The service may already have made the change. */
  readonly signal?: AbortSignal | undefined
}

/** One request to the service. */
export interface KitRequest extends CallOptions {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  /** The path below the base URL, for example `/api/notes`. */
  readonly path: string
  /** The query parameters. Undefined and null values are omitted. */
  readonly query?: Readonly<Record<string, string | number | boolean | null | undefined>>
  /** The request body, which is sent as JSON. */
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  /**
   * Whether sending the request twice has the same effect as sending it once. If true, temporary failures are retried.
   * Default: true for `GET`, otherwise false.
   */
  readonly isRepeatable?: boolean
  /** Whether a successful response is a file. The call then resolves with a `Blob`, and the file can take minutes. */
  readonly isFile?: boolean
  /** Returns true for the body of an error that is a normal response: an unhealthy service describes its health with 503. */
  readonly acceptsError?: (body: unknown) => boolean
}

/** Sends a request. Resolves with the parsed JSON or the file, or with `undefined` if the response is empty (204). */
export type Send = <T>(request: KitRequest) => Promise<T>

/** How requests reach the service and identify the user. */
export interface SendOptions {
  /** The service's base URL, with or without a path. Default: an empty string, which is the page's own origin. */
  readonly baseUrl?: string
  /**
   * Returns the access token to send, or null if no token exists. Called before every request. If the service refuses the
   * token, the function is called once more with `refresh: true`. If several requests are refused, renew the token only
   * once for all of these requests. If the token is unknown, for example because the page is offline, reject; the
   * call then fails with `client.unreachable`, as it does if the token does not arrive within the time limit of the call.
   *
   * Without this option, requests contain the cookies of the page's origin, for services that identify users by a cookie.
   * Such a service must protect itself against forged requests.
   */
  readonly accessToken?: (ask: { readonly refresh: boolean }) => string | null | Promise<string | null>
  /** The fetch function. Default: the global `fetch`. */
  readonly fetch?: typeof fetch
  /** Waits between two attempts. Tests can replace this function. */
  readonly wait?: Wait
}

type AccessToken = NonNullable<SendOptions['accessToken']>
type Ask = Parameters<AccessToken>[0]

/** The token function of a client that identifies its user by a cookie. */
export const noAccessToken: AccessToken = () => null

/** Creates the function that sends all requests of a client. It adds the token, handles JSON and errors, and retries. */
export function createSend(options: SendOptions): Send {
  const { baseUrl = '', wait = realWait, accessToken = noAccessToken } = options
  // If a token identifies the caller, send no cookies: they would only allow other sites to forge requests.
  const credentials = options.accessToken === undefined ? 'same-origin' : 'omit'
  const root = baseUrl.replace(/\/+$/, '')

  /** Rejects as soon as the signal is aborted: a silent identity provider must not block the call. */
  const tokenFor = (ask: Ask, signal: AbortSignal) =>
    new Promise<string | null>((resolve, reject) => {
      signal.throwIfAborted()
      signal.onabort = () => reject(signal.reason)
      Promise.resolve(accessToken(ask)).then(resolve, reject)
    })

  const once = async (request: KitRequest, body: string | undefined, ask: Ask): Promise<Response> => {
    const { method, signal } = request
    const limited = withLimit(request)
    const token = await tokenFor(ask, limited).catch(unreachable('The sign-in could not be renewed.', signal))
    const response = await (options.fetch ?? fetch)(root + request.path + queryString(request.query), {
      method,
      headers: {
        Accept: 'application/json',
        ...(token !== null && { Authorization: `Bearer ${token}` }),
        ...(body !== undefined && { 'Content-Type': 'application/json' }),
        ...request.headers,
      },
      credentials,
      cache: 'no-store',
      // The user may close the page right after a deletion.
      keepalive: method === 'DELETE',
      body: body ?? null,
      signal: limited,
    }).catch(unreachable('The service cannot be reached.', signal))
    if (response.status !== 401 || ask.refresh || token === null) return response
    // The service refused the token before it processed the request, so any request is safe to repeat.
    void response.body?.cancel().catch(() => {})
    return once(request, body, { refresh: true })
  }

  return async <T>(request: KitRequest): Promise<T> => {
    const isRepeatable = request.isRepeatable ?? request.method === 'GET'
    // Serialise the body once: retries must send the same body, even if the caller has changed the object.
    const body = JSON.stringify(request.body) as string | undefined
    for (let attempt = 1; ; attempt += 1) {
      try {
        return (await read(await once(request, body, { refresh: false }), request)) as T
      } catch (error) {
        const delayMs = isRepeatable ? retryDelayMs(error, attempt, Math.random()) : null
        if (delayMs === null) throw error
        await wait(delayMs, request.signal)
      }
    }
  }
}

/**
 * These limits exceed the service's own limits: some seconds for reads, two minutes for changes in the object store. A file of many
 * events is sent as it is read.
 */
const readLimitMs = 30_000
const changeLimitMs = 150_000
const fileLimitMs = 1_800_000

/** Returns a signal that is also aborted at the time limit, so that no pending token or silent connection blocks the call. */
function withLimit({ method, signal, isFile }: KitRequest): AbortSignal {
  const limit = AbortSignal.timeout(isFile ? fileLimitMs : method === 'GET' ? readLimitMs : changeLimitMs)
  return signal === undefined ? limit : AbortSignal.any([signal, limit])
}

async function read(response: Response, { signal, isFile, acceptsError }: KitRequest): Promise<unknown> {
  if (response.status === 204) return undefined
  if (isFile === true && response.ok) return response.blob().catch(cutOff(signal))
  const body = await readJson(response, signal)
  if (!response.ok && !acceptsError?.(body)) throw readProblem(response, body)
  if (body instanceof SyntaxError) throw new KitError(unexpected(response), { cause: body })
  return body
}

/** Resolves with the JSON of the response, or with a SyntaxError if the body is not JSON. */
function readJson(response: Response, signal: AbortSignal | undefined): Promise<unknown> {
  // Invalid JSON causes a SyntaxError. A truncated body causes a TypeError of the stream.
  return response
    .json()
    .catch((cause: unknown) => (cause instanceof SyntaxError ? cause : cutOff(signal)(cause)))
}

const cutOff = (signal: AbortSignal | undefined) => unreachable('The answer was cut off.', signal)

/** Returns a function that rejects with the reason of an aborted signal, or else with `client.unreachable`. */
const unreachable =
  (detail: string, signal: AbortSignal | undefined) =>
  (cause: unknown): never => {
    signal?.throwIfAborted()
    throw new KitError({ code: 'client.unreachable', detail }, { cause })
  }

function queryString(query: KitRequest['query'] = {}): string {
  const given = Object.entries(query).flatMap(([name, value]) => (value == null ? [] : [[name, `${value}`]]))
  return given.length === 0 ? '' : `?${new URLSearchParams(given)}`
}

/** Builds a path and encodes its parameters. A template tag ensures that every parameter is encoded. */
export const path = (literals: TemplateStringsArray, ...parameters: readonly string[]): string =>
  String.raw({ raw: literals }, ...parameters.map(encodeSegment))

function encodeSegment(parameter: string): string {
  // URL parsers treat `.` and `..` as folders, even if they are encoded. The request would reach another path.
  if (parameter === '.' || parameter === '..') throw new TypeError(`Invalid path parameter: ${parameter}`)
  return encodeURIComponent(parameter)
}
