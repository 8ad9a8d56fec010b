/** From best to worst. */
export type HealthStatus = 'Healthy' | 'Degraded' | 'Unhealthy'

/** What a check found. The counts are there where the part has a queue. */
export interface HealthResult {
  readonly status: HealthStatus
  /** What an operator should do. Anybody can read it: it must hold no data and no address. */
  readonly detail?: string
  readonly pendingCount?: number
  readonly failedCount?: number
  readonly oldestPendingAgeSeconds?: number | null
}

/** One part the health report speaks of. `check` rejects or resolves Unhealthy when the part is not usable. */
export interface HealthCheck {
  readonly name: string
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

/** Past this a part counts as not answering: a probe wants an answer, not a wait. */
const checkTimeoutMs = 3_000

const severity: Record<HealthStatus, number> = { Healthy: 0, Degraded: 1, Unhealthy: 2 }

/** Asks every part at once; the whole is as well as its worst part. */
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
 * Reports on the same parts again and again. Requests that arrive while a report is being made share it: anybody may ask for
 * health, and any number of requests at once must not cost the database more than one.
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

/** A check that throws, now or later, says that its part is not usable; why is for the part's own log. */
async function ask(check: HealthCheck, signal: AbortSignal): Promise<HealthResult> {
  try {
    return await check.check(signal)
  } catch {
    return { status: 'Unhealthy' }
  }
}
