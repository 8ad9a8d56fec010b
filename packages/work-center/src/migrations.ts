import type { MigrationPack } from '@vertical-kit/core-audit/database'

/** The migrations of the Work Center; apply them after the kernel's. The folder is next to both `src` and `dist`. */
export const workCenterMigrations: MigrationPack = {
  name: '@vertical-kit/work-center',
  directory: new URL('../migrations/', import.meta.url),
}
