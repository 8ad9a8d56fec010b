import type { MigrationPack } from '@vertical-kit/core-audit/database'

/** The tables of the Work Center: applied after the kernel's. The folder lies beside both `src` and `dist`. */
export const workCenterMigrations: MigrationPack = {
  name: '@vertical-kit/work-center',
  directory: new URL('../migrations/', import.meta.url),
}
