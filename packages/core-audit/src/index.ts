export {
  auditInsert,
  type FieldChange,
  type NewAuditEvent,
  recordAudit,
} from './audit/commands/record-audit.ts'
export { fieldChanges } from './audit/field-changes.ts'
export { type AuditSource, type AuditTimelineOptions, createAuditTimeline } from './audit/module.ts'
export type { StoredAuditEvent } from './audit/queries/list-audit-events.ts'
export { type Authorize, authorizer } from './business-objects/authorize.ts'
export {
  type ContentCounter,
  type ContentSummaryOptions,
  createContentSummary,
} from './business-objects/content-summary.ts'
export {
  auditPermission,
  type BusinessObjects,
  type BusinessObjectTypes,
  createBusinessObjects,
  holdsAuditAccess,
  type ResolveParent,
  requireAuditAccess,
} from './business-objects/reference.ts'
export {
  ConfigurationError,
  configurationExitCode,
  type Environment,
  type EnvironmentReader,
  formatDuration,
  parseBoolean,
  parseDurationMs,
  readConfiguration,
} from './config/environment.ts'
export { type ClientOptions, openPostgresClient, type PostgresClient } from './database/client.ts'
export { type DatabaseConfig, databaseDefaults, readDatabaseConfig } from './database/config.ts'
export { createDatabase, type Database, type Db, type Tx } from './database/database.ts'
export { brokenConstraint } from './database/database-errors.ts'
export { databaseHealth } from './database/database-health.ts'
export { surviveDriverRejections } from './database/driver-rejections.ts'
export { isStoredInstant, toInstant, toInstantOrNull } from './database/instant.ts'
export { type MigrateOptions, migrate, migrationStatus, rehearseMigrations } from './database/migrate.ts'
export { type MigrateCommandOptions, migrateExitCodes, runMigrateCommand } from './database/migrate-cli.ts'
export type { MigrationPack } from './database/migration-files.ts'
export type { MigrationState } from './database/migration-ledger.ts'
export { newId } from './database/new-id.ts'
export {
  CoreError,
  type CoreErrorCode,
  defineErrors,
  type ErrorClass,
  type ErrorRule,
  type ErrorTable,
  type FieldError,
  isKitError,
  type KitError,
  type KitErrorOptions,
  refusal,
} from './errors.ts'
export type { HealthCheck, HealthReport, HealthResult, HealthStatus } from './health/health.ts'
export { type ApiDescription, type ApiResponse, api, type Guard, parseRequest } from './http/api.ts'
export { type ApplicationOptions, createApplication } from './http/application.ts'
export type { KitEnv } from './http/environment.ts'
export { type FixedAnswer, fixedAnswer } from './http/fixed-answer.ts'
export { createLogger, type LoggerOptions } from './http/log.ts'
export { readCursor, takePage, writeCursor } from './http/paging.ts'
export { type ListenOptions, listen, type RunningServer } from './http/server.ts'
export { AccessChangedData, accessChangedType } from './identity/access-changed.ts'
export type { Actor, IdentifiedCaller, IdentifyCaller, ReloadCaller } from './identity/authenticate.ts'
export { type Caller, type CallerRole, holds, requirePermission } from './identity/caller.ts'
export type { AccessSeed, SeedRole, SeedUser } from './identity/commands/seed-access.ts'
export { type OidcConfig, readOidcConfig } from './identity/config.ts'
export { createIdentity, type Identity, type IdentityOptions } from './identity/module.ts'
export { coreMigrations } from './migrations.ts'
export { checkModules, type KitModule, type PermissionDefinition, releaseTrain } from './module.ts'
export {
  appendToOutbox,
  type NewOutboxEvent,
  outboxInsert,
} from './outbox/commands/append-to-outbox.ts'
export type { OutboxConsumerConfig, OutboxRetentionConfig } from './outbox/config.ts'
export { createOutboxConsumer, type OutboxConsumer, type OutboxConsumerOptions } from './outbox/consumer.ts'
export type { OutboxEvent } from './outbox/event.ts'
export { type OutboxCommandOptions, outboxExitCodes, runOutboxCommand } from './outbox/outbox-cli.ts'
export { createOutboxRetention, type OutboxRetentionOptions } from './outbox/retention.ts'
export { type Bell, createBell, type RunningWorkers, startWorkers, type Worker } from './workers.ts'
