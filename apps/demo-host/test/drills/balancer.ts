import { setTimeout as delay } from 'node:timers/promises'
import type { Body } from '../answers.ts'
import type { PresignedUpload } from '../uploads.ts'

/** A response body with all properties that the drills read. */
export interface AnswerBody extends Body {
  readonly items: readonly AnswerBody[]
  readonly userId: string
  readonly executionId: string
  readonly attachment: Body
  readonly upload: PresignedUpload
  readonly url: string
  readonly version: number
  readonly taskStatus: string | null
}

/** A response that was read completely. The body has no properties if it is empty or not JSON. */
export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly body: AnswerBody
}

export interface Outgoing {
  readonly method: string
  readonly path: string
  readonly token: string
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

/** The counts of all requests, and the answers that no client should ever get. */
export interface Traffic {
  /** The answers by status. */
  readonly statuses: Map<number, number>
  /** The requests whose connection was lost before the answer. */
  lost: number
  /** Descriptions of answers that are neither a success, nor an expected refusal, nor a 503 with `Retry-After`. */
  readonly surprises: string[]
}

/** Distributes requests over the hosts that are ready, like a load balancer. */
export interface Balancer {
  readonly traffic: Traffic
  /** Sends a request once. Resolves with `undefined` if the connection was lost before the answer. */
  once(outgoing: Outgoing): Promise<Answer | undefined>
  /** Repeats a request, which must be idempotent, until the answer says more than "try again". */
  untilAnswered(outgoing: Outgoing): Promise<Answer>
  /** Stops the checks of the hosts. */
  close(): void
}

const probeIntervalMs = 100
/** A host must answer every request within this time: a statement's limit, its margin, and the wait for a connection. */
const answerLimitMs = 30_000
const persistenceMs = 120_000
/** Clients of a drill are less patient than `Retry-After` asks, so that more requests meet the fault. */
const longestPauseMs = 250

/** Opens a balancer. `hosts` returns the addresses of the current hosts. */
export function openBalancer(hosts: () => readonly string[]): Balancer {
  const traffic: Traffic = { statuses: new Map(), lost: 0, surprises: [] }
  const notReady = new Set<string>()
  let next = 0
  const probe = async (url: string): Promise<void> => {
    const isReady = await fetch(`${url}/health/ready`, { signal: AbortSignal.timeout(5_000) }).then(
      async (response) => {
        await response.text()
        return response.ok
      },
      () => false,
    )
    if (isReady) notReady.delete(url)
    else notReady.add(url)
  }
  const probing = setInterval(() => void Promise.all(hosts().map(probe)), probeIntervalMs)
  const choose = (): string => {
    const all = hosts()
    const ready = all.filter((url) => !notReady.has(url))
    const candidates = ready.length > 0 ? ready : all
    next += 1
    return candidates[next % candidates.length] ?? 'http://127.0.0.1:1'
  }
  const send = async (outgoing: Outgoing): Promise<Answer | undefined> => {
    const url = choose()
    const signal = AbortSignal.timeout(answerLimitMs)
    try {
      const response = await fetch(`${url}${outgoing.path}`, requestOf(outgoing, signal))
      const text = await response.text()
      traffic.statuses.set(response.status, (traffic.statuses.get(response.status) ?? 0) + 1)
      const answer = { status: response.status, headers: response.headers, body: parse(text) }
      if (!isHonest(answer))
        traffic.surprises.push(`${outgoing.method} ${outgoing.path}: ${answer.status} ${text}`)
      return answer
    } catch {
      if (signal.aborted)
        traffic.surprises.push(`${outgoing.method} ${outgoing.path}: no answer in ${answerLimitMs} ms`)
      traffic.lost += 1
      // A load balancer also removes a host from its list when a request fails.
      notReady.add(url)
      return undefined
    }
  }
  return {
    traffic,
    once: send,
    async untilAnswered(outgoing) {
      const limit = AbortSignal.timeout(persistenceMs)
      for (;;) {
        const answer = await send(outgoing)
        if (answer !== undefined && !isRetryLater(answer)) return answer
        if (limit.aborted) throw new Error(`No answer to ${outgoing.method} ${outgoing.path}`)
        const seconds = Number(answer?.headers.get('retry-after') ?? 0)
        await delay(Math.min(seconds * 1_000 + 10, longestPauseMs))
      }
    },
    close: () => clearInterval(probing),
  }
}

function requestOf({ method, token, body, headers }: Outgoing, signal: AbortSignal): RequestInit {
  return {
    method,
    signal,
    headers: {
      Authorization: `Bearer ${token}`,
      ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
      ...headers,
    },
    body: body === undefined ? null : JSON.stringify(body),
  }
}

/** Whether the server asks to repeat the request: 503, or an execution with the same key that is in progress. */
const isRetryLater = ({ status, headers }: Answer): boolean => status >= 409 && headers.has('retry-after')

/** A refusal because of the state of an object is normal for concurrent clients. A 5xx must be a 503 with `Retry-After`. */
const isHonest = (answer: Answer): boolean =>
  answer.status < 400 || [404, 409].includes(answer.status) || (answer.status === 503 && isRetryLater(answer))

function parse(text: string): AnswerBody {
  try {
    return JSON.parse(text) as AnswerBody
  } catch {
    return {} as AnswerBody
  }
}
