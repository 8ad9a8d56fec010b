/** The health of a part or of the whole host, from best to worst. */
export type HealthStatus = 'Healthy' | 'Degraded' | 'Unhealthy'

/** The counts of a queue. */
export interface QueueCounts {
  readonly pendingCount?: number
  readonly failedCount?: number
  readonly oldestPendingAgeSeconds?: number | null
}

/** The result of a check. Only parts with a queue have counts. */
export interface HealthResult extends QueueCounts {
  readonly status: HealthStatus
  /** Advice for the operator. It is public: it must contain no data and no address. */
  readonly detail?: string
  /** Registered consumers of the outbox that this host does not run. */
  readonly otherConsumers?: Readonly<Record<string, QueueCounts>>
}

/** The check of one part. `check` rejects or resolves with Unhealthy when the part is not usable. */
export interface HealthCheck {
  readonly name: string
  /** The outbox consumer whose deliveries the check counts. The counts of other checks are those of a queue of their own. */
  readonly consumer?: string
  check(signal: AbortSignal): Promise<HealthResult>
}

/** An entry of the report at `GET /health`. */
export interface HealthEntry extends HealthResult {
  readonly durationMs: number
}

/** The body of `GET /health`. */
export interface HealthReport {
  readonly status: HealthStatus
  readonly entries: Readonly<Record<string, HealthEntry>>
}

/** Maximum duration of one check. A slower part counts as Unhealthy, because probes need a quick answer. */
const checkTimeoutMs = 3_000

const severity: Record<HealthStatus, number> = { Healthy: 0, Degraded: 1, Unhealthy: 2 }

/** Runs all checks in parallel. The status of the host is the status of its worst part. */
export async function reportHealth(
  checks: readonly HealthCheck[],
  timeoutMs = checkTimeoutMs,
): Promise<HealthReport> {
  const entries = await Promise.all(
    checks.map(async (check) => [check.name, await measure(check, timeoutMs)] as const),
  )
  const status = entries.reduce<HealthStatus>(
    (worst, [, entry]) => (severity[entry.status] > severity[worst] ? entry.status : worst),
    'Healthy',
  )
  return { status, entries: Object.fromEntries(entries) }
}

/**
 * Creates a function that runs these checks and returns the report. Concurrent calls share one report: the endpoint is
 * public, and parallel requests must not multiply the load on the database.
 */
export function healthReporter(checks: readonly HealthCheck[]): () => Promise<HealthReport> {
  let current: Promise<HealthReport> | undefined
  return () => {
    current ??= reportHealth(checks).finally(() => {
      current = undefined
    })
    return current
  }
}

async function measure(check: HealthCheck, timeoutMs: number): Promise<HealthEntry> {
  const startedMs = performance.now()
  const deadline = AbortSignal.timeout(timeoutMs)
  const late = new Promise<HealthResult>((resolve) => {
    deadline.addEventListener('abort', () => resolve({ status: 'Unhealthy' }))
  })
  const result = await Promise.race([ask(check, deadline), late])
  return { ...result, durationMs: Math.round(performance.now() - startedMs) }
}

/** Treats a check that throws or rejects as Unhealthy. The part itself logs the reason. */
async function ask(check: HealthCheck, signal: AbortSignal): Promise<HealthResult> {
  try {
    return await check.check(signal)
  } catch {
    return { status: 'Unhealthy' }
  }
}
