export { auditPartitionsWorker } from '../audit/partition-upkeep.ts'
export { type ApplicationOptions, createApplication } from './application.ts'
export { CannotStartError } from './cannot-start-error.ts'
export { checkModules } from './check-modules.ts'
export { clockWorker } from './clock-health.ts'
export { describeCommandFailure } from './command-failure.ts'
export { type ContentSummaryOptions, contentSummary } from './content-summary.ts'
export {
  ConfigurationError,
  configurationExitCode,
  type Environment,
  type EnvironmentReader,
  formatDuration,
  parseDurationMs,
  readConfiguration,
} from './environment.ts'
export { type FixedAnswer, fixedAnswer } from './fixed-answer.ts'
export type { HealthCheck, HealthReport, HealthResult, HealthStatus } from './health.ts'
export { healthRoutes } from './health-routes.ts'
export type { CheckedHost } from './host-checks.ts'
export { migrationsOf } from './host-migrations.ts'
export { createLogger, type LoggerOptions, readLogLevel } from './log.ts'
export { type MetricsConfig, readMetricsConfig } from './metrics-config.ts'
export { observeHost } from './observe-host.ts'
export { parseCommandLine } from './parse-command-line.ts'
export { type RateLimitConfig, readRateLimitConfig } from './rate-limit-config.ts'
export { runHost, type StoppableHost } from './run-host.ts'
export { OutputError, runOnTerminal, type Terminal } from './run-on-terminal.ts'
export { type ListenOptions, listen, type RunningServer } from './server.ts'
export { readServerConfig, type ServerConfig } from './server-config.ts'
export {
  type BackgroundHostOptions,
  type HostOptions,
  type RunningBackgroundHost,
  type RunningHost,
  startBackgroundHost,
  startHost,
} from './start-host.ts'
export { readTenantsConfig, type TenantsConfig, tenantsDefaults } from './tenants/config.ts'
export type { OpenTenant, TenantOptions, TenantParts } from './tenants/open-tenant.ts'
export { type RunningTenantsHost, startTenants, type TenantsHostOptions } from './tenants/start-tenants.ts'
export { refuseUpgrade, upgradeIdOf, upgradeOnlyWebSockets } from './upgrades.ts'
export { type RunningWorkers, startWorkers, type Worker } from './workers.ts'
