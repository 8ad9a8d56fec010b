import type { MigrationPack } from '@vertical-kit/core-audit/database'

/** The migrations of the attachments table. Apply them after the kernel's, even if the feature is off. */
export const attachmentsMigrations: MigrationPack = {
  name: '@vertical-kit/attachments',
  directory: new URL('../migrations/', import.meta.url),
}
