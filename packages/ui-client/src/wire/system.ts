/**
 * `Degraded`: a part needs attention, and the service answers. `Unhealthy`: a part cannot be used, and probes get 503.
 */
export type HealthStatus = 'Healthy' | 'Degraded' | 'Unhealthy'

/** The health of a host and its parts, by name. Only parts with a queue have counts. */
export interface HealthReport {
  status: HealthStatus
  entries: Record<
    string,
    {
      status: HealthStatus
      durationMs: number
      detail?: string
      pendingCount?: number
      failedCount?: number
      oldestPendingAgeSeconds?: number | null
    }
  >
}

/** The parts of the OpenAPI document that every service has. `info.version` is the release of the packages. */
export interface ApiDocument {
  openapi: string
  info: { title: string; version: string }
  paths: Record<string, Record<string, unknown>>
}
