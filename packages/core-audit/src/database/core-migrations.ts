import type { MigrationPack } from './migration-files.ts'

/** The kernel's migrations, first in every host's list. The folder is next to both `src` and `dist`. */
export const coreMigrations: MigrationPack = {
  name: '@vertical-kit/core-audit',
  directory: new URL('../../migrations/', import.meta.url),
}
