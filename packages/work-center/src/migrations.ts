import type { MigrationPack } from '@vertical-kit/core-audit/database'

/** The migrations of the Work Center. Apply them after those of core-audit. The folder is next to both `src` and `dist`. */
export const workCenterMigrations: MigrationPack = {
  name: '@vertical-kit/work-center',
  directory: new URL('../migrations/', import.meta.url),
}
