import type { MigrationPack } from '@vertical-kit/core-audit/database'

/** The table of attachments: applied after the kernel's, whatever the flag says. The folder lies beside `src` and `dist`. */
export const attachmentsMigrations: MigrationPack = {
  name: '@vertical-kit/attachments',
  directory: new URL('../migrations/', import.meta.url),
}
