import { attachmentsMigrations } from '@vertical-kit/attachments'
import { coreMigrations, type MigrationPack } from '@vertical-kit/core-audit/database'
import { documentActionsMigrations } from '@vertical-kit/document-actions'
import { notesMigrations } from '@vertical-kit/notes'
import { workCenterMigrations } from '@vertical-kit/work-center'
import { tradeMigrations } from './trade/module.ts'

/**
 * The migrations of the modules in `composeHost`, for `pnpm migrate`. That command reads only the database configuration,
 * so it cannot compose a host and call `migrationsOf`. A test compares both lists.
 */
export const hostMigrations: readonly MigrationPack[] = [
  coreMigrations,
  tradeMigrations,
  documentActionsMigrations,
  attachmentsMigrations,
  notesMigrations,
  workCenterMigrations,
]
