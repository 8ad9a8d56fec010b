import type { MigrationPack } from '@vertical-kit/core-audit/database'

/** The migrations of this package. Apply them after the migrations of `core-audit`, even if the feature is off. */
export const notesMigrations: MigrationPack = {
  name: '@vertical-kit/notes',
  directory: new URL('../migrations/', import.meta.url),
}
