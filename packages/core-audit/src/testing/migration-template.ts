import { type MigrationPack, readMigrationFiles } from '../database/migration-files.ts'

/** The recipe for a database with the tables of the packs, as required for copies of a template. */
export interface MigrationTemplate {
  readonly name: string
  /** The text of every migration: another text requires another template. */
  readonly fingerprint: string
  prepare(url: string): Promise<void>
}

/** Describes a migrated, empty database to copy for each test file. `name` has lower-case letters, `_` and digits. */
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
