import { isConnectionFailure } from '../database/connection-failure.ts'
import { coreMigrations } from '../database/core-migrations.ts'
import type { Database } from '../database/database.ts'
import { databaseErrorCode } from '../database/database-errors.ts'
import { type MigrationPack, readMigrationFiles } from '../database/migration-files.ts'
import { compareWithLedger, MigrationsError, pendingOf, readLedger } from '../database/migration-ledger.ts'
import { sql } from '../database/sql.ts'
import type { KitModule } from '../module.ts'

/**
 * Returns the migrations of a host, for `migrate({ databaseUrl, packs: migrationsOf(modules) })`. The list starts with the
 * pack of the kernel and continues with the packs of the modules, in order and without duplicates. If the migrations of a
 * module reference tables of another module, list the other module first.
 */
export function migrationsOf(modules: readonly KitModule[]): readonly MigrationPack[] {
  const packs = [coreMigrations, ...modules.flatMap(({ migrations }) => migrations ?? [])]
  return packs.filter((pack, index) => packs.findIndex((other) => isSame(pack, other)) === index)
}

/**
 * Compares two packs. Packs with the same name but different folders both stay in the list; reading the list then throws.
 */
const isSame = (one: MigrationPack, other: MigrationPack): boolean =>
  one.name === other.name && one.directory.href === other.directory.href

/**
 * Checks with two statements that every migration of these modules is applied.
 *
 * @throws {MigrationsError} when migrations are pending (the message names them and the command to run), when the schema
 *   belongs to a newer release that does not declare its migrations compatible, or when the role cannot read the ledger
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
  // The server also refuses a connection with this code.
  if (databaseErrorCode(cause) !== '42501' || isConnectionFailure(cause)) throw cause
  throw new MigrationsError(
    `The host's role cannot read which migrations are applied: ` +
      'grant usage on schema core_audit and grant select on core_audit.migrations to it.',
    { cause },
  )
}
