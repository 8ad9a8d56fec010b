export {
  type ClientOptions,
  type DatabasePassword,
  openPostgresClient,
  type PostgresClient,
} from './client.ts'
export { type CommandDatabaseOptions, createCommandDatabase } from './command-database.ts'
export {
  type DatabaseConfig,
  type DirectAddress,
  databaseDefaults,
  type HostDatabaseConfig,
  type Pooler,
  readDatabaseConfig,
  readDatabaseUrl,
  readDirectAddress,
} from './config.ts'
export { coreMigrations } from './core-migrations.ts'
export {
  type AuditedObject,
  createDatabase,
  type Database,
  type DatabaseLoad,
  type Db,
  type ReadPosition,
  type Tx,
} from './database.ts'
export type { DatabaseClock } from './database-clock.ts'
export { surviveDriverRejections } from './driver-rejections.ts'
export { type MigrateOptions, migrate, migrationStatus, rehearseMigrations } from './migrate.ts'
export { type MigrateCommandOptions, migrateExitCodes, runMigrateCommand } from './migrate-cli.ts'
export type { MigrationPack } from './migration-files.ts'
export type { MigrationState } from './migration-ledger.ts'
export { planOnce } from './render-statement.ts'
export { searchPattern } from './search-pattern.ts'
