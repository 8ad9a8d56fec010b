import { sql } from 'drizzle-orm/sql'
import { coreMigrations } from '../database/core-migrations.ts'
import type { Database } from '../database/database.ts'
import { databaseErrorCode } from '../database/database-errors.ts'
import { type MigrationPack, readMigrationFiles } from '../database/migration-files.ts'
import { compareWithLedger, MigrationsError, pendingOf, readLedger } from '../database/migration-ledger.ts'
import type { KitModule } from '../module.ts'

/**
 * Returns the migrations of a host, for `migrate({ databaseUrl, packs: migrationsOf(modules) })`: the kernel's first, then
 * those of the modules in order, each pack once. List a module after the modules that own the tables its migrations
 * reference.
 */
export function migrationsOf(modules: readonly KitModule[]): readonly MigrationPack[] {
  const packs = [coreMigrations, ...modules.flatMap(({ migrations }) => migrations ?? [])]
  return packs.filter((pack, index) => packs.findIndex((other) => isSame(pack, other)) === index)
}

/** Packs with one name but different folders are a mistake: both stay in the list, and reading them reports it. */
const isSame = (one: MigrationPack, other: MigrationPack): boolean =>
  one.name === other.name && one.directory.href === other.directory.href

/**
 * Checks, with two statements, that every migration of these modules is applied.
 *
 * @throws {MigrationsError} naming what is pending and the command to run; when the schema is of a newer release that
 *   does not declare its migrations compatible; when the role cannot read the ledger
 */
export async function checkMigrations(database: Database, modules: readonly KitModule[]): Promise<void> {
  const packs = migrationsOf(modules)
  const files = await readMigrationFiles(packs)
  const rows = await database
    .read((db) => readLedger((text) => db.execute(sql.raw(text))))
    .catch(explainMissingGrant)
  const names = packs.map(({ name }) => name)
  const pending = pendingOf(compareWithLedger(files, names, rows))
  if (pending.length === 0) return
  const heading = 'Run "migrate up" before the host starts: these migrations are pending.'
  throw new MigrationsError([heading, ...pending.map(({ pack, file }) => `${pack}/${file}`)].join('\n'))
}

function explainMissingGrant(cause: unknown): never {
  if (databaseErrorCode(cause) !== '42501') throw cause
  throw new MigrationsError(
    `The host's role cannot read which migrations are applied: ` +
      'grant usage on schema core_audit and grant select on core_audit.migrations to it.',
    { cause },
  )
}
