import type { EnvironmentReader } from './environment.ts'
import type { ListenOptions } from './server.ts'

/** The address on which a host listens, and how the host stops. */
export interface ServerConfig extends ListenOptions {
  /** Time during which a stopping host reports that it is not ready but still serves requests; 0 by default. */
  readonly shutdownDelayMs?: number
}

/**
 * Reads `HOST` (127.0.0.1), `PORT` (8080; 0 chooses a free port) and `SHUTDOWN_DELAY` (5 s). The default delay is longer
 * than load balancers need to notice that a host is not ready.
 */
export function readServerConfig(env: EnvironmentReader): Required<ServerConfig> {
  return {
    host: env.string('HOST', { default: '127.0.0.1' }),
    port: env.integer('PORT', { default: 8080, min: 0, max: 65_535 }),
    shutdownDelayMs: env.durationMs('SHUTDOWN_DELAY', { default: 5_000, min: 0, max: 600_000 }),
  }
}
