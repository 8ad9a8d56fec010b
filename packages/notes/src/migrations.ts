import type { MigrationPack } from '@vertical-kit/core-audit/database'

/** The tables of notes: applied after the kernel's, whatever the flag says. The folder lies beside `src` and `dist`. */
export const notesMigrations: MigrationPack = {
  name: '@vertical-kit/notes',
  directory: new URL('../migrations/', import.meta.url),
}
