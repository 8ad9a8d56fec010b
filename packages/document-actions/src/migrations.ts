import type { MigrationPack } from '@vertical-kit/core-audit/database'

/** The tables of document actions: applied after the kernel's. The folder lies beside both `src` and `dist`. */
export const documentActionsMigrations: MigrationPack = {
  name: '@vertical-kit/document-actions',
  directory: new URL('../migrations/', import.meta.url),
}
