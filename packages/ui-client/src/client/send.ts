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
   * Returns the access token to send, or null if there is none. Called before every request, so that a renewed token is used,
   * and once more with `refresh` if the service refuses the token. Requests that are refused at the same time all call it:
   * renew once for all of them. Reject while the token is unknown, for example offline (`client.unreachable`).
   *
   * Without this option, requests carry the cookies of the page's origin: for services that read their users' sessions from a
   * cookie. The service must then protect itself against forged requests.
   */
  readonly accessToken?: (ask: { readonly refresh: boolean }) => string | null | Promise<string | null>
  /** Default: the global one. */
  readonly fetch?: typeof fetch
  /** Waits between two attempts; for tests. */
  readonly wait?: Wait
}

type AccessToken = NonNullable<SendOptions['accessToken']>
type Ask = Parameters<AccessToken>[0]

/** Of a client whose service reads its user from a cookie. */
export const noAccessToken: AccessToken = () => null

/** What all calls of a client go through: the token, JSON both ways, problems as errors, and retries where they are safe. */
export function createSend(options: SendOptions): Send {
  const { baseUrl = '', wait = realWait, accessToken = noAccessToken } = options
  // A token identifies the caller; a cookie in addition would only allow other sites to forge requests.
  const credentials = options.accessToken === undefined ? 'same-origin' : 'omit'
  const root = baseUrl.replace(/\/+$/, '')

  const tokenFor = async (ask: Ask, signal: AbortSignal | undefined): Promise<string | null> => {
    try {
      return await accessToken(ask)
    } catch (cause) {
      signal?.throwIfAborted()
      throw unreachable('The sign-in could not be renewed.', cause)
    }
  }

  const once = async (request: KitRequest, body: string | undefined, ask: Ask): Promise<Response> => {
    const { method, signal } = request
    const token = await tokenFor(ask, signal)
    signal?.throwIfAborted()
    const response = await (options.fetch ?? fetch)(root + request.path + queryString(request.query), {
      method,
      headers: {
        Accept: 'application/json',
        ...(token === null ? {} : { Authorization: `Bearer ${token}` }),
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
        ...request.headers,
      },
      credentials,
      cache: 'no-store',
      ...(body === undefined ? {} : { body }),
      signal: withLimit(request),
    }).catch((cause: unknown) => {
      signal?.throwIfAborted()
      throw unreachable('The service cannot be reached.', cause)
    })
    if (response.status !== 401 || ask.refresh || token === null) return response
    // Refused before anything was looked at, so that it is safe to repeat whatever it was.
    void response.body?.cancel().catch(() => {})
    return once(request, body, { refresh: true })
  }

  return async <T>(request: KitRequest): Promise<T> => {
    const isRepeatable = request.isRepeatable ?? request.method === 'GET'
    // Once: what is sent again is the same, whatever has become of the object meanwhile.
    const body = request.body === undefined ? undefined : JSON.stringify(request.body)
    for (let attempt = 1; ; attempt += 1) {
      try {
        return (await read(await once(request, body, { refresh: false }), request.signal)) as T
      } catch (error) {
        const delayMs = isRepeatable ? retryDelayMs(error, attempt, Math.random()) : null
        if (delayMs === null) throw error
        await wait(delayMs, request.signal)
      }
    }
  }
}

/** Longer than the service takes for any answer: what it looks up in seconds, what it asks the object store in two minutes. */
const answerLimitsMs = { GET: 30_000, others: 150_000 } as const

/** A connection that has gone silent is an answer that does not come: nobody waits for it for ever. */
function withLimit({ method, signal }: KitRequest): AbortSignal {
  const limit = AbortSignal.timeout(method === 'GET' ? answerLimitsMs.GET : answerLimitsMs.others)
  return signal === undefined ? limit : AbortSignal.any([signal, limit])
}

async function read(response: Response, signal: AbortSignal | undefined): Promise<unknown> {
  if (response.status === 204) return undefined
  const body = await readJson(response, signal)
  if (!response.ok) throw readProblem(response, body)
  if (body instanceof SyntaxError) throw new KitError(unexpected(response), { cause: body })
  return body
}

/** The answer's JSON; a SyntaxError when it is something else. */
function readJson(response: Response, signal: AbortSignal | undefined): Promise<unknown> {
  return response.json().catch((cause: unknown) => {
    signal?.throwIfAborted()
    // Cut off on the way, or not JSON at all: the first is told by the body's stream, which fails with a TypeError.
    if (cause instanceof SyntaxError) return cause
    throw unreachable('The answer was cut off.', cause)
  })
}

const unreachable = (detail: string, cause: unknown) =>
  new KitError({ code: 'client.unreachable', detail }, { cause })

function queryString(query: KitRequest['query'] = {}): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== null)
  return given.length === 0
    ? ''
    : `?${new URLSearchParams(given.map(([name, value]) => [name, String(value)]))}`
}

/** A path of literal text and encoded parameters: a tag, so that no parameter is forgotten. */
export const path = (literals: TemplateStringsArray, ...parameters: readonly string[]): string =>
  String.raw({ raw: literals }, ...parameters.map(encodeSegment))

function encodeSegment(parameter: string): string {
  // However they are written, URLs take these for the folder above, and the request would go somewhere else.
  if (parameter === '.' || parameter === '..') throw new TypeError(`${parameter} names nothing in a path`)
  return encodeURIComponent(parameter)
}
