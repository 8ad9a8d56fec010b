import autocannon from 'autocannon'

/** A server under load, and what to ask it. */
export interface Target {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
}

/** One request of a case; `body` as JSON. */
export interface CaseRequest {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly body?: unknown
}

export interface Load {
  readonly connections: number
  readonly seconds: number
}

/** What one run under load showed. */
export interface Sample {
  readonly requestsPerSecond: number
  readonly p50Ms: number
  readonly p99Ms: number
}

/**
 * Drives one target for a while over keep-alive connections, the requests in turn.
 * Rejects when any answer was not a 2xx: a fast error is no result.
 */
export async function drive(target: Target, requests: readonly CaseRequest[], load: Load): Promise<Sample> {
  const startedMs = performance.now()
  const result = await autocannon({
    url: target.url,
    connections: load.connections,
    duration: load.seconds,
    requests: requests.map(({ method, path, body }) => ({
      method,
      path,
      headers: { ...target.headers, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })),
  })
  if (result.non2xx > 0 || result.errors > 0) {
    throw new Error(
      `${target.url} ${requests[0]?.path}: ${result.non2xx} non-2xx answers, ${result.errors} errors`,
    )
  }
  return {
    requestsPerSecond: result.requests.total / ((performance.now() - startedMs) / 1000),
    p50Ms: result.latency.p50,
    p99Ms: result.latency.p99,
  }
}

/** Two targets measured side by side. */
export interface Comparison {
  readonly a: readonly Sample[]
  readonly b: readonly Sample[]
}

/** A B A B …, after one warm-up each, so that what else the machine does falls on both. */
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

/** The middle of several figures: what to quote of a noisy machine. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((one, other) => one - other)
  const middle = Math.floor(sorted.length / 2)
  const upper = sorted[middle] ?? Number.NaN
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2
}

/** The median of the rounds' own ratios A/B: each pair ran under the same conditions. */
export function medianRatio(comparison: Comparison, figure: (sample: Sample) => number): number {
  return median(
    comparison.a.map((sample, round) => {
      const other = comparison.b[round]
      return other === undefined ? Number.NaN : figure(sample) / figure(other)
    }),
  )
}
