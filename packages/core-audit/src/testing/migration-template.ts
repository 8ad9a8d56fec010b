import { type MigrationPack, readMigrationFiles } from '../database/migration-files.ts'

/** How to make a database that holds the packs' tables: in the form that a copy of a template is made from. */
export interface MigrationTemplate {
  readonly name: string
  /** The text of every migration: another text, another template. */
  readonly fingerprint: string
  prepare(url: string): Promise<void>
}

/** Describes a migrated, empty database to be copied for each test file. `name`: lower-case letters, `_`, digits. */
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
