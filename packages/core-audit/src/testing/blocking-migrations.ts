import type { MigrationPack } from '../database/migration-files.ts'

/** The migrations to check, and the rows that show whether they block: an empty table hides a scan. */
export interface BlockingMigrationsOptions {
  /** The database. Its pending migrations are applied, so use a new one. The role must own the tables. */
  readonly databaseUrl: string
  /** The packs, in the order that `migrate` requires. */
  readonly packs: readonly MigrationPack[]
  /**
   * Inserts rows into a table, such as `shop.items`: as many as in production, at least 10,000. Called once for each
   * existing table that a migration locks or changes, before the migration runs.
   */
  readonly fill: (table: string) => Promise<unknown>
}

/**
 * Applies the pending migrations one after the other, each together with readers and writers of the existing tables, and
 * returns one line for each problem; expect `[]`. Nothing depends on time: the migration is held before it ends, and a
 * blocked statement fails immediately.
 *
 * A migration in a transaction can block other statements only if it processes fewer than 10,000 rows: it must not scan,
 * rewrite or index a large table while it blocks any, and not change many existing rows. A migration outside a transaction
 * must not block any statement, and must not drop an index that does not exist.
 *
 * @throws {Error} if a migration fails
 */
export async function blockingMigrations(options: BlockingMigrationsOptions): Promise<readonly string[]> {
  // Loaded lazily: only this function needs the migrator, but every test file imports this module.
  const { checkMigrations } = await import('./blocking-migrations/check-migrations.ts')
  return checkMigrations(options)
}
