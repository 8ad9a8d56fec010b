import type { MigrationPack } from '@vertical-kit/core-audit/database'

/** The migrations of the Work Center. Apply the migrations of core-audit first. The folder is next to `src` and `dist`. */
export const workCenterMigrations: MigrationPack = {
  name: '@vertical-kit/work-center',
  directory: new URL('../migrations/', import.meta.url),
}
