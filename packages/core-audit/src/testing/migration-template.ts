import { type MigrationPack, readMigrationFiles } from '../database/migration-files.ts'

/** Describes a template database with the tables of the packs. Tests copy this database. */
export interface MigrationTemplate {
  readonly name: string
  /** The name and checksum of every migration. When it changes, a new template is necessary. */
  readonly fingerprint: string
  prepare(url: string): Promise<void>
}

/**
 * Describes a migrated, empty database to copy for each test file. `name` consists of lower-case letters, `_` and digits.
 */
export async function migrationTemplate(
  name: string,
  packs: readonly MigrationPack[],
): Promise<MigrationTemplate> {
  const files = await readMigrationFiles(packs)
  return {
    name,
    fingerprint: files.map((file) => `${file.pack}/${file.file} ${file.checksum}`).join('\n'),
    async prepare(url) {
      const { migrate } = await import('../database/migrate.ts')
      await migrate({ databaseUrl: url, packs })
    },
  }
}
