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
  readonly requests: number
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
      throw new Error(`${target.url} ${requests[0]?.path}: ${statusesOf(result)}, ${result.errors} errors`)
    }
    const sent = result.requests.total
    return { requests: sent, requestsPerSecond: sent / ((performance.now() - startedMs) / 1_000) }
  }
}

const statusesOf = ({ statusCodeStats = {} }: autocannon.Result): string =>
  Object.entries(statusCodeStats)
    .map(([status, { count }]) => `${count} answers with ${status}`)
    .join(', ')

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
export interface Comparison<Result = Sample> {
  readonly a: readonly Result[]
  readonly b: readonly Result[]
}

/** Runs A and B alternately, after one warm-up of each, so that other work on the machine affects both sides equally. */
export async function alternate<Result = Sample>(
  rounds: number,
  runA: () => Promise<Result>,
  runB: () => Promise<Result>,
): Promise<Comparison<Result>> {
  await runA()
  await runB()
  const a: Result[] = []
  const b: Result[] = []
  for (let round = 0; round < rounds; round += 1) {
    a.push(await runA())
    b.push(await runB())
  }
  return { a, b }
}
