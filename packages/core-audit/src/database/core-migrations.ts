import type { MigrationPack } from './migration-files.ts'

/** The kernel's migrations. Every host applies them first. The relative path is valid from both `src` and `dist`. */
export const coreMigrations: MigrationPack = {
  name: '@vertical-kit/core-audit',
  directory: new URL('../../migrations/', import.meta.url),
}
