import type { EnvironmentReader } from './environment.ts'
import type { ListenOptions } from './server.ts'

/** The address of the metrics. Choose one that only Prometheus reaches, because the metrics need no sign-in. */
export type MetricsConfig = ListenOptions

/**
 * Reads `METRICS_PORT` (off when absent; 0 chooses a free port) and `METRICS_HOST` (127.0.0.1). Returns `undefined` when the
 * metrics are off.
 */
export function readMetricsConfig(env: EnvironmentReader): MetricsConfig | undefined {
  const port = env.integer('METRICS_PORT', { default: -1, min: 0, max: 65_535 })
  const host = env.string('METRICS_HOST', { default: '127.0.0.1' })
  return port < 0 ? undefined : { host, port }
}
