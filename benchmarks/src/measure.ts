import autocannon from 'autocannon'

/** A server under load, and the headers that every request contains. */
export interface Target {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
}

/** A request of a case. `body` is sent as JSON. */
export interface CaseRequest {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: unknown
}

export interface Load {
  readonly connections: number
  readonly seconds: number
}

/** The result of one run under load. */
export interface Sample {
  readonly requestsPerSecond: number
}

/** Sends requests to a target for the given time. */
export type Drive = (target: Target, load: Load) => Promise<Sample>

/**
 * Returns a load that sends prepared requests in turn over keep-alive connections. Each connection sends a part of the
 * requests. Rejects if any response has a status other than 2xx.
 */
export function inTurn(requests: readonly CaseRequest[]): Drive {
  return async (target, { connections, seconds }) => {
    const prepared = requests.map((request) => prepare(target, request))
    let opened = 0
    const startedMs = performance.now()
    const result = await autocannon({
      url: target.url,
      connections,
      duration: seconds,
      // Each connection encodes its requests when it opens. If it encoded all requests, a run would lose a second.
      setupClient(client) {
        client.setRequests(prepared.filter((_, index) => index % connections === opened % prepared.length))
        opened += 1
      },
    })
    if (result.non2xx > 0 || result.errors > 0) {
      throw new Error(
        `${target.url} ${requests[0]?.path}: ${result.non2xx} non-2xx answers, ${result.errors} errors`,
      )
    }
    return { requestsPerSecond: result.requests.total / ((performance.now() - startedMs) / 1000) }
  }
}

const prepare = (target: Target, request: CaseRequest): autocannon.Request => ({
  method: request.method,
  path: request.path,
  headers: headersOf(target, request),
  ...(request.body === undefined ? {} : { body: JSON.stringify(request.body) }),
})

/** Returns the headers of a request to a target. */
export function headersOf(target: Target, { headers, body }: CaseRequest): Record<string, string> {
  return {
    ...target.headers,
    ...headers,
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
  }
}

/** The samples of both sides. Samples with the same index belong to the same round. */
export interface Comparison {
  readonly a: readonly Sample[]
  readonly b: readonly Sample[]
}

/** Runs A and B alternately, after one warm-up of each, so that other work on the machine affects both sides equally. */
export async function alternate(
  rounds: number,
  runA: () => Promise<Sample>,
  runB: () => Promise<Sample>,
): Promise<Comparison> {
  await runA()
  await runB()
  const a: Sample[] = []
  const b: Sample[] = []
  for (let round = 0; round < rounds; round += 1) {
    a.push(await runA())
    b.push(await runB())
  }
  return { a, b }
}

/** Returns the median. Single slow runs on a busy machine do not affect it. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((one, other) => one - other)
  const middle = Math.floor(sorted.length / 2)
  const upper = sorted[middle] ?? Number.NaN
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2
}

/** Returns the median of the rounds' throughput ratios A/B. The two runs of one round have similar conditions. */
export function medianRatio({ a, b }: Comparison): number {
  return median(
    a.map(({ requestsPerSecond }, round) => requestsPerSecond / (b[round]?.requestsPerSecond ?? Number.NaN)),
  )
}
