import type { MigrationPack } from '@vertical-kit/core-audit/database'

/** The migrations of this package. Apply them after those of core-audit. The path works from both `src` and `dist`. */
export const documentActionsMigrations: MigrationPack = {
  name: '@vertical-kit/document-actions',
  directory: new URL('../migrations/', import.meta.url),
}
